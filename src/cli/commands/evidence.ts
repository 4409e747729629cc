import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { declareEvidencePull } from './evidence-pull.ts';
import { declareEvidencePush } from './evidence-push.ts';
import { declareEvidenceVerify } from './evidence-verify.ts';

export function declareEvidence(parent: Command, context: () => Context): void {
  const evidence = parent
    .command('evidence')
    .description('Send evidence with commits, take over that of others, check it');
  for (const declare of [declareEvidencePush, declareEvidencePull, declareEvidenceVerify]) {
    declare(evidence, context);
  }
}
