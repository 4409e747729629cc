/** What is noted of pushes that were held: alone, because a status line reads nothing else of them. */
import { evidenceStore } from '../store/evidence.ts';
import { type HeldPush, heldPushStore } from '../store/held-pushes.ts';
import type { Store } from '../store/open.ts';

/** Without git: those of which evidence that was recorded since says nothing better. */
export function notedPushes(store: Store, projectId: number, now: Date): HeldPush[] {
  const evidence = evidenceStore(store);
  const isVerified = ({ fingerprint }: HeldPush['features'][number]): boolean => {
    const last = evidence.ofContent(projectId, fingerprint).at(0);
    if (last === undefined || last.kind === 'failed') return false;
    return last.expiresAt === null || last.expiresAt > now;
  };
  return heldPushStore(store)
    .ofProject(projectId)
    .filter(({ features }) => !features.every(isVerified));
}
