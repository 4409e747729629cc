/**
 * Checks in advance whether unfinished lanes fit together: merges their newest states in pairs, and validates the
 * merges of pairs that are related while the machine has nothing more urgent to do. Tells lanes of conflicts. No
 * working tree of a lane is touched.
 */
import { actorOf } from '../../agents/actor.ts';
import type { Git } from '../../base/git/git.ts';
import type { Sides } from '../../base/git/merge.ts';
import { mergeTreesOf, treeOf } from '../../base/git/plumbing.ts';
import { attemptStore } from '../../store/attempts.ts';
import {
  type Composition,
  type CompositionKey,
  compositionStore,
} from '../../store/integrations.ts';
import { COMPOSITION, laneEventStore } from '../../store/lane-events.ts';
import type { Validation } from '../../store/lane-validations.ts';
import { type LaneView, laneStore, type Run } from '../../store/lanes.ts';
import { gitOfRun, type LaneContext } from '../spec/context.ts';
import { touchNews } from '../spec/signals.ts';
import { isSameTask } from '../spec/tries.ts';
import { hasTip, tipOf } from '../stand/tip.ts';
import { hasFreeSlot, scratchTree } from '../tree/scratch-tree.ts';
import {
  failsOn,
  type LaneTip,
  type OpenConflict,
  openConflicts,
  tipsApart,
} from './open-conflicts.ts';
import { areOfOneNumber, related, type Side, sameNumbers, sidesOf } from './related.ts';
import { mergeOrResolve, type Way } from './resolve.ts';
import {
  lanesInside,
  type MergeToValidate,
  mergeCommands,
  validateMerge,
} from './validate-merge.ts';

export interface Probe {
  readonly run: Run;
  readonly laneId: string;
  readonly sha: string;
  readonly slots?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Records how the lane's newest state fits together with each of the others'.
 *
 * @returns whether a validation is left, because no slot was free.
 */
export async function probeCompositions(context: LaneContext, probe: Probe): Promise<boolean> {
  const { run, signal } = probe;
  const it = { ...probe, context, git: gitOfRun(context, run) };
  const pairs = await pairsOf(it);
  await mergeAll(it, pairs);
  signal.throwIfAborted();
  tellChanges(context, run);
  return await validateWhatMay(it, pairs);
}

interface Probing extends Probe {
  readonly context: LaneContext;
  readonly git: Git;
}

/** The lane that was added first comes first, so that a pair has one name. */
interface LanePair {
  readonly key: CompositionKey;
  readonly a: LaneTip;
  /** The other lane; without one it is the tip of the integration. */
  readonly b: Pick<LaneTip, 'sha'> & { readonly lane: LaneView | undefined };
}

/** One lane's newest state with each of the others', and with the tip if there is one. */
async function pairsOf({ context, git, run, laneId, sha }: Probing) {
  const lane = laneStore(context.store).byId(laneId);
  if (lane === undefined) return [];
  const own = { lane, sha };
  const pairOf = (a: LaneTip, b: LanePair['b']): LanePair => {
    return { a, b, key: { runId: run.id, aLaneId: a.lane.id, aSha: a.sha, bSha: b.sha } };
  };
  const pairs = tipsApart(context, run.id)
    .filter((it) => it.lane.id !== laneId && !isSameTask(it.lane, lane))
    .map((it) => (it.lane.position < lane.position ? pairOf(it, own) : pairOf(own, it)));
  const { tip } = hasTip(context, run) ? await tipOf(context, run, git) : {};
  if (tip === undefined || tip === run.baseSha) return pairs;
  return [...pairs, pairOf(own, { lane: undefined, sha: tip })];
}

function mergeOf({ name }: Run, { a, b }: LanePair): Sides {
  const other = b.lane?.key ?? 'integration';
  const message = `Merge ${a.lane.key} and ${other} of ${name} to try them together`;
  return { ours: a.sha, theirs: b.sha, message };
}

/** Merges all pairs: most merges are clean, and git makes these at once. */
async function mergeAll(it: Probing, pairs: readonly LanePair[]): Promise<void> {
  const { context, git } = it;
  const { store, now } = context;
  const compositions = compositionStore(store);
  const due = pairs.filter(({ key }) => compositions.find(key) === undefined);
  if (due.length === 0) return;
  const clean = await mergeTreesOf(
    git,
    due.map(({ a, b }) => [a.sha, b.sha]),
  );
  const merges: Awaited<ReturnType<typeof mergeOne>>[] = [];
  for (const [n, pair] of due.entries()) merges.push(await mergeOne(it, pair, clean?.[n]));
  const sides = await sidesOfPairs(it, due, merges);
  const rows: Parameters<typeof compositions.add>[0][] = [];
  for (const [n, { key, a, b }] of due.entries()) {
    const { tree = '', conflicts = [], isResolved = false } = merges[n] ?? {};
    const [ours = NO_SIDE, theirs = NO_SIDE] = sides[n] ?? [];
    const isClean = conflicts.length === 0;
    // If one contains the other, the merge is nothing new.
    const isNew = ours.changed.length > 0 && theirs.changed.length > 0;
    const mayShareNumbers = ours.changed.some((own) =>
      theirs.changed.some((it) => areOfOneNumber(it, own)),
    );
    rows.push({
      ...key,
      tree,
      conflicts: isClean && mayShareNumbers ? await sameNumbers(git, a.sha, b.sha) : conflicts,
      related: !isClean || (isNew && (isResolved || related(ours, theirs))),
      bLaneId: b.lane?.id ?? null,
      validationId: null,
      at: now(),
    });
  }
  store.write(() => rows.map((row) => compositions.add(row)));
}

/** The merge of a pair: by git alone, or by a way that resolves its conflict. */
async function mergeOne(
  { context, git, run, signal }: Probing,
  pair: LanePair,
  known: Pick<Composition, 'tree' | 'conflicts'> | undefined,
) {
  signal.throwIfAborted();
  if (known?.conflicts.length === 0) return { ...known, isResolved: false };
  const merged = await mergeOrResolve(git, context.env, mergeOf(run, pair));
  if (merged.kind === 'conflict')
    return { tree: merged.tree, conflicts: merged.paths, isResolved: false };
  const tree = await treeOf(git, merged.commit);
  return { tree, conflicts: [], isResolved: merged.resolution !== undefined };
}

const NO_SIDE: Side = { changed: [], mentions: [], reads: [] };

/** What each side of the pairs has changed; the first side is the probed lane. */
async function sidesOfPairs(
  { git, laneId }: Probing,
  pairs: readonly LanePair[],
  merges: readonly { readonly tree: string }[],
) {
  const headOf = ({ lane, sha }: LanePair['b']) => ({ sha, reads: lane?.spec.reads ?? [] });
  const isOwn = ({ lane }: LanePair['b']): boolean => lane?.id === laneId;
  const [own] = pairs.map(({ a, b }) => (isOwn(a) ? a : b));
  const others = pairs.map(({ a, b }, n) => {
    return { ...headOf(isOwn(a) ? b : a), tree: merges[n]?.tree ?? '' };
  });
  return own ? await sidesOf(git, headOf(own), others) : [];
}

/**
 * Uses only a slot that is free now and the scratch tree if it is not in use, so nothing waits for it.
 *
 * @returns whether a pair could not be validated now.
 */
async function validateWhatMay(it: Probing, pairs: readonly LanePair[]): Promise<boolean> {
  const { context, run, slots } = it;
  const { home } = context.store;
  const isDue = ({ key }: LanePair): boolean => {
    const found = compositionStore(context.store).find(key);
    return found?.validationId === null && found.related && found.conflicts.length === 0;
  };
  const due = pairs.filter(isDue);
  if (due.length === 0) return false;
  const lock = hasFreeSlot(home, slots) ? scratchTree(home, 'composition', run).take() : undefined;
  if (lock === undefined) return true;
  try {
    // The previous holder of the lock may have validated some of them.
    for (const pair of due.filter(isDue)) {
      if (!hasFreeSlot(home, slots)) return true;
      await validate(it, pair);
      tellChanges(context, run);
    }
    return false;
  } finally {
    lock.release();
  }
}

/** Validates a merge. If the result of one way to resolve a conflict fails, the next way is tried. */
async function validate(it: Probing, pair: LanePair): Promise<void> {
  const { context, git, run } = it;
  const { store, env } = context;
  const { key, a, b } = pair;
  const beside = b.lane === undefined ? lanesInside(context, run) : [b.lane];
  const commands = mergeCommands([a.lane, ...beside]);
  const judge = (tree: string, conflicts: readonly string[], verdict: Validation | undefined) => {
    const validationId = verdict?.id ?? null;
    store.write(() => compositionStore(store).judge({ ...key, tree, conflicts, validationId }));
  };
  const refused = new Set<Way>();
  let failed: Validation | undefined;
  for (;;) {
    const merged = await mergeOrResolve(git, env, mergeOf(run, pair), refused);
    if (merged.kind === 'conflict') return judge(failed?.tree ?? merged.tree, merged.paths, failed);
    const { commit: sha, resolution } = merged;
    const verdict = await verdictOn(pair, {
      ...it,
      purpose: 'composition',
      sha,
      base: run.baseSha,
      commands,
      evidence: 'content',
    });
    if (verdict === undefined) return;
    const tree = await treeOf(git, sha);
    if (resolution === undefined || !failsOn(verdict, tree)) return judge(tree, [], verdict);
    refused.add(resolution.way);
    failed = verdict;
  }
}

/**
 * The verdict on the merge; if it fails, that of a side that fails alone, as unfinished work may. A
 * side that lacks the files of the other's command has not failed because it cannot run it.
 */
async function verdictOn({ a, b }: LanePair, question: MergeToValidate) {
  const proof = await validateMerge(question);
  if (proof.kind === 'pass') return [...proof.by.values()].at(-1);
  if (proof.kind === 'unclear') return proof.validation;
  const { cmdHash } = proof.validation;
  const { base } = question;
  const commands = question.commands.filter((it) => it.cmdHash === cmdHash);
  for (const { sha, lane } of [a, b]) {
    const alone = await validateMerge({ ...question, sha, commands });
    if (alone.kind === 'pass') continue;
    const isItsOwn = lane === undefined || lane.cmdHash === cmdHash;
    const onBase =
      isItsOwn || (await validateMerge({ ...question, sha: base, commands })).kind === 'pass';
    if (onBase) return alone.validation;
  }
  return proof.validation;
}

type ConflictNews = Pick<OpenConflict, 'paths' | 'command' | 'failures' | 'shas' | 'log'> & {
  readonly conflict: OpenConflict['kind'] | 'resolved';
  readonly lanes: readonly (string | null)[];
};

/** Adds one event for each new or resolved conflict: other processes report them, too. */
function tellChanges(context: LaneContext, run: Run): void {
  const { store, now } = context;
  if (changesIn(context, run).length === 0) return;
  const lanes = laneStore(store).ofRun(run.id);
  const idsOf = (it: ConflictNews) =>
    lanes.filter(({ key }) => it.lanes.includes(key)).map(({ id }) => id);
  const by = actorOf(context).name;
  const changes = store.write(() => {
    const found = changesIn(context, run);
    for (const data of found) {
      const event = { runId: run.id, laneId: idsOf(data)[0], type: COMPOSITION, data, by };
      laneEventStore(store).add(event, now());
    }
    return found;
  });
  const news = changes.filter(({ conflict }) => conflict !== 'resolved');
  const told = new Set(news.flatMap(idsOf));
  // Workers look for news at their next tool call, and the news is stored only now.
  for (const { laneId, dir } of attemptStore(store).liveOfRun(run.id)) {
    if (told.has(laneId)) touchNews(dir);
  }
}

/** Conflicts that differ from those that were recorded last. */
function changesIn(context: LaneContext, run: Run): ConflictNews[] {
  const events = laneEventStore(context.store).ofType(run.id, COMPOSITION);
  const known = new Map(
    events.map(({ data }) => [`${data.lanes}`, data as unknown as ConflictNews]),
  );
  const open = openConflicts(context, run.id).map((it): ConflictNews => {
    const { lanes, kind: conflict, paths, command, failures, shas, log } = it;
    const pair = [lanes[0], lanes[1] ?? null];
    return { conflict, lanes: pair, paths, command, failures, shas, log };
  });
  const news = open.filter((it) => identity(it) !== identity(known.get(`${it.lanes}`)));
  const pairs = new Set(open.map(({ lanes }) => `${lanes}`));
  const apart = new Set<string | null>(tipsApart(context, run.id).map(({ lane }) => lane.key));
  const gone = [...known.values()].filter(
    ({ conflict, lanes }) =>
      conflict !== 'resolved' &&
      !pairs.has(`${lanes}`) &&
      lanes.every((key) => key === null || apart.has(key)),
  );
  return [...news, ...gone.map((it): ConflictNews => ({ ...it, conflict: 'resolved' }))];
}

const identity = (it: ConflictNews | undefined): string =>
  JSON.stringify([it?.conflict, it?.paths, it?.command, it?.failures]);
