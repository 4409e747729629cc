/** Every content that evidence at a commit can be about. */
import {
  type Assessed,
  assess,
  assessContents,
  type Comparison,
  subjectRegistry,
} from '../features/assess.ts';
import { featureContent } from '../features/fingerprint.ts';
import type { Workspace } from '../features/workspace.ts';

/**
 * The shared features by the definition that the commit has, and by each one before from which it
 * takes something away: a gate may compare it with its own branch or with the default one. Private
 * features stay on their machine: nobody else knows them.
 */
export async function contentsAt(
  workspace: Workspace,
  { subject, base, published }: Comparison,
  now: Date,
): Promise<Assessed[]> {
  const { features, local } = await subjectRegistry(workspace, subject);
  const demands = [...features.keys()].map((name) => ({
    definedBy: 'subject' as const,
    content: featureContent(name, features),
  }));
  const contents = await assessContents(workspace, subject, demands, {
    now,
    maxAgeMs: Number.POSITIVE_INFINITY,
  });
  for (const before of new Set([base, ...published])) {
    const { affected } = await assess(workspace, { subject, base: before, published: [] }, now);
    contents.push(...affected.filter(({ definedBy }) => definedBy === 'base'));
  }
  const byFingerprint = new Map(contents.map((it) => [it.fingerprint, it]));
  return [...byFingerprint.values()].filter(({ feature }) => !local.has(feature.name));
}
