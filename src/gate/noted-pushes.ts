/** Reads the notes of held pushes. They are in a file of their own because a status line loads nothing else of them. */
import { evidenceStore } from '../store/evidence.ts';
import { type HeldPush, heldPushStore } from '../store/held-pushes.ts';
import type { Store } from '../store/open.ts';

/** The held pushes, without asking git: those whose content has no newer evidence. */
export function notedPushes(store: Store, projectId: number, now: Date): HeldPush[] {
  const evidence = evidenceStore(store);
  const isVerified = ({ fingerprint }: HeldPush['features'][number]): boolean => {
    const last = evidence.ofContent(projectId, fingerprint).at(0);
    // Whether a pass in a tree with more than the commit is enough, only git can tell.
    if (last === undefined || last.kind === 'failed' || last.besides.length > 0) return false;
    return last.expiresAt === null || last.expiresAt > now;
  };
  return heldPushStore(store)
    .ofProject(projectId)
    .filter(({ features }) => !features.every(isVerified));
}
