/** Features that `lanehold dream` proposes. */

import { projectPaths, projectText } from '../../base/git/project-files.ts';
import { worktreeRegistry } from '../../features/registry.ts';
import type { Workspace } from '../../features/workspace.ts';
import { recentChanges } from '../../recall/changes.ts';
import type { ProposalDraft } from '../../recall/dream/rules.ts';
import { featuresFor, uncoveredOften } from '../../recall/dream/uncovered.ts';

/** None where git does not say what changes often. */
export async function findFeatures(workspace: Workspace): Promise<ProposalDraft[]> {
  const { git, place } = workspace;
  if (place.kind !== 'git') return [];
  const [changes, paths, registry] = await Promise.all([
    recentChanges(workspace),
    projectPaths(git, place),
    worktreeRegistry(workspace),
  ]);
  const features = [...registry.features.values()];
  const uncovered = uncoveredOften(paths, features, changes);
  if (uncovered.length === 0) return [];
  const { discoverFeatures } = await import('../../features/discover/discover.ts');
  const readFile = (path: string) => projectText(place.root, path);
  const suggested = discoverFeatures({ paths, readFile });
  return featuresFor(uncovered, suggested, features, changes);
}
