/** Every content that evidence at a commit can be about. */
import {
  type Assessed,
  assess,
  assessContents,
  type Comparison,
  subjectRegistry,
} from '../assess.ts';
import { featureContent } from '../fingerprint.ts';
import type { Workspace } from '../workspace.ts';

/**
 * The shared features by the definition that the commit has, and by the one before where the commit
 * takes something away from it. Private features stay on their machine: nobody else knows them.
 */
export async function contentsAt(
  workspace: Workspace,
  comparison: Comparison,
  now: Date,
): Promise<Assessed[]> {
  const { subject } = comparison;
  const { features, local } = await subjectRegistry(workspace, subject);
  const { affected } = await assess(workspace, comparison, now);
  const demands = [...features.keys()].map((name) => ({
    definedBy: 'subject' as const,
    content: featureContent(name, features),
  }));
  const all = await assessContents(workspace, subject, demands, now);
  const before = affected.filter(({ definedBy }) => definedBy === 'base');
  return [...all, ...before].filter(({ feature }) => !local.has(feature.name));
}
