/**
 * The merge queue: verified lanes are merged onto the run's tip without using any lane's working tree,
 * and the tip moves only to a commit on which every validation has passed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { actorOf } from '../../agents/actor.ts';
import { ExplainedError } from '../../base/errors.ts';
import type { Git } from '../../base/git/git.ts';
import { isAncestor, refAt } from '../../base/git/plumbing.ts';
import { shortRef } from '../../base/text/printable.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { INTEGRATION_ENDED, laneEventStore } from '../../store/lane-events.ts';
import { type LaneView, laneStore, type Run } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import { gitOfRun, type LaneContext } from '../spec/context.ts';
import { assertOpen, leftOf } from '../spec/edit.ts';
import { acceptFlags, flagWords, isToBeLookedAt, stoppingFlags } from '../spec/flags.ts';
import { is, waysOn } from '../spec/lane-states.ts';
import { rivalsOf } from '../spec/tries.ts';
import { goneWords, noteTarget, takenOut } from '../stand/taken-out.ts';
import { moveTip, putAside, tipOf } from '../stand/tip.ts';
import { scratchTree } from '../tree/scratch-tree.ts';
import { unsignedOnce } from '../tree/sign.ts';
import {
  enqueue,
  LANE_TRAILER,
  lanesToIntegrate,
  type Member,
  recoverQueue,
  trailersOf,
  withdraw,
  withdrawOpen,
} from './queue.ts';
import { type Findings, type Round, runRound, type SharedTip } from './round.ts';
import { noteTakenBack } from './taken-back.ts';

export interface IntegrateOptions {
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
  /** Keys; by default every verified lane. */
  readonly lanes?: readonly string[];
  readonly accept?: readonly string[];
  /** Takes only the changes of lanes whose history has commits that were removed from the target. */
  readonly rebase?: boolean | undefined;
  /** Absent if only this machine integrates the run. */
  readonly shared?: SharedTip | undefined;
}

/** The number of times that others may move the tip before it is reported. */
const MAX_ROUNDS = 10;
const POLL_MS = 200;

export async function integrate(context: LaneContext, run: Run, options: IntegrateOptions) {
  if (run.intent === 'closed' && leftOf(context, run).length > 0) {
    throw new ExplainedError(`run ${run.name} is closed`, {
      hint: `open it again: \`lanehold orchestrate resume --run ${run.name}\``,
    });
  }
  assertOpen(run);
  const { store, now } = context;
  const { signal } = options;
  const steps: string[] = [];
  const progress = (line: string): void => {
    steps.push(redact(line));
    options.progress(line);
  };
  const { take } = scratchTree(store.home, 'integration', run);
  let lock = take();
  if (lock === undefined) options.progress('waiting for another integration of this run');
  while (lock === undefined) {
    await sleep(POLL_MS, undefined, { signal });
    lock = take();
  }
  try {
    return await integrateLocked(context, run, { ...options, progress });
  } finally {
    withdrawOpen(context, run, signal.aborted ? 'interrupted' : 'the integration has failed');
    const by = actorOf(context).name;
    const event = { runId: run.id, type: INTEGRATION_ENDED, data: { steps }, by };
    if (steps.length > 0) store.write(() => laneEventStore(store).add(event, now()));
    lock.release();
  }
}

async function integrateLocked(context: LaneContext, run: Run, options: IntegrateOptions) {
  const git = gitOfRun(context, run);
  await options.shared?.fetch();
  const from = await withoutTakenOut(context, run, git, options.progress);
  await recoverQueue(context, run, (sha) => isAncestor(git, sha, from));
  const culprits: Findings['culprits'] = [];
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds += 1) {
    const found: Findings = {
      tip: await ownTip(context, run, git, options.progress),
      integrated: [],
      conflicts: [],
      culprits,
      withheld: [],
      target: { state: 'current', ref: run.targetRef },
      gone: undefined,
      stopped: undefined,
    };
    const ended = (await oneRound({ context, run, git, found, ...options })) === 'ended';
    const unsigned = unsignedOnce(context, run, git);
    if (unsigned !== undefined) options.progress(`commits are not signed: ${unsigned}`);
    // A tip that was moved here alone, or before a kill, is not on the remote yet.
    if (ended && (await options.shared?.push(found.tip)) !== 'lost') {
      return { run: run.name, from, ...found, unfinished: unfinishedIn(context, run, found) };
    }
    withdrawOpen(context, run, 'the tip was moved from elsewhere');
    await options.shared?.fetch();
    const tip = await ownTip(context, run, git, options.progress);
    await recoverQueue(context, run, (sha) => isAncestor(git, sha, tip));
  }
  throw new ExplainedError(`the tip of ${run.name} is moved again and again from elsewhere`, {
    hint: `see who moves ${run.integrationRef}`,
  });
}

/** The tip, made again from the target if it contains commits that were removed from there. */
async function withoutTakenOut(
  context: LaneContext,
  run: Run,
  git: Git,
  progress: IntegrateOptions['progress'],
): Promise<string> {
  await noteTakenBack(context, run);
  const target = await refAt(git, run.targetRef);
  const tip = await ownTip(context, run, git, progress);
  const back = await (await takenOut(context, run, git))(tip);
  if (target === undefined || back.length === 0) return tip;
  progress(`the tip had ${await goneWords(git, run, back)}: it begins anew without`);
  const reason = `lanehold: without what was taken out of ${run.targetRef}`;
  await moveTip(context, run, git, { to: target, from: tip, reason });
  return ownTip(context, run, git, progress);
}

/** The tip: created at the base if it is missing, and moved back if somebody else has moved it. */
async function ownTip(
  context: LaneContext,
  run: Run,
  git: Git,
  progress: IntegrateOptions['progress'],
): Promise<string> {
  const { tip, stray } = await tipOf(context, run, git);
  if (stray) for (const line of await putAside(context, run, git, stray)) progress(line);
  if (tip !== undefined) return tip;
  const reason = `lanehold: begin the integration of ${run.name}`;
  await moveTip(context, run, git, { to: run.baseSha, from: '', reason });
  return run.baseSha;
}

async function oneRound(
  round: Omit<Round, 'base'> & Pick<IntegrateOptions, 'lanes' | 'accept' | 'rebase' | 'shared'>,
) {
  const { context, run, git, progress, found, accept: kinds = [] } = round;
  const { store, now } = context;
  const target = await refAt(git, run.targetRef);
  if (target !== undefined) noteTarget(context, run, target);
  const isBehind = target !== undefined && !(await isAncestor(git, target, found.tip));
  const wanted = lanesToIntegrate(store, run, found.tip, round.lanes);
  for (const lane of wanted) acceptFlags(store, lane, { by: 'lanes.accept', kinds, now: now() });
  const all = laneStore(store).ofRun(run.id);
  const free = wanted.filter(
    (lane) => !isToBeLookedAt(store, lane) && rivalsOf(lane, all).length === 0,
  );
  for (const lane of wanted.filter((it) => !free.includes(it))) {
    found.withheld.push(withheldFor(store, run, lane));
  }
  const fresh = round.shared ? await withoutMerged(round, free) : free;
  const members = await withoutGone(round, enqueue(context, run, fresh));
  if (members.length > 0) progress(`queued ${members.map(({ name }) => name).join(', ')}`);
  // If nothing waits to land, the tip need not be updated.
  if (isBehind && (members.length > 0 || !(await isAncestor(git, found.tip, target)))) {
    const name = shortRef(run.targetRef);
    const message = `Merge ${name} into ${run.name}`;
    members.unshift({ name, sha: target, message, refused: new Set() });
  }
  return runRound({ ...round, base: target ?? run.baseSha }, members);
}

/** Holds lanes of which the tip has other work: another integrator has merged another machine's result. */
async function withoutMerged(
  { run, git, found }: Parameters<typeof oneRound>[0],
  lanes: readonly LaneView[],
): Promise<LaneView[]> {
  const format = `--format=%P%x00%(trailers:key=${LANE_TRAILER},valueonly,separator=%x2C)`;
  const log = await git.text(['log', '--merges', format, `${run.baseSha}..${found.tip}`, '--']);
  const merged = log.split('\n').map((line) => line.split(/[ \0]/));
  const left: LaneView[] = [];
  for (const lane of lanes) {
    const others = merged.filter(([, , id]) => id === lane.id).map(([, theirs = '']) => theirs);
    const isOther = async (sha: string) =>
      !(await isAncestor(git, sha, lane.headSha ?? '')) &&
      !(await isAncestor(git, lane.headSha ?? '', found.tip));
    const all = await Promise.all(others.map(isOther));
    if (!all.includes(true)) left.push(lane);
    else found.withheld.push({ lane: lane.key, why: 'the tip has other work of it' });
  }
  return left;
}

/** Holds members with removed commits in their history, or takes only their change. */
async function withoutGone(
  { context, run, git, found, rebase = false }: Parameters<typeof oneRound>[0],
  members: readonly Member[],
): Promise<Member[]> {
  const left: Member[] = [];
  const goneIn = await takenOut(context, run, git);
  for (const member of members) {
    const gone = await goneIn(member.sha);
    const { lane, row } = member.queued ?? {};
    if (gone.length === 0) left.push(member);
    else if (rebase && lane !== undefined)
      left.push(withoutHistory(context.store, run, member, lane));
    else {
      const words = await goneWords(git, run, gone);
      const why = `it would bring back ${words}`;
      if (row !== undefined) withdraw(context, row, why);
      found.withheld.push({ lane: member.name, why });
      found.gone = words;
    }
  }
  return left;
}

function withoutHistory(
  store: Store,
  run: Run,
  member: Member,
  { id, key, spec, baseSha }: LaneView,
): Member {
  const message = `Lane ${key} of ${run.name}\n\n${spec.desc}${trailersOf(store, id)}`;
  return { ...member, message, since: baseSha ?? run.baseSha };
}

/** Why the lane has to wait for a person, and the commands to choose from. */
function withheldFor(store: Store, run: Run, lane: LaneView): Findings['withheld'][number] {
  const { key, state, spec } = lane;
  const isTry = rivalsOf(lane, laneStore(store).ofRun(run.id)).length > 0;
  const task = isTry ? spec.tries?.of : undefined;
  const flags = stoppingFlags(store, lane).map(flagWords).join(', ');
  const why = isTry ? 'one of several tries' : `to be looked at: ${flags}`;
  const next = waysOn({ key, state, task, isStopped: true }, ` --run ${run.name}`);
  return { lane: key, why, next };
}

/** Lanes that are not verified, or were refused before, with their states. */
function unfinishedIn({ store }: LaneContext, run: Run, found: Findings) {
  const refused = [...found.culprits, ...found.conflicts, ...found.withheld];
  const reported = new Set(refused.map(({ lane }) => lane));
  return laneStore(store)
    .ofRun(run.id)
    .filter(({ key, state }) => state !== 'verified' && !is('over', state) && !reported.has(key))
    .map(({ key, state }) => ({ lane: key, state }));
}
