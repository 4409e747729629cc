/** Which features, by which definitions, a verification or a waiver is about. */
import {
  type Assessed,
  assess,
  assessContents,
  type Subject,
  subjectRegistry,
} from '../features/assess.ts';
import { featureContent } from '../features/fingerprint.ts';
import type { Workspace } from '../features/workspace.ts';
import { ordinarily } from '../gate/pending.ts';

export interface Selection {
  /** Features by name; `pending` is everything that is held. */
  readonly names: readonly string[] | 'pending';
  readonly subject: Subject;
  readonly now: Date;
}

/**
 * The named features as the registry of the tree defines them; with them each definition that a change is
 * about to weaken, because the gate asks for that one as well.
 *
 * @throws {UnknownFeatureError}
 */
export async function itemsFor(
  workspace: Workspace,
  { names, subject, now }: Selection,
): Promise<Assessed[]> {
  const { held, policy } = await assess(workspace, await ordinarily(workspace, subject), now);
  if (names === 'pending') return [...held];
  const heldToo = held.filter(({ feature }) => names.includes(feature.name));
  const missing = [...new Set(names)].filter(
    (name) => !heldToo.some((it) => it.feature.name === name),
  );
  const registry = await subjectRegistry(workspace, subject);
  const demands = missing.map((name) => ({
    definedBy: 'subject' as const,
    content: featureContent(name, registry.features),
  }));
  const moment = { now, maxAgeMs: policy.maxAgeMs };
  return [...heldToo, ...(await assessContents(workspace, subject, demands, moment))];
}
