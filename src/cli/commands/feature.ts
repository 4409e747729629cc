import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { declareFeatureAdd } from './feature-add.ts';
import { declareFeatureCoverage } from './feature-coverage.ts';
import { declareFeatureDiscover } from './feature-discover.ts';
import { declareFeatureHistory } from './feature-history.ts';
import { declareFeatureList } from './feature-list.ts';
import { declareFeaturePending } from './feature-pending.ts';
import { declareFeatureRemove } from './feature-remove.ts';
import { declareFeatureShare } from './feature-share.ts';
import { declareFeatureShow } from './feature-show.ts';
import { declareFeatureVerify } from './feature-verify.ts';
import { declareFeatureWaive } from './feature-waive.ts';

export function declareFeature(parent: Command, context: () => Context): void {
  const feature = parent
    .command('feature')
    .description('Register features, verify them, see what is held');
  for (const declare of [
    declareFeatureAdd,
    declareFeatureList,
    declareFeatureShow,
    declareFeatureRemove,
    declareFeatureShare,
    declareFeatureDiscover,
    declareFeatureCoverage,
    declareFeaturePending,
    declareFeatureVerify,
    declareFeatureWaive,
    declareFeatureHistory,
  ]) {
    declare(feature, context);
  }
}
