/**
 * Checks in advance whether lanes that are being worked on fit together: merges their newest states
 * in pairs, and validates the merges of pairs that are related while the machine has nothing more
 * urgent to do. Tells lanes of conflicts, and of changes to files that they read. No working tree of a
 * lane is touched.
 */
import { actorOf } from '../../agents/actor.ts';
import type { Git } from '../../git/git.ts';
import { isAncestor, mergeTrees, moveRef, refAt, treeOf } from '../../git/plumbing.ts';
import { attemptStore } from '../../store/attempts.ts';
import {
  type Composition,
  type CompositionKey,
  compositionStore,
} from '../../store/integrations.ts';
import { laneEventStore, laneNewsStore, READ_CHANGED } from '../../store/lane-events.ts';
import type { Validation } from '../../store/lane-validations.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import type { Run } from '../../store/runs.ts';
import { outsideTouches } from '../checkout/touches.ts';
import { touchNews } from '../messages/news.ts';
import { addLaneEvent, type LaneContext } from '../model/context.ts';
import { headsOf, type LaneHead, type OpenConflict, openConflicts } from './open-conflicts.ts';
import { lanesInside, proofCommands, prove, type Question } from './prove.ts';
import { compositionRefs, hasFreeSlot, type Probe, takePurposeLock } from './purpose.ts';
import { related, sidesOf } from './related.ts';
import { gitOfRun } from './repository.ts';
import { mergeOrResolve, resolve } from './resolve.ts';

/**
 * Records how the lane's newest state fits together with each of the others'.
 *
 * @returns whether a validation is left, because no slot was free.
 */
export async function probeCompositions(context: LaneContext, probe: Probe): Promise<boolean> {
  const { run, signal } = probe;
  const known = openConflicts(context, run.id);
  const git = gitOfRun(context, run);
  const pairs = await pairsOf(context, git, probe);
  for (const pair of pairs) {
    signal.throwIfAborted();
    await merge(context, git, probe, pair);
  }
  tellChanges(context, run, known);
  return await validateWhatMay(context, git, probe, pairs);
}

/** The lane that was added first comes first, so that a pair has one name. */
interface LanePair {
  readonly key: CompositionKey;
  readonly a: LaneHead;
  /** Without a lane: the tip of the integration. */
  readonly b: Pick<LaneHead, 'sha'> & { readonly lane: LaneView | undefined };
}

/** One lane's newest state with each of the others', and with the tip if there is one. */
async function pairsOf(
  context: LaneContext,
  git: Git,
  { run, laneId, sha }: Probe,
): Promise<LanePair[]> {
  const lane = laneStore(context.store).byId(laneId);
  if (lane === undefined) return [];
  const own = { lane, sha };
  const pairOf = (a: LaneHead, b: LanePair['b']): LanePair => {
    return { a, b, key: { runId: run.id, aLaneId: a.lane.id, aSha: a.sha, bSha: b.sha } };
  };
  const pairs = headsOf(context, run.id)
    .filter((it) => it.lane.id !== laneId)
    .map((it) => (it.lane.position < lane.position ? pairOf(it, own) : pairOf(own, it)));
  const tip = await refAt(git, run.integrationRef);
  if (tip === undefined || tip === run.baseSha) return pairs;
  return [...pairs, pairOf(own, { lane: undefined, sha: tip })];
}

async function merge(
  context: LaneContext,
  git: Git,
  { run }: Probe,
  { key, a, b }: LanePair,
): Promise<void> {
  const { store, now } = context;
  const compositions = compositionStore(store);
  if (compositions.find(key) !== undefined) return;
  const record = (found: Pick<Composition, 'tree' | 'conflicts' | 'related'>): void => {
    const bLaneId = b.lane?.id ?? null;
    const composition = { ...key, bLaneId, ...found, validationId: null, at: now() };
    store.write(() => compositions.add(composition));
  };
  for (const [less, more] of [
    [a.sha, b.sha],
    [b.sha, a.sha],
  ] as const) {
    // One contains the other, so the merge is the larger one.
    if (await isAncestor(git, less, more)) {
      return record({ tree: await treeOf(git, more), conflicts: [], related: false });
    }
  }
  const { tree, conflicts } = await mergeTrees(git, a.sha, b.sha);
  const sides = { ours: a.sha, theirs: b.sha, message: '' };
  const found =
    conflicts.length === 0
      ? undefined
      : await resolve({ git, env: context.env, sides, paths: conflicts });
  const resolved = found?.tree;
  if (conflicts.length > 0 && resolved === undefined) {
    return record({ tree, conflicts, related: true });
  }
  const head = { sha: a.sha, reads: a.lane.spec.reads };
  const other = { sha: b.sha, reads: b.lane?.spec.reads ?? [] };
  const [ours, theirs] = await sidesOf(git, head, other);
  if (b.lane !== undefined) {
    tellReader(context, run, a.lane, { by: b.lane, changed: theirs.changed });
    tellReader(context, run, b.lane, { by: a.lane, changed: ours.changed });
  }
  const isRelated = resolved !== undefined || related(ours, theirs);
  record({ tree: resolved ?? tree, conflicts: [], related: isRelated });
}

/**
 * Uses only a slot that is free now and the scratch tree if it is not in use, so nothing waits for it.
 *
 * @returns whether a pair could not be validated now.
 */
async function validateWhatMay(
  context: LaneContext,
  git: Git,
  probe: Probe,
  pairs: readonly LanePair[],
): Promise<boolean> {
  const { run } = probe;
  const due = pairs.filter((pair) => isDue(context, pair));
  if (due.length === 0) return false;
  if (!hasFreeSlot(context, probe)) return true;
  const lock = takePurposeLock(context.store.home, 'composition', run);
  if (lock === undefined) return true;
  let isLeft = false;
  try {
    for (const pair of due) {
      // The previous holder of the lock may have validated it.
      if (!isDue(context, pair)) continue;
      if (hasFreeSlot(context, probe)) {
        const known = openConflicts(context, run.id);
        await validate(context, git, probe, pair);
        tellChanges(context, run, known);
      } else isLeft = true;
    }
    return isLeft;
  } finally {
    lock.release();
  }
}

function isDue({ store }: LaneContext, { key }: LanePair): boolean {
  const found = compositionStore(store).find(key);
  if (found === undefined || found.validationId !== null) return false;
  return found.related && found.conflicts.length === 0;
}

/** After every validation that something waits for. */
const PRIORITY = -10;

async function validate(
  context: LaneContext,
  git: Git,
  { run, signal, slots }: Probe,
  pair: LanePair,
): Promise<void> {
  const { a, b } = pair;
  const other = b.lane?.key ?? 'integration';
  const message = `Merge ${a.lane.key} and ${other} of ${run.name} to try them together`;
  const sides = { ours: a.sha, theirs: b.sha, message };
  const merged = await mergeOrResolve({ git, env: context.env, sides });
  if (merged.kind === 'conflict') return;
  // Protects the commit from git's garbage collection while it is being validated.
  const ref = `${compositionRefs(run)}${a.lane.key}+${b.lane?.key ?? '@tip'}`;
  const before = (await refAt(git, ref)) ?? '';
  await moveRef(git, ref, merged.commit, before, 'lanehold: a composition');
  const verdict = await verdictOn(pair, {
    ...{ context, run, base: run.baseSha, priority: PRIORITY, signal, slots },
    ...({ purpose: 'composition', evidence: 'content' } as const),
    sha: merged.commit,
    commands: proofCommands([
      a.lane,
      ...(b.lane === undefined ? lanesInside(context, run) : [b.lane]),
    ]),
  });
  if (verdict === undefined) return;
  const { id } = verdict;
  context.store.write(() => compositionStore(context.store).setValidation(pair.key, id));
}

/**
 * The verdict on the merge; if it fails, that of a side that fails alone, as unfinished work may. A
 * side that lacks the files of the other's command has not failed because it cannot run it.
 */
async function verdictOn({ a, b }: LanePair, question: Question): Promise<Validation | undefined> {
  const proof = await prove(question);
  if (proof.kind === 'pass') return [...proof.by.values()].at(-1);
  if (proof.kind === 'unclear') return proof.validation;
  const { cmdHash } = proof.validation;
  const { base } = question;
  const commands = question.commands.filter((it) => it.cmdHash === cmdHash);
  for (const { sha, lane } of [a, b]) {
    const alone = await prove({ ...question, sha, commands });
    if (alone.kind === 'pass') continue;
    const isItsOwn = lane === undefined || lane.cmdHash === cmdHash;
    const onBase = isItsOwn || (await prove({ ...question, sha: base, commands })).kind === 'pass';
    if (onBase) return alone.validation;
  }
  return proof.validation;
}

/** One event for each new conflict, and for each that is resolved. */
function tellChanges(context: LaneContext, run: Run, known: readonly OpenConflict[]): void {
  const present = openConflicts(context, run.id);
  const before = new Set(known.map(identity));
  const news = present.filter((it) => !before.has(identity(it)));
  const pairs = new Set(present.map(({ lanes }) => `${lanes}`));
  const gone = known.filter(({ lanes }) => !pairs.has(`${lanes}`));
  if (news.length + gone.length === 0) return;
  const { store, now } = context;
  const tell = (it: OpenConflict, conflict: 'text' | 'validation' | 'resolved'): void => {
    const { lanes: pair, paths, command, failures, shas, log } = it;
    const lanes = [pair[0], pair[1] ?? null];
    const event = {
      runId: run.id,
      laneId: laneStore(store).byKey(run.id, pair[0])?.id,
      type: 'composition',
      data: { conflict, lanes, paths, command, failures, shas, log },
      by: actorOf(context).name,
    };
    laneEventStore(store).add(event, now());
  };
  store.write(() => {
    for (const it of news) tell(it, it.kind);
    for (const it of gone) tell(it, 'resolved');
  });
  const keys = new Set(news.flatMap(({ lanes }) => lanes));
  const ids = laneStore(store)
    .ofRun(run.id)
    .flatMap(({ id, key }) => (keys.has(key) ? [id] : []));
  wakeWorkers(store, run.id, ids);
}

function identity({ lanes, kind, paths, command, failures }: OpenConflict): string {
  return JSON.stringify([lanes, kind, paths, command, failures]);
}

/** @param changed files that the other lane has changed. */
function tellReader(
  context: LaneContext,
  run: Run,
  reader: LaneView,
  { by, changed }: { readonly by: LaneView; readonly changed: readonly string[] },
): void {
  const { reads } = reader.spec;
  if (reads.length === 0 || changed.length === 0) return;
  const { store } = context;
  const other = new Set(outsideTouches(changed, reads));
  const told = new Set(
    laneNewsStore(store)
      .changes(reader.id, null)
      .flatMap((it) => (it.with === by.key ? it.paths : [])),
  );
  const paths = changed.filter((path) => !other.has(path) && !told.has(path));
  if (paths.length === 0) return;
  const event = { type: READ_CHANGED, data: { with: by.key, paths }, by: actorOf(context).name };
  store.write(() => addLaneEvent(context, reader, event));
  wakeWorkers(store, run.id, [reader.id]);
}

/**
 * Makes the workers of these lanes check for news at their next tool call. Call it after the
 * transaction that stored them.
 */
function wakeWorkers(store: Store, runId: string, laneIds: readonly string[]): void {
  for (const { laneId, dir } of attemptStore(store).liveOfRun(runId)) {
    if (laneIds.includes(laneId)) touchNews(dir);
  }
}
