/**
 * One lane from its start to its end, with a set of its processes killed at a moment that the seed
 * chooses; then everything that has to be true of it, whatever was killed, and when.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleaningUp } from '../../scripts/demo/interrupt.ts';
import { heldSlots } from '../../src/base/process/slots.ts';
import { attemptProcess, type Part } from '../support/attempt-processes.ts';
import type { Step } from '../support/fake-worker.ts';
import { isLive, type LaneFacts, rows } from '../support/lane-facts.ts';
import { type LaneProject, laneProject } from '../support/lane-project.ts';
import { laneRun } from '../support/lane-run.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { standInForge } from '../support/stand-in-forge.ts';
import { act, KEY, PERSON_ACTS, type PersonAct } from './person-acts.ts';
import { PULL_ACTS, type PullAct, pullAct } from './pull-acts.ts';

export type Act = PersonAct | PullAct;
/** Their number and that of the rows of the matrix have no divisor in common: each row meets each act. */
export const ACTS: readonly Act[] = [...PERSON_ACTS, ...PULL_ACTS];
const isPullAct = (it: Act | undefined): it is PullAct => PULL_ACTS.some((pull) => pull === it);

export interface Kill {
  readonly targets: readonly Part[];
  /** Who looks next: somebody at once, or nobody until whoever is left has ended. */
  readonly next: 'look' | 'later';
  /** From when all of the targets are there, at most. */
  readonly withinMs: number;
  /** What a person does with the work then; without one it stays where it is. */
  readonly act?: Act | undefined;
}

export interface RoundReport {
  readonly seed: number;
  readonly killed: Kill;
  readonly afterMs: number;
  /** Those of the targets that were there at that moment. */
  readonly hit: readonly Part[];
  /** The state of the attempt at that moment. */
  readonly during: string;
  readonly end: string;
  readonly attempts: number;
  /** What should not be, in words; nothing if all is well. */
  readonly wrong: readonly string[];
  readonly left: readonly string[];
  readonly lost: readonly string[];
}

/** A person has looked at the work of workers that were killed. */
const LANES = { checkpoint: '1s', accept: ['partial-work'], pullEvery: 0.3 };
const PIECES = 12;
const DEADLINE_MS = 120_000;

/** Some two seconds of work in pieces; each is on record once it is written. */
const WORK: readonly Step[] = Array.from({ length: PIECES }, (_, n): Step[] => [
  { write: { [`piece-${n}.txt`]: `${n}` } },
  { record: `piece-${n}.txt` },
  ...(n === 3 ? [{ commit: 'A part of it' }] : []),
  ...(n === 5 ? [{ daemon: { name: 'left', how: 'setsid' as const } }] : []),
  { sleep: 100 },
]).flat();

export async function killRound(seed: number, killed: Kill): Promise<RoundReport> {
  const cleaners: (() => void)[] = [];
  const clean = (): void => {
    for (const it of cleaners.splice(0)) it();
  };
  return await cleaningUp(clean, () => runRound(seed, killed, (remove) => cleaners.push(remove)));
}

async function runRound(
  seed: number,
  killed: Kill,
  cleanUp: (remove: () => void) => void,
): Promise<RoundReport> {
  const random = seededRandom(seed);
  const project = laneProject({
    cleanUp,
    // A command in this process would hold up the other rounds, which wait for their moment.
    ownProcess: true,
    files: { 'lanehold.json': JSON.stringify({ lanes: LANES }) },
    scenario: {
      lanes: { a: [WORK], b: [[{ write: { 'b.txt': 'b' } }]] },
      checks: { unit: [[{ sleep: 500 }]] },
    },
  });
  for (const name of [KEY, 'second.txt']) project.box.write(join(project.repo, name), `${name}\n`);
  project.box.commit(project.repo, 'second');
  const pulls = isPullAct(killed.act)
    ? { what: killed.act, forge: await standInForge(project.box, project.repo, cleanUp) }
    : undefined;
  Object.assign(project.env, pulls?.forge.env);
  const run = laneRun(project);
  await run.init('Try lanes', '--attempts', '9');
  await run.add('a', { validate: 'fake-check unit' });
  if (killed.act === 'reset') await run.add('b', { validate: 'fake-check unit' });
  await run.spawn('a');
  const afterMs = Math.round(random() * killed.withinMs);
  // On a busy machine the work may be over before this process looks.
  const isOver = () => run.lane('a').attempt?.state === 'ended';
  await project.until(
    () => `the targets: ${JSON.stringify(run.lane('a'))}`,
    () => isOver() || killed.targets.every((part) => attemptProcess(project, 'a', part)),
  );
  await sleep(afterMs);
  const during = run.lane('a').attempt?.state ?? 'none';
  const hit = killed.targets.filter((part) => {
    const found = attemptProcess(project, 'a', part);
    return found !== undefined && project.signal(found, 'SIGKILL');
  });
  if (killed.next === 'later') await untilAlone(project);
  const reconciles = await rest(project, () => run.lane('a'));
  const lane = run.lane('a');
  const wrong = [...reconciles, ...wrongOf(project, lane)];
  if (killed.act !== undefined && lane.state === 'verified') {
    const person = { project, run, random, wrong };
    if (pulls !== undefined) await pullAct(pulls.what, { ...person, forge: pulls.forge });
    else if (!isPullAct(killed.act)) await act(killed.act, person);
    wrong.push(...meetings(project), ...wrongEvents(project), ...changedMain(project));
  }
  return {
    seed,
    killed,
    afterMs,
    hit,
    during,
    end: endOf(lane),
    attempts: lane.attempts.length,
    wrong,
    left: project.processes().map(({ command }) => command),
    lost: lostOf(project, lane),
  };
}

/** Nobody is left, or whoever is left looks after himself. */
async function untilAlone(project: LaneProject): Promise<void> {
  await project.until(
    'the others to end',
    () => project.processes().every(({ command }) => / left\b|sleep 100000/.test(command)),
    DEADLINE_MS,
  );
}

/** What a person does: looks, and waits; both may be more than once. */
async function rest(project: LaneProject, lane: () => LaneFacts): Promise<string[]> {
  const strange: string[] = [];
  await project.until(
    'the lane to come to rest',
    async () => {
      const { exitCode, json, stderr } = await project.orchestrate('sync', '--wait');
      const expected = json?.notDone?.length === 0 ? 0 : 1;
      if (json?.notDone === undefined || exitCode !== expected) {
        strange.push(`sync ended with ${exitCode}: ${stderr}`);
      }
      return !isLive(lane().attempt) && !(lane().intent === 'run' && lane().state === 'ready');
    },
    DEADLINE_MS,
  );
  // The last act of a supervisor is a look at what else could start.
  await project
    .until('the end of all', () => project.processes().length === 0)
    .catch(() => undefined);
  return strange;
}

const endOf = ({ state, attempt }: LaneFacts): string =>
  state === 'verified' ? state : `${state}: ${attempt?.end_reason}: ${attempt?.end_detail}`;

/** What may never be, whatever was killed: in words, nothing if all is well. */
export function wrongOf(project: LaneProject, lane: LaneFacts): string[] {
  return [
    ...wrongEnd(project, lane),
    ...meetings(project),
    ...wrongEvents(project),
    ...evidence(lane),
    ...rows(project, 'SELECT attempt_id FROM ledger WHERE settled = 0').map(
      ({ attempt_id: id }) => `the reservation of ${id} is open`,
    ),
    ...(['worker', 'validate', 'setup'] as const)
      .filter((kind) => heldSlots(join(project.box.laneholdHome, 'locks'), kind) > 0)
      .map((kind) => `a ${kind} slot is held`),
    ...changedMain(project),
  ];
}

/** Whatever of the work there is gets judged. Where there is none, a worker that died has failed. */
function wrongEnd(project: LaneProject, lane: LaneFacts): string[] {
  if (lane.state === 'verified') return [];
  const failed = lane.state === 'failed' && lane.attempt?.end_reason === 'crashed';
  return failed && recorded(project).length === 0 ? [] : [`it is ${endOf(lane)}`];
}

const changedMain = (project: LaneProject): string[] =>
  project.git('status', '--porcelain') === '' ? [] : ['the main checkout has changed'];

function meetings(project: LaneProject): string[] {
  const words = { start: 'worker', check: 'validation' } as const;
  return project.journal().flatMap((it) => {
    if ((it.event !== 'start' && it.event !== 'check') || it.others === 0) return [];
    return [`${words[it.event]} ${it.n} met ${it.others} others`];
  });
}

function wrongEvents(project: LaneProject): string[] {
  const events = rows(project, 'SELECT seq, attempt_id, epoch FROM lane_events ORDER BY seq');
  const wrong = events.flatMap(({ seq }, index) =>
    seq === index + 1 ? [] : [`event ${index + 1} is missing`],
  );
  const epochs = new Map<unknown, number>();
  for (const { seq, attempt_id: id, epoch } of events) {
    if (epoch === null) continue;
    if (Number(epoch) < (epochs.get(id) ?? 0)) wrong.push(`event ${seq} is of an older epoch`);
    epochs.set(id, Number(epoch));
  }
  return wrong;
}

function evidence({ state, head_sha: head, validations }: LaneFacts): string[] {
  if (state !== 'verified') return [];
  const pass = validations.find(({ sha, result }) => sha === head && result === 'pass');
  if (pass === undefined) return ['it is verified without a pass'];
  const digest = createHash('sha256').update(readFileSync(pass.log_path)).digest('hex');
  return digest === pass.log_sha256 ? [] : ['the log is not what was recorded'];
}

function recorded(project: LaneProject): string[] {
  const labels = project.journal().flatMap((it) => (it.event === 'record' ? [it.label] : []));
  return [...new Set(labels)];
}

/** Files that a worker has written and that are neither in the lane's commit nor in a checkpoint. */
function lostOf(project: LaneProject, lane: LaneFacts): string[] {
  const [last] = rows(project, 'SELECT sha FROM checkpoints ORDER BY at DESC, seq DESC LIMIT 1');
  const commits = [lane.head_sha, last?.sha].filter((sha) => sha != null);
  const kept = commits.flatMap((sha) =>
    project.git('ls-tree', '-r', '--name-only', String(sha)).split('\n'),
  );
  return recorded(project).filter((path) => !kept.includes(path));
}
