/**
 * One attempt to move the tip: merges everything, proves the merge, and bisects only if that fails.
 * One validation of the merge takes less time than one for each lane.
 */
import { moveRef } from '../../git/plumbing.ts';
import type { Validation } from '../../store/lane-validations.ts';
import { plural } from '../../text/count.ts';
import { type Batch, batchOn, type LaneMember, type Member, nameOf } from './batch.ts';
import { type Blame, findCulprit, proveStep, type Site } from './blame.ts';
import {
  commandsInside,
  distinct,
  isProved,
  type ProofCommand,
  proofCommands,
} from './commands.ts';
import { move, withdraw } from './queue.ts';
import type { IntegrationReport, LaneConflict, TargetReport } from './report.ts';

/** What a round finds; the report is made of the last round's. */
export interface Findings {
  tip: string;
  integrated: IntegrationReport['integrated'][number][];
  conflicts: LaneConflict[];
  withheld: IntegrationReport['withheld'][number][];
  target: TargetReport;
  stopped: string | undefined;
}

/** `lost`: the tip was moved from elsewhere meanwhile, so the findings do not count. */
export async function runRound(
  site: Site,
  start: {
    readonly tip: string;
    readonly members: readonly Member[];
    readonly target: TargetReport;
  },
): Promise<Findings | 'lost'> {
  const found: Findings = {
    tip: start.tip,
    integrated: [],
    conflicts: [],
    withheld: [],
    target: start.target,
    stopped: undefined,
  };
  const blamed = new Set<Member>();
  for (;;) {
    site.signal.throwIfAborted();
    // Planned again without the culprits: other conflicts and needs may change with them.
    const batch = await batchOn(
      site,
      start.tip,
      start.members.filter((it) => !blamed.has(it)),
    );
    const last = batch.steps.at(-1);
    if (last === undefined) return proveTip(site, batch, found);
    const commands = commandsFor(site, batch);
    if (commands.length === 0) return stop(site, batch, found, NO_VALIDATION);
    noteMerged(site, batch, last.commit);
    const proof = await proveStep(site, batch, batch.steps.length, commands, 'commit');
    switch (proof.kind) {
      case 'pass':
        return advance(site, batch, last.commit, proof.by, found);
      case 'unclear':
        return stop(site, batch, found, proof.why);
      case 'fail': {
        const blame = await findCulprit(site, batch, commands, proof.validation);
        if (blame.kind === 'unclear') return stop(site, batch, found, blame.why);
        settleCulprit(site, batch, blame, found);
        blamed.add(blame.member);
      }
    }
  }
}

/** Nothing is to be merged; the tip itself may have been moved from elsewhere. */
async function proveTip(site: Site, batch: Batch, found: Findings): Promise<Findings> {
  const { context, run } = site;
  const commands = commandsInside(context, run);
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

function settleUnmerged({ context, progress }: Site, batch: Batch, found: Findings): Findings {
  for (const { member, paths, with: rivals } of batch.conflicts) {
    progress(`${nameOf(member)} conflicts in ${plural(paths.length, 'file')}`);
    if (member.kind === 'target') {
      found.target = { state: 'conflict', ref: member.ref, paths };
      continue;
    }
    const detail = JSON.stringify({ paths, with: rivals });
    // The result would be the same until the tip moves.
    const note = { ontoSha: found.tip, detail };
    move(context, member.row, 'conflict', note, { paths, with: rivals });
    found.conflicts.push({ lane: member.lane.key, paths, with: rivals });
  }
  for (const { member, why } of batch.withheld) {
    withdraw(context, member.row, why);
    found.withheld.push({ lane: member.lane.key, why });
  }
  return found;
}

function noteMerged({ context, progress }: Site, batch: Batch, result: string): void {
  let onto = batch.tip;
  for (const { member, commit } of batch.steps) {
    if (member.kind === 'lane') {
      const note = { ontoSha: onto, resultSha: result };
      move(context, member.row, 'merged', note, { onto, commit });
    }
    onto = commit;
  }
  progress(`merged ${batch.steps.map(({ member }) => nameOf(member)).join(', ')}`);
  for (const { row } of lanesOf(batch)) move(context, row, 'validating', {}, { sha: result });
}

function lanesOf(batch: Batch): LaneMember[] {
  return batch.steps.flatMap(({ member }) => (member.kind === 'lane' ? [member] : []));
}

/** Of the lanes to integrate and of those integrated before: they must still pass. */
function commandsFor({ context, run }: Site, batch: Batch): ProofCommand[] {
  const coming = proofCommands(lanesOf(batch).map(({ lane }) => lane));
  return distinct([...coming, ...commandsInside(context, run)]);
}

function settleCulprit(
  { context, progress, culprits }: Site,
  batch: Batch,
  { member, at, validation }: Extract<Blame, { kind: 'member' }>,
  found: Findings,
): void {
  const { cmd: command, result, newFailures, logPath: log } = validation;
  progress(`${nameOf(member)} breaks \`${command}\``);
  if (member.kind === 'target') {
    found.target = { state: 'culprit', ref: member.ref, command, log };
    return;
  }
  const failures = newFailures ?? [];
  const beside = batch.steps.slice(0, at - 1).map((step) => nameOf(step.member));
  const facts = { command, result, failures, with: beside };
  const note = { ontoSha: batch.tip, detail: JSON.stringify(facts), validationId: validation.id };
  move(context, member.row, 'culprit', note, facts);
  culprits.push({ lane: member.lane.key, ...facts, log });
}

/** Moves the tip to what passed, if it has not moved since the batch was made. */
async function advance(
  site: Site,
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
  for (const { lane, row, sha } of lanesOf(batch)) {
    const validation = passed.get(lane.cmdHash) ?? first;
    if (validation === undefined) continue;
    const note = { resultSha: to, validationId: validation.id };
    move(context, row, 'integrated', note, { sha: to, validation: validation.id });
    found.integrated.push({ lane: lane.key, sha });
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

function stop(site: Site, batch: Batch, found: Findings, why: string): Findings {
  for (const { row, lane } of lanesOf(batch)) {
    withdraw(site.context, row, why);
    found.withheld.push({ lane: lane.key, why: 'the batch could not be validated' });
  }
  found.stopped = why;
  return settleUnmerged(site, batch, found);
}
