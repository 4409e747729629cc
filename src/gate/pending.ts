/** Computes what would be held if a tree left now, without a boundary. */
import type { GatePolicy } from '../base/config/policy.ts';
import {
  type Assessed,
  assess,
  assessNamed,
  changedFileOf,
  hasNoFiles,
} from '../features/assess.ts';
import { type Look, lookAt, policyAt, type Subject } from '../features/comparison.ts';
import { reconcilePending } from '../features/pending.ts';
import { worktreeRegistry } from '../features/registry.ts';
import { runningVerifications } from '../features/running.ts';
import type { Workspace } from '../features/workspace.ts';
import { ordinaryComparison } from './compare.ts';
import { MOST_NAMES } from './denial.ts';
import type { Hold } from './hold.ts';

export async function policyInForce(workspace: Workspace): Promise<GatePolicy> {
  return policyAt(workspace, await ordinaryComparison(workspace.git, { kind: 'worktree' }));
}

/**
 * Compares the working tree with what its upstream branch has, and updates the notes of pending
 * features. The result has the commit that is checked out, and whether a push could send any of it.
 */
export async function assessPending(look: Look, now: Date) {
  const { git, snapshot } = look;
  // What takes git longest is started first.
  const reading = [snapshot.status(), snapshot.index(), snapshot.hidden()];
  const comparing = ordinaryComparison(git, { kind: 'worktree' }, snapshot);
  const [comparison] = await Promise.all([comparing, ...reading]);
  const assessment = await assess(look, comparison, now);
  const held = new Map(
    assessment.held.map((it) => [it.feature.name, changedFileOf(assessment, it)]),
  );
  const mayLeave = await noteHeld(look, held, now);
  return { ...assessment, mayLeave, head: (await snapshot.status()).head };
}

/** Notes what git finds to be held, unless untracked files are the only reason: no push sends them. */
async function noteHeld(look: Look, held: ReadonlyMap<string, string>, now: Date) {
  const { changes, isPushed } = await look.snapshot.status();
  const mayLeave = !isPushed || changes.some((it) => !it.untracked);
  const isSettled = (name: string) => !held.has(name);
  reconcilePending(look, { held: mayLeave ? held : new Map(), isSettled }, now);
  return mayLeave;
}

/**
 * Why a tree would be held; for the working tree, the notes of pending features are updated. The working tree includes
 * the commit that is checked out, if it differs: an ordinary push sends that one.
 */
export async function pendingHold(look: Look, subject: Subject, now: Date): Promise<Hold> {
  const { holdOn, joinHolds } = await import('./hold.ts');
  const { git, snapshot } = look;
  const comparison = await ordinaryComparison(git, subject, snapshot);
  const hold = await holdOn(look, [comparison], now);
  if (subject.kind !== 'worktree') return hold;
  const held = new Map(hold.features.map(({ name, changedFile }) => [name, changedFile]));
  await noteHeld(look, held, now);
  const { head, changes } = await snapshot.status();
  if (head === undefined || changes.length === 0) return hold;
  const commit = { kind: 'revision', oid: head } as const;
  const committed = await ordinaryComparison(git, commit, snapshot);
  return joinHolds(hold, await holdOn(look, [committed], now));
}

/**
 * The features of a verification, as the registry of the tree defines them. A definition that a
 * change is about to weaken is added, because the gate asks for it as well.
 */
export async function selectFeatures(
  workspace: Workspace,
  subject: Subject,
  names: readonly string[] | 'pending',
  now: Date,
): Promise<readonly Assessed[]> {
  const comparison = await ordinaryComparison(workspace.git, subject);
  const look = lookAt(workspace);
  const { held, policy, registries } = await assess(look, comparison, now);
  if (names === 'pending') return held;
  const heldToo = held.filter(({ feature }) => names.includes(feature.name));
  const known = new Set(heldToo.map(({ feature }) => feature.name));
  const missing = new Set(names.filter((name) => !known.has(name)));
  const { features } = registries.subject;
  const limit = { now, maxAgeMs: policy.maxAgeMs };
  const others = await assessNamed(look, subject, { names: missing, features }, limit);
  return [...heldToo, ...others];
}

/** The facts that a denial gives besides the hold. */
export async function refusalFacts(workspace: Workspace, { features }: Hold, now: Date) {
  const isLong = features.length > MOST_NAMES;
  const { held } = isLong ? await assessPending(lookAt(workspace), now) : { held: [] };
  const pending = new Set(held.map(({ feature }) => feature.name));
  return { now, pending, running: runningVerifications(workspace) };
}

/**
 * The named features that may not be changed freely. A feature of lanehold.json is free if no base
 * has it, or if it has no files left: the base's definition is held all the same. A feature of this
 * machine is free for a person, and for an agent if an agent has added it.
 */
export async function guardedAmong(
  workspace: Workspace,
  names: readonly (string | undefined)[],
  by: 'agent' | 'person',
  now: Date,
): Promise<ReadonlySet<string>> {
  const { features, local, byAgent } = await worktreeRegistry(workspace);
  const isOwn = (name: string): boolean =>
    local.has(name) && (by === 'person' || byAgent.has(name));
  const meant = names.includes(undefined) ? [...features.keys()] : names;
  const foreign = meant.filter((it) => it !== undefined && features.has(it) && !isOwn(it));
  if (foreign.length === 0) return new Set();
  const { held, registries } = await assessPending(lookAt(workspace), now);
  const heldHere = held.filter(({ feature }) => foreign.includes(feature.name));
  const isGuarded = async (it: Assessed) =>
    local.has(it.feature.name) ||
    (registries.ofOthers.has(it.feature.name) && !hasNoFiles(it, await it.entries()));
  const guarded = await Promise.all(heldHere.map(isGuarded));
  return new Set(heldHere.filter((_, at) => guarded[at]).map(({ feature }) => feature.name));
}
