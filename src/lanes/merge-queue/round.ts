/**
 * One attempt to move the tip: merges everything, proves the merge, and bisects only if that fails.
 * One validation of the merge takes less time than one for each lane.
 */
import { moveRef } from '../../git/plumbing.ts';
import type { Validation } from '../../store/lane-validations.ts';
import type { LaneView } from '../../store/lanes.ts';
import { enumerated } from '../../text/count.ts';
import { type Batch, batchOn, type Site, type Step } from './batch.ts';
import {
  isProved,
  lanesInside,
  type Proof,
  type ProofCommand,
  proofCommands,
  prove,
} from './prove.ts';
import { type Member, move, withdraw } from './queue.ts';
import { askIfAgain } from './refusal.ts';
import type { Resolution } from './resolve.ts';

export interface RoundSite extends Site {
  /** The commit whose failures do not count as new. */
  readonly base: string;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
  /** Members found to break the result. Recorded at once, and reported even if the round is lost. */
  readonly culprits: Culprit[];
}

interface Refused {
  readonly lane: string;
  /** What it conflicts with, as far as known; or was merged with when the failure appeared. */
  readonly with: readonly string[];
  /** Refused for the same reason before: it asks what to do. */
  readonly asks: boolean;
}

export interface Culprit extends Refused {
  readonly command: string;
  readonly result: string;
  readonly failures: readonly string[];
  readonly log: string;
}

/** What a round finds; the report is made of the last round's. */
export interface Findings {
  /** The tip afterwards. */
  tip: string;
  readonly integrated: {
    readonly lane: string;
    readonly sha: string;
    /** `null` where git has merged it. */
    readonly resolution: Resolution | null;
  }[];
  readonly conflicts: (Refused & { readonly paths: readonly string[] })[];
  /** Verified, but not integrated now. */
  readonly withheld: { readonly lane: string; readonly why: string }[];
  /** What became of new commits on the target branch. */
  target: { readonly ref: string } & (
    | { readonly state: 'current' }
    | { readonly state: 'merged'; readonly sha: string }
    | { readonly state: 'conflict'; readonly paths: readonly string[] }
    | { readonly state: 'culprit'; readonly command: string; readonly log: string }
  );
  /** Why nothing more could be integrated although no lane is to blame. */
  stopped: string | undefined;
}

/** `lost`: the tip was moved from elsewhere meanwhile, so the findings do not count. */
export async function runRound(
  site: RoundSite,
  tip: string,
  members: readonly Member[],
): Promise<Findings | 'lost'> {
  const found: Findings = {
    ...{ tip, integrated: [], conflicts: [], withheld: [] },
    target: { state: 'current', ref: site.run.targetRef },
    stopped: undefined,
  };
  for (let left = members; ; ) {
    site.signal.throwIfAborted();
    // Planned again without a culprit: other conflicts and needs may change with it.
    const batch = await batchOn(site, tip, left);
    const last = batch.steps.at(-1);
    if (last === undefined) return proveTip(site, batch, found);
    // Lanes that were integrated before must still pass.
    const lanes = lanesOf(batch).map(({ lane }) => lane);
    const commands = proofCommands([...lanes, ...lanesInside(site.context, site.run)]);
    if (commands.length === 0) return stop(site, batch, found, NO_VALIDATION);
    noteMerged(site, batch, last.commit);
    const proof = await proveStep(site, batch, batch.steps.length, commands, 'commit');
    if (proof.kind === 'pass') return advance(site, batch, last.commit, proof.by, found);
    if (proof.kind === 'unclear') return stop(site, batch, found, proof.why);
    const blame = await findCulprit(site, batch, commands, proof.validation);
    if (typeof blame === 'string') return stop(site, batch, found, blame);
    settleCulprit(site, batch, blame, found);
    // Where its conflict was resolved, it is tried in another way first.
    const { member, resolution } = blame.step;
    if (resolution !== undefined) member.refused.add(resolution.way);
    else left = left.filter((it) => it !== member);
  }
}

const NO_VALIDATION = 'no lane has a validation that could prove the result';
const MOST_NAMED = 5;

const lanesOf = ({ steps }: Batch) => steps.flatMap(({ member }) => member.queued ?? []);

/** Validates the tip with the first `steps` members of the batch. */
async function proveStep(
  { context, run, base, signal, progress }: RoundSite,
  batch: Batch,
  steps: number,
  commands: readonly ProofCommand[],
  evidence: 'commit' | 'content',
): Promise<Proof> {
  const sha = batch.steps[steps - 1]?.commit ?? batch.tip;
  const names = batch.steps.slice(0, steps).map(({ member }) => member.name);
  const what = names.length === 0 ? 'the tip' : names.join(' + ');
  progress(`validating ${what}`);
  const question = { context, run, purpose: 'integration', sha, commands, base } as const;
  const proof = await prove({ ...question, evidence, priority: PRIORITY, signal });
  progress(`${what}: ${WORDS[proof.kind]}`);
  return proof;
}

const WORDS = { pass: 'passed', fail: 'failed', unclear: 'no result' } as const;

/** Finished work waits for it, so it runs before validations of work in progress. */
const PRIORITY = 10;

interface Blame {
  /** With which it fails first. */
  readonly step: Step;
  readonly before: readonly string[];
  readonly validation: Validation;
}

/** Finds the first member with which the failing command fails, by bisection; else says why not. */
async function findCulprit(
  site: RoundSite,
  batch: Batch,
  commands: readonly ProofCommand[],
  failed: Validation,
): Promise<Blame | string> {
  const failing = commands.filter(({ cmdHash }) => cmdHash === failed.cmdHash);
  let validation = failed;
  let fails = batch.steps.length;
  let passes = await firstToAsk(site, batch, failing);
  while (fails - passes > 1) {
    const middle = Math.floor((passes + fails) / 2);
    const proof = await proveStep(site, batch, middle, failing, 'content');
    if (proof.kind === 'unclear') return proof.why;
    if (proof.kind === 'pass') passes = middle;
    else {
      fails = middle;
      validation = proof.validation;
    }
  }
  const step = batch.steps[fails - 1];
  const before = batch.steps.slice(0, fails - 1).map(({ member }) => member.name);
  return step === undefined ? failed.why : { step, before, validation };
}

/**
 * How many members to begin the bisection after. Without the files of the lane that brought the
 * command it may not run at all, and that is no failure of the lanes before it.
 */
async function firstToAsk(
  site: RoundSite,
  batch: Batch,
  commands: readonly ProofCommand[],
): Promise<number> {
  const { context, run } = site;
  const isOwner = (lane: LaneView | undefined) =>
    commands.some(({ cmdHash }) => cmdHash === lane?.cmdHash);
  const before = batch.steps.findIndex(({ member }) => isOwner(member.queued?.lane));
  if (before <= 0 || lanesInside(context, run).some(isOwner)) return 0;
  const proof = await proveStep(site, batch, 0, commands, 'content');
  return proof.kind === 'pass' ? 0 : before;
}

/** Nothing is to be merged; the tip itself may have been moved from elsewhere. */
async function proveTip(site: RoundSite, batch: Batch, found: Findings): Promise<Findings> {
  const { context, run } = site;
  const commands = proofCommands(lanesInside(context, run));
  if (commands.length > 0 && !isProved(context, run, batch.tip)) {
    const proof = await proveStep(site, batch, 0, commands, 'commit');
    if (proof.kind === 'fail') {
      const { cmd, result } = proof.validation;
      found.stopped = `the tip itself does not pass \`${cmd}\` (${result})`;
    }
    if (proof.kind === 'unclear') found.stopped = proof.why;
  }
  return settleUnmerged(site, batch, found);
}

function noteMerged({ context, progress }: RoundSite, batch: Batch, result: string): void {
  let onto = batch.tip;
  for (const { member, commit } of batch.steps) {
    const note = { ontoSha: onto, resultSha: result };
    if (member.queued) move(context, member.queued.row, 'merged', note, { onto, commit });
    onto = commit;
  }
  // `api (both additions kept in test/api.test.ts)`
  const merged = batch.steps.map(({ member: { name }, resolution }) => {
    if (resolution === undefined) return name;
    return `${name} (${resolution.way} in ${enumerated(resolution.paths, MOST_NAMED)})`;
  });
  progress(`merged ${merged.join(', ')}`);
  for (const { row } of lanesOf(batch)) move(context, row, 'validating', {}, { sha: result });
}

/** Moves the tip to what passed, if it has not moved since the batch was made. */
async function advance(
  site: RoundSite,
  batch: Batch,
  to: string,
  passed: ReadonlyMap<string, Validation>,
  found: Findings,
): Promise<Findings | 'lost'> {
  const { context, run, git, progress } = site;
  const reason = `lanehold: integrate ${lanesOf(batch).length} of ${run.name}`;
  const outcome =
    to === batch.tip ? 'moved' : await moveRef(git, run.integrationRef, to, batch.tip, reason);
  if (outcome === 'lost') {
    progress('the tip was moved from elsewhere: planning again on the new one');
    return 'lost';
  }
  progress('the tip has moved');
  const [first] = passed.values();
  for (const { member, resolution = null } of batch.steps) {
    const { queued, sha } = member;
    if (queued === undefined) found.target = { state: 'merged', ref: run.targetRef, sha };
    const validation = (queued && passed.get(queued.lane.cmdHash)) ?? first;
    if (queued === undefined || validation === undefined) continue;
    const note = { resultSha: to, validationId: validation.id };
    const data = { sha: to, validation: validation.id, resolution };
    move(context, queued.row, 'integrated', note, data);
    found.integrated.push({ lane: member.name, sha, resolution });
  }
  found.tip = to;
  settleUnmerged(site, batch, found);
  progress('noted what is integrated');
  return found;
}

function stop(site: RoundSite, batch: Batch, found: Findings, why: string): Findings {
  for (const { row, lane } of lanesOf(batch)) {
    withdraw(site.context, row, why);
    found.withheld.push({ lane: lane.key, why: 'the batch could not be validated' });
  }
  found.stopped = why;
  return settleUnmerged(site, batch, found);
}

function settleUnmerged(site: RoundSite, batch: Batch, found: Findings): Findings {
  const { context, run, progress } = site;
  for (const { member, ...facts } of batch.conflicts) {
    const { paths, with: rivals } = facts;
    const beside = rivals.length === 0 ? '' : ` with ${rivals.join(', ')}`;
    progress(`${member.name} conflicts${beside} in ${enumerated(paths, MOST_NAMED)}`);
    if (member.queued === undefined) {
      found.target = { state: 'conflict', ref: run.targetRef, paths };
      continue;
    }
    // The result would be the same until the tip moves.
    const asks = refuse(site, member.queued, 'conflict', { ontoSha: found.tip }, facts);
    found.conflicts.push({ lane: member.name, ...facts, asks });
  }
  for (const { member, why } of batch.withheld) {
    if (member.queued) withdraw(context, member.queued.row, why);
    found.withheld.push({ lane: member.name, why });
  }
  return found;
}

function settleCulprit(
  site: RoundSite,
  { tip }: Batch,
  { step: { member, resolution }, before, validation }: Blame,
  found: Findings,
): void {
  const { id: validationId, cmd: command, result, newFailures, logPath: log } = validation;
  const failures = newFailures ?? [];
  const by = resolution === undefined ? '' : ` (${resolution.way})`;
  const which = failures.length === 0 ? '' : `: ${enumerated(failures, MOST_NAMED)}`;
  site.progress(`${member.name}${by} breaks \`${command}\`${which}`);
  if (resolution !== undefined) return;
  if (member.queued === undefined) {
    found.target = { state: 'culprit', ref: site.run.targetRef, command, log };
    return;
  }
  const facts = { command, result, failures, with: before };
  const asks = refuse(site, member.queued, 'culprit', { ontoSha: tip, validationId }, facts);
  site.culprits.push({ lane: member.name, ...facts, log, asks });
}

/** @returns whether the lane asks what to do. */
function refuse(
  { context, run }: Site,
  { row, lane }: NonNullable<Member['queued']>,
  state: 'conflict' | 'culprit',
  note: { readonly ontoSha: string; readonly validationId?: string },
  facts: Readonly<Record<string, unknown>>,
): boolean {
  move(context, row, state, { ...note, detail: JSON.stringify(facts) }, facts);
  return askIfAgain(context, run, lane);
}
