/**
 * Pushes that were held and have not gone through since: of any branch or tag, not only of what is
 * checked out. Hooks note them; each command that may ask git judges the same push again.
 */

import { attempt } from '../base/errors.ts';
import type { Git } from '../base/git/git.ts';
import { isOid } from '../base/git/tree-entry.ts';
import { redact } from '../base/text/redact/redact.ts';
import type { Look } from '../features/comparison.ts';
import type { Workspace } from '../features/workspace.ts';
import { type HeldPush, heldPushStore } from '../store/held-pushes.ts';
import { forUpdates, NOTHING_EARLIER } from './compare.ts';
import { CannotTellError } from './errors.ts';
import { parsePushArguments, planPush } from './git/push-updates.ts';
import type { HeldFeature, Hold, JudgedRef } from './hold.ts';

export function notePushes(
  { store, projectId }: Workspace,
  { pushes }: Pick<Hold, 'pushes'>,
  now: Date,
): void {
  const noted = heldPushStore(store);
  const known = new Set(noted.ofProject(projectId).map(nameOf));
  // Whether the push of a commit has been given up, as by deleting a branch, cannot be known.
  const changes = pushes.filter(
    (it) => (it.held.length > 0 && isPlain(it) && !isOid(it.source)) || known.has(nameOf(it)),
  );
  if (changes.length === 0) return;
  const note = () => {
    for (const { held, ...ref } of changes) {
      if (held.length === 0) noted.settle(projectId, ref.remote, ref.destination);
      else noted.put({ projectId, ...ref, features: held, at: now });
    }
  };
  // The answer of the hook does not depend on the note.
  attempt(() => store.writeLast(note));
}

/** An address may contain a password and is then not stored: such a push cannot be judged again. */
function isPlain({ remote, source, destination }: JudgedRef): boolean {
  return [remote, source, destination].every((it) => redact(it) === it);
}

const nameOf = ({ remote, destination }: Pick<JudgedRef, 'remote' | 'destination'>): string =>
  `${remote} ${destination}`;

export interface StillHeld extends Omit<HeldPush, 'features'> {
  readonly features: readonly HeldFeature[];
}

/** Judges each noted push as it is now, and changes no note. Nothing is held of a push that would go through. */
export async function judgedPushes(look: Look, now: Date): Promise<StillHeld[]> {
  const { git, store, projectId } = look;
  const noted = heldPushStore(store).ofProject(projectId).slice(0, MOST_JUDGED);
  if (git === undefined) return [];
  const judged: StillHeld[] = [];
  for (const push of noted) {
    judged.push({ ...push, features: await heldOf(push, { ...look, git }, now) });
  }
  return judged;
}

/**
 * The pushes that are still held. Forgets those that would go through.
 *
 * @param shown what is held of the working tree; a push that is held for nothing else is left out.
 */
export function heldPushes(
  { store, projectId }: Workspace,
  judged: readonly StillHeld[],
  shown: readonly Pick<HeldFeature, 'name' | 'fingerprint'>[],
): StillHeld[] {
  const known = new Set(shown.map(({ name, fingerprint }) => `${name} ${fingerprint}`));
  const found: StillHeld[] = [];
  for (const push of judged) {
    const { remote, destination, features } = push;
    if (features.length === 0) {
      const settle = () => void heldPushStore(store).settle(projectId, remote, destination);
      attempt(() => store.writeLast(settle));
    } else if (!features.every((it) => known.has(`${it.name} ${it.fingerprint}`))) {
      found.push(push);
    }
  }
  return found;
}

/** Judging a push starts git several times. */
const MOST_JUDGED = 8;

/** What is held of a noted push: nothing if the branch is gone, or the remote has its commit. */
async function heldOf(
  { remote, source, destination }: HeldPush,
  look: Look & { readonly git: Git },
  now: Date,
): Promise<readonly HeldFeature[]> {
  const { holdOn } = await import('./hold.ts');
  try {
    const named = { remote, refspecs: [`${source}:${destination}`], submodules: 'no' };
    const { git, snapshot } = look;
    const refs = await snapshot.refs();
    const { updates } = await planPush(git, refs, { ...parsePushArguments([]), ...named }, false);
    const compared = await forUpdates(git, refs, remote, updates, NOTHING_EARLIER);
    return (await holdOn(look, compared, now, ({ kinds }) => kinds.push)).features;
  } catch (error) {
    if (error instanceof CannotTellError) return [];
    throw error;
  }
}
