/**
 * Features that a project seems to lack: files that change often and belong to none.
 *
 * Pure.
 */
import type { Feature } from '../../base/config/feature.ts';
import { plural } from '../../base/text/count.ts';
import type { ProposedFeature } from '../../features/discover/manifest.ts';
import { isSource, isTest } from '../../features/discover/source-tree.ts';
import { coverage, matcher } from '../../features/match.ts';
import type { Changes } from '../changes.ts';
import type { ProposalDraft } from './rules.ts';

/** A file that this many commits changed is one that changes often. */
const OFTEN = 5;
/** Features that are proposed: more would not be read. */
const MOST = 3;

/** Files of source that changed often and that no feature covers, the most often changed first. */
export function uncoveredOften(
  paths: readonly string[],
  features: readonly Feature[],
  { counts }: Changes,
): string[] {
  const often = paths.filter(
    (path) => (counts.get(path) ?? 0) >= OFTEN && isSource(path) && !isTest(path),
  );
  return coverage(features, often).uncovered.toSorted(
    (a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || (a < b ? -1 : 1),
  );
}

/**
 * The features, of those that the structure of the project suggests, to which these files belong; none that
 * is there already, or that nothing would verify.
 */
export function featuresFor(
  uncovered: readonly string[],
  suggested: readonly ProposedFeature[],
  features: readonly Feature[],
  { commits, counts }: Changes,
): ProposalDraft[] {
  const taken = new Set(features.map(({ name }) => name));
  const free = suggested.filter(({ name, smoke }) => !taken.has(name) && smoke.length > 0);
  const matchers = free.map(({ files }) => matcher(files));
  const groups = Map.groupBy(uncovered, (path) =>
    free.find((_, at) => matchers[at]?.matches(path)),
  );
  return [...groups]
    .flatMap(([feature, [first = '', ...others]]): ProposalDraft[] => {
      if (feature === undefined) return [];
      const { name, files, smoke } = feature;
      const cwd = smoke[0]?.cwd ?? '';
      const commands = smoke.filter((it) => it.cwd === cwd).map(({ command }) => command);
      const where = cwd === '' ? {} : { cwd };
      const operation = { op: 'feature', name, files, smoke: commands, ...where } as const;
      const times = `changed in ${counts.get(first)} of the last ${plural(commits, 'commit')}`;
      const also = plural(others.length, 'other file');
      const more = others.length === 0 ? '' : `; ${also} there changed often, too`;
      const why = `no feature covers ${first}, which ${times}${more}`;
      return [{ operation, why, evidence: [] }];
    })
    .slice(0, MOST);
}
