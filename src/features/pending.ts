/**
 * Pending verifications: features that were touched in a working tree and are not verified there. Hooks note them when
 * they see an edit, without git; each command that asks git confirms or removes them. They can therefore be shown at
 * once. What is held is computed from git all the same.
 */
import { attempt } from '../base/errors.ts';
import { enumerated, printableLine } from '../base/text/printable.ts';
import { type Cause, type PendingVerification, pendingStore } from '../store/pending.ts';
import type { Workspace } from './workspace.ts';

export interface Toucher {
  readonly cause: Cause;
  readonly command: string | null;
  readonly agent: string;
  readonly session: string;
}

const UNKNOWN: Toucher = { cause: 'git', command: null, agent: '', session: '' };

/** Feature names, each with a changed file that concerns it. */
type Touched = ReadonlyMap<string, string>;

/** Notes an edit. Call it inside a write. */
export function noteTouched(
  { store, projectId, place }: Workspace,
  touched: Touched,
  by: Toucher,
  now: Date,
): void {
  const pending = pendingStore(store);
  for (const [feature, path] of touched) {
    pending.touch({ projectId, worktree: place.root, feature, path, ...by }, now);
  }
}

/**
 * Updates the notes of a working tree with what a comparison has found; the note of a feature that
 * stays pending is kept. A noted feature is settled if it needs no verification any more.
 */
export function reconcilePending(
  workspace: Workspace,
  { held, isSettled }: { readonly held: Touched; readonly isSettled: (feature: string) => boolean },
  now: Date,
  by: Toucher = UNKNOWN,
): void {
  const { store } = workspace;
  const noted = new Set(pendingIn(workspace).map(({ feature }) => feature));
  const settled = [...noted].filter((feature) => !held.has(feature) && isSettled(feature));
  const found = new Map([...held].filter(([feature]) => !noted.has(feature)));
  if (settled.length === 0 && found.size === 0) return;
  const write = () => {
    for (const feature of settled) settlePending(workspace, feature);
    noteTouched(workspace, found, by, now);
  };
  // The answer does not depend on the note, and the next comparison writes it again.
  attempt(() => store.writeLast(write));
}

/** Removes a note; the next edit of the feature is announced again. Call it inside a write. */
export function settlePending({ store, projectId, place }: Workspace, feature: string): void {
  pendingStore(store).settle(projectId, place.root, feature);
}

export function pendingIn({ store, projectId, place }: Workspace): PendingVerification[] {
  return pendingStore(store).ofWorktree(projectId, place.root);
}

/** The subject under which it is recorded that a session was shown a pending feature. */
export function pendingSubject(projectId: number, feature: string): string {
  return `pending ${projectId} ${feature}`;
}

/** The change that made a feature pending, and its session: `src/cart/add.ts, by `sed``. */
export function touchText(it: PendingVerification, session?: string): string {
  const path = printableLine(it.path, 120);
  if (it.cause === 'git') return path;
  const other = session !== undefined && session !== it.session;
  if (it.cause === 'edit') return other ? `${path}, by another session` : path;
  const how = it.command === null ? 'a command' : `\`${it.command}\``;
  return `${path}, by ${how}${other ? ' in another session' : ''}`;
}

const MOST_LISTED = 3;

/** Some features, each with the change that touched it. @param session the session that reads it. */
export function pendingSummary(pending: readonly PendingVerification[], session?: string): string {
  const list = pending.map((it) => `${it.feature} (${touchText(it, session)})`);
  return enumerated(list, MOST_LISTED);
}
