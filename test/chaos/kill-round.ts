/**
 * One lane from its start to its end, with a set of its processes killed at a moment that the seed
 * chooses; then everything that has to be true of it, whatever was killed, and when.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleaningUp } from '../../scripts/stage/interrupt.ts';
import { slotHolders } from '../../src/process/slots.ts';
import { chance } from '../support/chance.ts';
import type { Step } from '../support/fake-worker.ts';
import { isLive, type LaneFacts, rows } from '../support/lane-facts.ts';
import { laneRun } from '../support/lane-run.ts';
import { type Part, victim } from '../support/lane-victims.ts';
import { type LaneWorld, laneWorld } from '../support/lanes.ts';

export interface Blow {
  readonly victims: readonly Part[];
  /** Who looks next: somebody at once, or nobody until whoever is left has ended. */
  readonly next: 'look' | 'later';
  /** From when all of the victims are there, at most. */
  readonly withinMs: number;
}

export interface RoundReport {
  readonly seed: number;
  readonly blow: Blow;
  readonly afterMs: number;
  /** Those of the victims that were there at that moment. */
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

export async function killRound(seed: number, blow: Blow): Promise<RoundReport> {
  const cleaners: (() => void)[] = [];
  const clean = (): void => {
    for (const it of cleaners.splice(0)) it();
  };
  return await cleaningUp(clean, () => play(seed, blow, (remove) => cleaners.push(remove)));
}

async function play(
  seed: number,
  blow: Blow,
  cleanUp: (remove: () => void) => void,
): Promise<RoundReport> {
  const random = chance(seed);
  const world = laneWorld({
    cleanUp,
    files: { 'lanehold.json': JSON.stringify({ lanes: { checkpoint: '1s' } }) },
    scenario: { lanes: { a: [WORK] }, checks: { unit: [[{ sleep: 500 }]] } },
  });
  const run = laneRun(world);
  await run.init();
  await run.add('a', { validate: 'fake-check unit' });
  await run.spawn();
  const afterMs = Math.round(random() * blow.withinMs);
  await world.until('the victims', () => blow.victims.every((part) => victim(world, 'a', part)));
  await sleep(afterMs);
  const during = run.lane('a').attempt?.state ?? 'none';
  const hit = blow.victims.filter((part) => {
    const found = victim(world, 'a', part);
    return found !== undefined && world.signal(found, 'SIGKILL');
  });
  if (blow.next === 'later') await untilAlone(world);
  const ticks = await rest(world, () => run.lane('a'));
  const lane = run.lane('a');
  return {
    seed,
    blow,
    afterMs,
    hit,
    during,
    end: endOf(lane),
    attempts: lane.attempts.length,
    wrong: [...ticks, ...wrongOf(world, lane)],
    left: world.processes().map(({ command }) => command),
    lost: lostOf(world, lane),
  };
}

/** Nobody is left, or whoever is left looks after himself. */
async function untilAlone(world: LaneWorld): Promise<void> {
  await world.until(
    'the others to end',
    () => world.processes().every(({ command }) => / left\b|sleep 100000/.test(command)),
    DEADLINE_MS,
  );
}

/** What a person does: looks, and waits; both may be more than once. */
async function rest(world: LaneWorld, lane: () => LaneFacts): Promise<string[]> {
  const strange: string[] = [];
  await world.until(
    'the lane to come to rest',
    async () => {
      const { exitCode, json, stderr } = await world.orchestrate('sync', '--wait');
      const expected = json?.notDone?.length === 0 ? 0 : 1;
      if (json?.notDone === undefined || exitCode !== expected) {
        strange.push(`sync ended with ${exitCode}: ${stderr}`);
      }
      return !isLive(lane().attempt) && !(lane().intent === 'run' && lane().state === 'ready');
    },
    DEADLINE_MS,
  );
  // The last act of a supervisor is a look at what else could start.
  await world.until('the end of all', () => world.processes().length === 0).catch(() => undefined);
  return strange;
}

const endOf = ({ state, attempt }: LaneFacts): string =>
  state === 'verified' ? state : `${state}: ${attempt?.end_reason}: ${attempt?.end_detail}`;

function wrongOf(world: LaneWorld, lane: LaneFacts): string[] {
  return [
    ...wrongEnd(world, lane),
    ...world
      .starts()
      .filter(({ others }) => others > 0)
      .map(({ n, others }) => `worker ${n} met ${others} others`),
    ...overlappingChecks(world),
    ...wrongEvents(world),
    ...evidence(lane),
    ...rows(world, 'SELECT attempt_id FROM ledger WHERE settled = 0').map(
      ({ attempt_id: id }) => `the reservation of ${id} is open`,
    ),
    ...slotHolders(join(world.box.laneholdHome, 'locks')).map(
      ({ kind }) => `a ${kind} slot is held`,
    ),
    ...(world.git('status', '--porcelain') === '' ? [] : ['the main checkout has changed']),
  ];
}

/** Whatever of the work there is gets judged. Where there is none, a worker that died has failed. */
function wrongEnd(world: LaneWorld, lane: LaneFacts): string[] {
  if (lane.state === 'verified') return [];
  const failed = lane.state === 'failed' && lane.attempt?.end_reason === 'crashed';
  return failed && recorded(world).length === 0 ? [] : [`it is ${endOf(lane)}`];
}

function overlappingChecks(world: LaneWorld): string[] {
  return world
    .journal()
    .filter((it) => it.event === 'check')
    .filter(({ others }) => others > 0)
    .map(({ n, others }) => `validation ${n} met ${others} others`);
}

function wrongEvents(world: LaneWorld): string[] {
  const events = rows(world, 'SELECT seq, attempt_id, epoch FROM lane_events ORDER BY seq');
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

function recorded(world: LaneWorld): string[] {
  const labels = world.journal().flatMap((it) => (it.event === 'record' ? [it.label] : []));
  return [...new Set(labels)];
}

/** Files that a worker has written and that are neither in the lane's commit nor in a checkpoint. */
function lostOf(world: LaneWorld, lane: LaneFacts): string[] {
  const [last] = rows(world, 'SELECT sha FROM checkpoints ORDER BY at DESC, seq DESC LIMIT 1');
  const commits = [lane.head_sha, last?.sha].filter((sha) => sha != null);
  const kept = commits.flatMap((sha) =>
    world.git('ls-tree', '-r', '--name-only', String(sha)).split('\n'),
  );
  return recorded(world).filter((path) => !kept.includes(path));
}
