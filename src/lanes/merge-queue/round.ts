/**
 * One attempt to move the tip: merges everything, proves the merge, and bisects only if that fails.
 * One validation of the merge takes less time than one for each lane.
 */
import { moveRef } from '../../git/plumbing.ts';
import type { Validation } from '../../store/lane-validations.ts';
import type { LaneView } from '../../store/lanes.ts';
import { enumerated } from '../../text/count.ts';
import { askIfAgain } from './ask-again.ts';
import { type Batch, batchOn, type Member, nameOf, type Site } from './batch.ts';
import {
  isProved,
  lanesInside,
  type Proof,
  type ProofCommand,
  proofCommands,
  prove,
} from './prove.ts';
import { move, type Queued, withdraw } from './queue.ts';
import type { Resolution, Way } from './resolve.ts';

export interface RoundSite extends Site {
  /** The commit whose failures do not count as new. */
  readonly base: string;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
  /** Members found to break the result. Recorded at once, and reported even if the round is lost. */
  readonly culprits: Culprit[];
}

export interface Culprit {
  readonly lane: string;
  readonly command: string;
  readonly result: string;
  readonly failures: readonly string[];
  /** What it was merged with when the failure appeared. */
  readonly with: readonly string[];
  readonly log: string;
  /** Refused for the same reason before: it asks what to do. */
  readonly asks: boolean;
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
  readonly conflicts: {
    readonly lane: string;
    readonly paths: readonly string[];
    /** The members it conflicts with, as far as known. */
    readonly with: readonly string[];
    /** Refused for the same reason before: it asks what to do. */
    readonly asks: boolean;
  }[];
  /** Verified, but not integrated now. */
  readonly withheld: { readonly lane: string; readonly why: string }[];
  /** What became of new commits on the target branch. */
  target: TargetReport;
  /** Why nothing more could be integrated although no lane is to blame. */
  stopped: string | undefined;
}

export type TargetReport = { readonly ref: string } & (
  | { readonly state: 'current' }
  | { readonly state: 'merged'; readonly sha: string }
  | { readonly state: 'conflict'; readonly paths: readonly string[] }
  | { readonly state: 'culprit'; readonly command: string; readonly log: string }
);

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
  const blamed = new Set<Member>();
  const refused = new Map<Member, ReadonlySet<Way>>();
  for (;;) {
    site.signal.throwIfAborted();
    // Planned again without the culprits: other conflicts and needs may change with them.
    const left = members.filter((it) => !blamed.has(it));
    const batch = await batchOn(site, tip, left, refused);
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
    const way = batch.steps[blame.at - 1]?.resolution?.way;
    if (way !== undefined) {
      site.progress(`${nameOf(blame.member)} (${way}) breaks ${brokenText(blame.validation)}`);
      refused.set(blame.member, new Set([way]).union(refused.get(blame.member) ?? new Set()));
      continue;
    }
    settleCulprit(site, batch, blame, found);
    blamed.add(blame.member);
  }
}

/** Validates the tip with the first `steps` members of the batch. */
async function proveStep(
  { context, run, base, signal, progress }: RoundSite,
  batch: Batch,
  steps: number,
  commands: readonly ProofCommand[],
  evidence: 'commit' | 'content',
): Promise<Proof> {
  const sha = batch.steps[steps - 1]?.commit ?? batch.tip;
  const names = batch.steps.slice(0, steps).map(({ member }) => nameOf(member));
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
  readonly member: Member;
  /** The number of members with which it failed. */
  readonly at: number;
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
  const member = batch.steps[fails - 1]?.member;
  return member === undefined ? failed.why : { member, at: fails, validation };
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
  const isOwner = ({ cmdHash }: LaneView) => commands.some((it) => it.cmdHash === cmdHash);
  const before = batch.steps.findIndex(({ member }) => {
    return member.kind === 'lane' && isOwner(member.lane);
  });
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

const NO_VALIDATION = 'no lane has a validation that could prove the result';

function settleUnmerged(
  { context, run, progress }: RoundSite,
  batch: Batch,
  found: Findings,
): Findings {
  for (const { member, paths, with: rivals } of batch.conflicts) {
    const beside = rivals.length === 0 ? '' : ` with ${rivals.join(', ')}`;
    progress(`${nameOf(member)} conflicts${beside} in ${enumerated(paths, MOST_NAMED)}`);
    if (member.kind === 'target') {
      found.target = { state: 'conflict', ref: member.ref, paths };
      continue;
    }
    const detail = JSON.stringify({ paths, with: rivals });
    // The result would be the same until the tip moves.
    const note = { ontoSha: found.tip, detail };
    move(context, member.row, 'conflict', note, { paths, with: rivals });
    const asks = askIfAgain(context, run, member.lane);
    found.conflicts.push({ lane: member.lane.key, paths, with: rivals, asks });
  }
  for (const { member, why } of batch.withheld) {
    withdraw(context, member.row, why);
    found.withheld.push({ lane: member.lane.key, why });
  }
  return found;
}

function noteMerged({ context, progress }: RoundSite, batch: Batch, result: string): void {
  let onto = batch.tip;
  for (const { member, commit } of batch.steps) {
    if (member.kind === 'lane') {
      const note = { ontoSha: onto, resultSha: result };
      move(context, member.row, 'merged', note, { onto, commit });
    }
    onto = commit;
  }
  progress(`merged ${batch.steps.map(mergedText).join(', ')}`);
  for (const { row } of lanesOf(batch)) move(context, row, 'validating', {}, { sha: result });
}

const MOST_NAMED = 5;

/** `api (both additions kept in test/api.test.ts)` */
function mergedText({ member, resolution }: Batch['steps'][number]): string {
  if (resolution === undefined) return nameOf(member);
  const { way, paths } = resolution;
  return `${nameOf(member)} (${way} in ${enumerated(paths, MOST_NAMED)})`;
}

function brokenText({ cmd, newFailures }: Validation): string {
  const failures = newFailures ?? [];
  return `\`${cmd}\`${failures.length === 0 ? '' : `: ${enumerated(failures, MOST_NAMED)}`}`;
}

function lanesOf(batch: Batch): Queued[] {
  return batch.steps.flatMap(({ member }) => (member.kind === 'lane' ? [member] : []));
}

function settleCulprit(
  { context, run, progress, culprits }: RoundSite,
  batch: Batch,
  { member, at, validation }: Blame,
  found: Findings,
): void {
  const { cmd: command, result, newFailures, logPath: log } = validation;
  progress(`${nameOf(member)} breaks ${brokenText(validation)}`);
  if (member.kind === 'target') {
    found.target = { state: 'culprit', ref: member.ref, command, log };
    return;
  }
  const failures = newFailures ?? [];
  const beside = batch.steps.slice(0, at - 1).map((step) => nameOf(step.member));
  const facts = { command, result, failures, with: beside };
  const note = { ontoSha: batch.tip, detail: JSON.stringify(facts), validationId: validation.id };
  move(context, member.row, 'culprit', note, facts);
  const asks = askIfAgain(context, run, member.lane);
  culprits.push({ lane: member.lane.key, ...facts, log, asks });
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
    if (member.kind !== 'lane') continue;
    const { lane, row, sha } = member;
    const validation = passed.get(lane.cmdHash) ?? first;
    if (validation === undefined) continue;
    const note = { resultSha: to, validationId: validation.id };
    move(context, row, 'integrated', note, { sha: to, validation: validation.id, resolution });
    found.integrated.push({ lane: lane.key, sha, resolution });
  }
  const target = batch.steps.find(({ member }) => member.kind === 'target')?.member;
  if (target?.kind === 'target') {
    found.target = { state: 'merged', ref: target.ref, sha: target.sha };
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
