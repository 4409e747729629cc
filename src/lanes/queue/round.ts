/**
 * One attempt to move the tip: merges everything, one member after the other, validates the merge, and bisects only
 * after a failure. One validation of the merge takes less time than one for each lane.
 */
import type { Git } from '../../base/git/git.ts';
import { commitsOf } from '../../base/git/history.ts';
import { mergeCommit, type Sides, sidesSince } from '../../base/git/merge.ts';
import {
  AUTHOR,
  commitTexts,
  commitTree,
  isAncestor,
  mergeTrees,
  treeOf,
} from '../../base/git/plumbing.ts';
import { enumerated, shortRef } from '../../base/text/printable.ts';
import type { Validation } from '../../store/lane-validations.ts';
import { type LaneView, laneStore, type Run } from '../../store/lanes.ts';
import { resolvedText } from '../fit/open-conflicts.ts';
import {
  BY_GIT,
  mergeOrResolve,
  type Resolution,
  type Resolved,
  type Way,
} from '../fit/resolve.ts';
import {
  integratedIn,
  integratedRows,
  isTipValidated,
  lanesInside,
  type MergeVerdict,
  mergeCommands,
  validateMerge,
} from '../fit/validate-merge.ts';
import type { ValidationCommand } from '../judge/clean-run.ts';
import type { LaneContext } from '../spec/context.ts';
import { move } from '../spec/edit.ts';
import { BASE_TESTS_FAILED, flagsOf } from '../spec/flags.ts';
import { moveTip } from '../stand/tip.ts';
import { authorOf } from '../tree/lane-commit.ts';
import { signedUnless } from '../tree/sign.ts';
import { askIfAgain, type Member, withdraw } from './queue.ts';

/** The tip as other machines have it. */
export interface SharedTip {
  /** Takes over what another integrator has added. */
  readonly fetch: () => Promise<void>;
  /** `lost`: another integrator has moved it meanwhile. */
  readonly push: (to: string) => Promise<'moved' | 'lost'>;
}

export interface Round {
  readonly context: LaneContext;
  readonly run: Run;
  readonly git: Git;
  readonly base: string;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
  /** Moved before that of this machine; absent if only this machine integrates the run. */
  readonly shared?: SharedTip | undefined;
  /** Findings are recorded at once; culprits are reported even if the round is lost. */
  readonly found: Findings;
}

interface RefusedLane {
  readonly lane: string;
  /** The members that it conflicts with, as far as known; or those with which the failure appeared. */
  readonly with: readonly string[];
  /** It was refused for the same reason before, and asks what to do. */
  readonly asks: boolean;
}

/** The findings of the last round become the report. */
export interface Findings {
  tip: string;
  readonly integrated: {
    readonly lane: string;
    readonly sha: string;
    /** `null` if git has merged it. `provenBy`: the commands that passed on the result. */
    readonly resolution: (Resolution & { readonly provenBy: readonly string[] }) | null;
  }[];
  readonly conflicts: (RefusedLane & {
    readonly paths: readonly string[];
    /** Ways to merge it whose results failed. */
    readonly refused: readonly Way[];
  })[];
  /** Members found to break the result. */
  readonly culprits: (RefusedLane & {
    readonly command: string;
    readonly result: string;
    readonly failures: readonly string[];
    readonly log: string;
  })[];
  /** Verified, but not integrated now. */
  readonly withheld: {
    readonly lane: string;
    readonly why: string;
    /** Commands of which a person chooses one. */
    readonly next?: readonly string[];
  }[];
  /** The result for new commits on the target branch. */
  target: { readonly ref: string } & (
    | { readonly state: 'current' }
    | { readonly state: 'merged'; readonly sha: string }
    | { readonly state: 'conflict'; readonly paths: readonly string[] }
    | { readonly state: 'culprit'; readonly command: string; readonly log: string }
  );
  /** Commits that no lane may bring back, in words: they were removed from the target. */
  gone: string | undefined;
  /** Why nothing more could be integrated although no lane is to blame. */
  stopped: string | undefined;
}

/** `lost`: somebody else has moved the tip meanwhile, so the findings do not count. */
export async function runRound(round: Round, members: readonly Member[]) {
  for (let left = members; ; ) {
    round.signal.throwIfAborted();
    // The batch is made again without a culprit: other conflicts and needs may change.
    const batch = await batchOf(round, left);
    const last = batch.steps.at(-1);
    if (last === undefined) return validateTip(round, batch);
    // Lanes that were integrated earlier must still pass.
    const lanes = lanesOf(batch).map(({ lane }) => lane);
    const commands = mergeCommands([...lanes, ...lanesInside(round.context, round.run)]);
    if (commands.length === 0) return stop(round, batch, NO_VALIDATION);
    noteMerged(round, batch, last.commit);
    const proof = await validateSteps(round, batch.steps, commands, 'commit');
    if (proof.kind === 'pass') return advance(round, batch, last.commit, proof.by);
    if (proof.kind === 'unclear') return stop(round, batch, proof.why);
    const blame = await findCulprit(round, batch.steps, commands, proof.validation);
    if (typeof blame === 'string') return stop(round, batch, blame);
    const isTriedAgain = await mayBeMergedOtherwise(round, blame);
    settleCulprit(round, blame, isTriedAgain);
    if (!isTriedAgain) left = left.filter((it) => it !== blame.step.member);
  }
}

/** Tries the next way to merge a refused member; if there is none, it is a conflict. */
async function mayBeMergedOtherwise(round: Round, { step, before }: Blame): Promise<boolean> {
  const { member, resolution } = step;
  const way = resolution?.way ?? BY_GIT;
  if (member.queued === undefined || member.refused.has(way)) return false;
  member.refused.add(way);
  if (resolution !== undefined) return true;
  const other = await merged(round, before.at(-1)?.commit ?? round.found.tip, member);
  return other.kind === 'merged' && other.resolution !== undefined;
}

const NO_VALIDATION = 'no lane has a validation that could prove the result';
const MOST_NAMED = 5;

/** `commit`: the tip with this member and all before it. */
interface Step {
  readonly member: Member;
  readonly commit: string;
  /** Absent if git has merged it. */
  readonly resolution: Resolution | undefined;
}

type Batch = Awaited<ReturnType<typeof batchOf>>;

const lanesOf = ({ steps }: Batch) => steps.flatMap(({ member }) => member.queued ?? []);

async function batchOf(round: Round, members: readonly Member[]) {
  const steps: Step[] = [];
  const conflicts: ({ member: Member } & Omit<Findings['conflicts'][number], 'lane' | 'asks'>)[] =
    [];
  /** Lanes that contain the work of a lane that is not integrated. */
  const withheld: { member: Member; why: string }[] = [];
  // Each merge needs its commit; all are read at once.
  await commitTexts(
    round.git,
    members.map(({ sha }) => sha),
  );
  for (const member of members) {
    const why = missingNeed(round, member, steps);
    if (why !== undefined) {
      withheld.push({ member, why });
      continue;
    }
    const ours = steps.at(-1)?.commit ?? round.found.tip;
    const merge = await merged(round, ours, member);
    if (merge.kind === 'merged') {
      const commit = await signedUnless(round.git, merge.commit, [ours, member.sha]);
      steps.push({ member, commit, resolution: merge.resolution });
    } else {
      const rivals = await rivalsOf(round, member, steps);
      const refused = [...member.refused];
      conflicts.push({ member, paths: merge.paths, with: rivals, refused });
    }
  }
  return { steps, conflicts, withheld };
}

async function merged(round: Round, ours: string, member: Member): Promise<Resolved> {
  const { git, context } = round;
  const { sha: theirs, message, queued, refused, since } = member;
  const sides = { ours, theirs, message };
  if (since !== undefined) return changeOnto(round, member, { ...sides, since });
  if (queued !== undefined) return mergeOrResolve(git, context.env, sides, refused);
  if (await isAncestor(git, ours, theirs)) return { kind: 'merged', commit: theirs };
  return mergeCommit(git, sides);
}

/** The lane's change since a commit as one commit on the tip; none if the tip has it. */
async function changeOnto(
  { git, context }: Round,
  { queued, refused }: Member,
  { since, ...sides }: Sides & { readonly since: string },
): Promise<Resolved> {
  const { ours, theirs } = sides;
  if (await isAncestor(git, theirs, ours)) return { kind: 'merged', commit: ours };
  const asSides = await sidesSince(git, sides, since);
  const merge = await mergeOrResolve(git, context.env, asSides, refused);
  if (merge.kind === 'conflict') return merge;
  const tree = await treeOf(git, merge.commit);
  if (tree === (await treeOf(git, ours))) return { ...merge, commit: ours };
  const [made] = await commitsOf(git, [merge.commit]);
  const author = queued === undefined ? AUTHOR : authorOf(queued.lane);
  const wish = { tree, parents: [ours], message: sides.message, author };
  return { ...merge, commit: commitTree(git, { ...wish, at: made?.at ?? new Date(0) }) };
}

/** The missing need of a lane: a lane contains those it started from, so it comes after them, or not at all. */
function missingNeed({ context, run }: Round, { queued }: Member, steps: readonly Step[]) {
  if (queued === undefined) return undefined;
  const lanes = laneStore(context.store);
  const inside = new Set([
    ...integratedRows(context, run).map(({ laneId }) => laneId),
    ...steps.map(({ member }) => member.queued?.lane.id),
  ]);
  const missing = lanes.depsOf(queued.lane.id).find((it) => !inside.has(it.needsLaneId));
  if (missing === undefined) return undefined;
  const key = lanes.byId(missing.needsLaneId)?.key;
  return `it contains the work of ${key}, which is not integrated`;
}

/** The members that conflict with one another: the merge of all only shows that there is a conflict. */
async function rivalsOf(
  { git, context, run, base }: Round,
  member: Member,
  steps: readonly Step[],
) {
  const lanes = laneStore(context.store);
  const before = integratedRows(context, run).map(({ laneId, laneSha }) => {
    return { name: lanes.byId(laneId)?.key ?? laneId, sha: laneSha };
  });
  const { sha: theirs, message, since } = member;
  const pathsWith = async (sha: string) => {
    const sides = { ours: sha, theirs, message };
    const at = since === undefined ? sides : await sidesSince(git, sides, since);
    return (await mergeTrees(git, at.ours, at.theirs)).conflicts;
  };
  // A lane with new commits of the target conflicts where these do, and is not to blame.
  const withTarget = member.queued === undefined ? [] : await pathsWith(base);
  const rivals = new Set(withTarget.length === 0 ? [] : [shortRef(run.targetRef)]);
  for (const { name, sha } of [...before, ...steps.map((step) => step.member)]) {
    const paths = await pathsWith(sha);
    if (paths.some((it) => !withTarget.includes(it))) rivals.add(name);
  }
  return [...rivals];
}

async function validateSteps(
  { context, run, base, signal, progress, found }: Round,
  steps: readonly Step[],
  commands: readonly ValidationCommand[],
  evidence: 'commit' | 'content',
): Promise<MergeVerdict> {
  const sha = steps.at(-1)?.commit ?? found.tip;
  const what = steps.map(({ member }) => member.name).join(' + ') || 'the tip';
  progress(`validating ${what}`);
  const question = { context, run, purpose: 'integration', sha, commands, base } as const;
  const lanes = [
    ...steps.flatMap(({ member }) => member.queued?.lane ?? []),
    ...lanesInside(context, run),
  ];
  // A lane that is allowed to change what the base's tests demand was judged with that.
  const withBaseTests =
    steps.some(({ resolution }) => resolution !== undefined) &&
    !lanes.some((lane) => changesDemands(context, lane));
  const proof = await validateMerge({ ...question, evidence, signal, withBaseTests });
  progress(`${what}: ${WORDS[proof.kind]}`);
  return proof;
}

const changesDemands = ({ store }: LaneContext, lane: LaneView): boolean =>
  lane.spec.changesBehaviour !== undefined ||
  flagsOf(store, lane).some(({ kind }) => kind === BASE_TESTS_FAILED);

const WORDS = { pass: 'passed', fail: 'failed', unclear: 'no result' } as const;

type Blame = Exclude<Awaited<ReturnType<typeof findCulprit>>, string>;

/** Finds the first member with which the failing command fails, by bisection; otherwise gives the reason. */
async function findCulprit(
  round: Round,
  steps: readonly Step[],
  commands: readonly ValidationCommand[],
  failed: Validation,
) {
  const failing = commands.filter(({ cmdHash }) => cmdHash === failed.cmdHash);
  let validation = failed;
  let fails = steps.length;
  let passes = await firstToAsk(round, steps, failing);
  while (fails - passes > 1) {
    const middle = Math.floor((passes + fails) / 2);
    const proof = await validateSteps(round, steps.slice(0, middle), failing, 'content');
    if (proof.kind === 'unclear') return proof.why;
    if (proof.kind === 'pass') passes = middle;
    else {
      fails = middle;
      validation = proof.validation;
    }
  }
  const step = steps[fails - 1];
  return step ? { step, before: steps.slice(0, fails - 1), validation } : failed.why;
}

/**
 * The number of members before the start of the bisection. Without the files of the lane that brought the command it
 * may not run at all, which is no failure of the earlier lanes.
 */
async function firstToAsk(
  round: Round,
  steps: readonly Step[],
  commands: readonly ValidationCommand[],
): Promise<number> {
  const isOwner = (lane: LaneView | undefined) =>
    commands.some(({ cmdHash }) => cmdHash === lane?.cmdHash);
  const before = steps.findIndex(({ member }) => isOwner(member.queued?.lane));
  if (before <= 0 || lanesInside(round.context, round.run).some(isOwner)) return 0;
  const proof = await validateSteps(round, [], commands, 'content');
  return proof.kind === 'pass' ? 0 : before;
}

/** Validates the tip if there is nothing to merge: somebody else may have moved it. */
async function validateTip(round: Round, batch: Batch): Promise<'ended'> {
  const { context, run, found } = round;
  const waiting = await integratedIn(context, run, found.tip);
  if (waiting.length > 0 && !isTipValidated(context, run, found.tip)) {
    const commands = mergeCommands(lanesInside(context, run));
    const proof = await validateSteps(round, [], commands, 'commit');
    if (proof.kind === 'fail') {
      const { cmd, result } = proof.validation;
      found.stopped = `the tip itself does not pass \`${cmd}\` (${result})`;
    }
    if (proof.kind === 'unclear') found.stopped = proof.why;
  }
  return settleUnmerged(round, batch);
}

function noteMerged({ context, progress, found }: Round, batch: Batch, result: string): void {
  let onto = found.tip;
  for (const { member, commit } of batch.steps) {
    const note = { ontoSha: onto, resultSha: result };
    if (member.queued) move(context, member.queued.row, 'merged', note, { onto, commit });
    onto = commit;
  }
  // `api (both additions kept in test/api.test.ts)`
  const merged = batch.steps.map(({ member: { name }, resolution }) => {
    if (resolution === undefined) return name;
    return `${name} (${resolvedText(resolution)})`;
  });
  progress(`merged ${merged.join(', ')}`);
  for (const { row } of lanesOf(batch)) move(context, row, 'validating', {}, { sha: result });
}

/** Moves the tip to the passed commit, unless it has moved since the batch was made. */
async function advance(
  round: Round,
  batch: Batch,
  to: string,
  passed: ReadonlyMap<string, Validation>,
): Promise<'ended' | 'lost'> {
  const { context, run, git, progress, found, shared } = round;
  const reason = `lanehold: integrate ${lanesOf(batch).length} of ${run.name}`;
  const wanted = { to, from: found.tip, reason };
  const isMoved = async () =>
    (await shared?.push(to)) !== 'lost' && (await moveTip(context, run, git, wanted)) === 'moved';
  if (to !== found.tip && !(await isMoved())) {
    progress('the tip was moved from elsewhere: planning again');
    return 'lost';
  }
  progress('the tip has moved');
  const [first] = passed.values();
  const provenBy = [...passed.values()].map(({ cmd }) => cmd);
  for (const step of batch.steps) {
    const { queued, sha } = step.member;
    const resolution = step.resolution ? { ...step.resolution, provenBy } : null;
    if (queued === undefined) found.target = { state: 'merged', ref: run.targetRef, sha };
    const validation = (queued && passed.get(queued.lane.cmdHash)) ?? first;
    if (queued === undefined || validation === undefined) continue;
    const detail = resolution === null ? '' : resolvedText(resolution);
    const note = { resultSha: to, validationId: validation.id, detail };
    const data = { sha: to, validation: validation.id, resolution };
    move(context, queued.row, 'integrated', note, data);
    found.integrated.push({ lane: step.member.name, sha, resolution });
  }
  found.tip = to;
  settleUnmerged(round, batch);
  progress('noted what is integrated');
  return 'ended';
}

function stop(round: Round, batch: Batch, why: string): 'ended' {
  const { context, found } = round;
  for (const { row, lane } of lanesOf(batch)) {
    withdraw(context, row, why);
    found.withheld.push({ lane: lane.key, why: 'the batch could not be validated' });
  }
  found.stopped = why;
  return settleUnmerged(round, batch);
}

function settleUnmerged(round: Round, batch: Batch): 'ended' {
  const { context, run, progress, found } = round;
  for (const { member, ...facts } of batch.conflicts) {
    const { paths, with: rivals } = facts;
    const beside = rivals.length === 0 ? '' : ` with ${rivals.join(', ')}`;
    progress(`${member.name} conflicts${beside} in ${enumerated(paths, MOST_NAMED)}`);
    if (member.queued === undefined) {
      found.target = { state: 'conflict', ref: run.targetRef, paths };
      continue;
    }
    // The result would be the same until the tip moves.
    const asks = refuse(round, member.queued, 'conflict', facts, null);
    found.conflicts.push({ lane: member.name, ...facts, asks });
  }
  for (const { member, why } of batch.withheld) {
    if (member.queued) withdraw(context, member.queued.row, why);
    found.withheld.push({ lane: member.name, why });
  }
  return 'ended';
}

function settleCulprit(round: Round, { step, before, validation }: Blame, isTriedAgain: boolean) {
  const { run, progress, found } = round;
  const { member, resolution } = step;
  const { cmd: command, result, newFailures, logPath: log } = validation;
  const failures = newFailures ?? [];
  const by = resolution === undefined ? '' : ` (${resolution.way})`;
  const which = failures.length === 0 ? '' : `: ${enumerated(failures, MOST_NAMED)}`;
  progress(`${member.name}${by} breaks \`${command}\`${which}`);
  if (isTriedAgain) return;
  if (member.queued === undefined) {
    found.target = { state: 'culprit', ref: run.targetRef, command, log };
    return;
  }
  const facts = { command, result, failures, with: before.map((it) => it.member.name) };
  const asks = refuse(round, member.queued, 'culprit', facts, validation.id);
  found.culprits.push({ lane: member.name, ...facts, log, asks });
}

/** Refuses a lane. @returns whether it asks what to do. */
function refuse(
  { context, run, found }: Round,
  { row, lane }: NonNullable<Member['queued']>,
  state: 'conflict' | 'culprit',
  facts: Readonly<Record<string, unknown>>,
  validationId: string | null,
): boolean {
  const note = { ontoSha: found.tip, detail: JSON.stringify(facts), validationId };
  move(context, row, state, note, facts);
  return askIfAgain(context, run, lane);
}
