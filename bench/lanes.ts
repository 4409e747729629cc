/**
 * `npm run bench:lanes [-- --runs N]`: the time of a reconcile in a process that has the store open; every
 * command runs one, and some hooks do. A hundred lanes, of which four are at work; the others are
 * planned, wait for a slot, or wait for one of the four. Compared with the start of bare Node in the
 * same run. Exits with 0 whatever the figures are, and with 1 if a reconcile did not find the lanes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type DemoProject, withDemoProject } from '../scripts/demo/demo-project.ts';
import { createRun } from '../src/app/lanes/new-run.ts';
import { homeOf } from '../src/base/files/home.ts';
import { makePrivateFolder } from '../src/base/files/private-folder.ts';
import { gitIn } from '../src/base/git/git-in.ts';
import { projectPlace } from '../src/base/git/project.ts';
import { workspaceOn } from '../src/features/workspace.ts';
import type { LaneContext } from '../src/lanes/spec/context.ts';
import { addLanes, wantLanes } from '../src/lanes/spec/edit.ts';
import { findLane } from '../src/lanes/spec/names.ts';
import { supervisorLock } from '../src/lanes/spec/paths.ts';
import { type ReconcileReport, reconcile } from '../src/lanes/start/reconcile.ts';
import { startAttempt } from '../src/lanes/start/start.ts';
import { resolveWorker } from '../src/lanes/start/worker.ts';
import { accountAnswerStore } from '../src/store/breakers.ts';
import type { LaneSpec, Run } from '../src/store/lanes.ts';
import { openStore } from '../src/store/open.ts';

const LANES = 100;
const AT_WORK = 4;
/** As a multiple of starting Node: about ten milliseconds on an idle machine. */
const BUDGET = 0.3;

/** The state of the other lanes, and how many of them a reconcile has to report as waiting. */
const WORKLOADS = { planned: 0, ready: LANES - AT_WORK, dependent: LANES - AT_WORK } as const;
type Workload = keyof typeof WORKLOADS;

const { values } = parseArgs({ options: { runs: { type: 'string', default: '50' } } });
const turns = Number(values.runs);
if (!Number.isInteger(turns) || turns < 1) throw new Error(`--runs ${values.runs} is no number`);

for (const workload of Object.keys(WORKLOADS) as Workload[]) {
  await withDemoProject('bench-lanes', (demo) => runWorkload(demo, workload));
}

async function runWorkload(demo: DemoProject, workload: Workload): Promise<void> {
  demo.write('README.md', 'A project\n');
  await demo.git('add', '--all');
  await demo.git('commit', '--quiet', '--message', 'Start');
  const store = await openStore(homeOf(demo.env));
  const context: LaneContext = { store, env: demo.env, now: () => new Date() };
  const run = await setUpRun(context, demo, workload);
  const holder = await holdLocks(await startFirst(context, run));
  try {
    await measure(demo, context, workload);
  } finally {
    holder.stdin?.end();
    await once(holder, 'exit');
    store.close();
  }
}

async function setUpRun(context: LaneContext, demo: DemoProject, workload: Workload): Promise<Run> {
  const place = projectPlace(demo.project);
  const workspace = workspaceOn(context.store, place, gitIn(place.root, demo.env), context.now);
  const nothing = { laneBudget: {}, runBudget: {}, dayBudget: {} };
  const run = await createRun(context, workspace, {
    goal: 'Measure reconciles',
    name: undefined,
    base: undefined,
    target: undefined,
    policy: { parallel: AT_WORK, attempts: 1, ...nothing },
    by: 'bench',
  });
  for (let n = 0; n < LANES; n += 1) {
    const needs = workload === 'dependent' && n >= AT_WORK ? [keyOf(n % AT_WORK)] : [];
    const key = keyOf(n);
    addLanes(context, run, [{ key, spec: specOf(n, needs), priority: 0, by: 'bench' }]);
    if (n < AT_WORK || workload !== 'planned')
      wantLanes(context, run, [findLane(context.store, run, key)], 'bench');
  }
  return run;
}

function keyOf(n: number): string {
  return `lane-${n}`;
}

function specOf(n: number, needs: readonly string[]): LaneSpec {
  return {
    desc: `Work on part ${n}`,
    notes: '',
    touches: [`src/part-${n}/**`],
    reads: ['docs/**'],
    needs,
    agent: 'claude-code',
    validate: 'true',
    validateCwd: '',
    validateTimeoutS: 60,
    timeoutS: 600,
    budget: {},
    ports: 0,
    overlaps: 'never',
    removesTests: 'no',
  };
}

/** The first lanes get attempts, without supervisors. Returns their locks. */
async function startFirst(context: LaneContext, run: Run): Promise<string[]> {
  const locks: string[] = [];
  for (let n = 0; n < AT_WORK; n += 1) {
    const lane = findLane(context.store, run, keyOf(n));
    const worker = await resolveWorker(context, run, lane);
    // The account is known to answer, so that no lane waits for a slow start.
    accountAnswerStore(context.store).note(worker.account, context.now());
    const started = startAttempt(context, run, { lane, kind: 'work', worker });
    if (started.kind !== 'started') throw new Error(`${lane.key} did not start: ${started.why}`);
    makePrivateFolder(started.attempt.dir);
    locks.push(supervisorLock(started.attempt.dir));
  }
  return locks;
}

/** In another process: the holder of a lock cannot measure a probe of it. */
async function holdLocks(locks: readonly string[]): Promise<ChildProcess> {
  const program = join(import.meta.dirname, 'hold-locks.ts');
  const holder = spawn(process.execPath, [program, ...locks], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (holder.stdout === null) throw new Error('no pipe');
  await Promise.race([once(holder.stdout, 'data'), once(holder, 'exit')]);
  return holder;
}

async function measure(demo: DemoProject, context: LaneContext, workload: Workload): Promise<void> {
  const reconciles: number[] = [];
  const bare: number[] = [];
  assertFound(await reconcile(context), workload);
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn % 5 === 0) bare.push((await demo.run(process.execPath, ['-e', '0'])).wallMs);
    const before = performance.now();
    const report = await reconcile(context);
    reconciles.push(performance.now() - before);
    assertFound(report, workload);
  }
  const [tickMs, bareMs] = [median(reconciles), median(bare)];
  const line = [
    `a reconcile with ${LANES} lanes, ${AT_WORK} at work, others ${workload}`.padEnd(50),
    `${tickMs.toFixed(1)} ms`.padStart(9),
    `node ${bareMs.toFixed(1)} ms`.padStart(13),
    `${(tickMs / bareMs).toFixed(2)} x`.padStart(8),
    `of ${BUDGET} x ${tickMs / bareMs <= BUDGET ? 'ok' : 'OVER'}`.padStart(14),
  ];
  process.stdout.write(`${line.join('  ')}\n`);
}

function assertFound({ takenOver, started, waiting }: ReconcileReport, workload: Workload): void {
  const found = Object.keys(waiting).length;
  if (takenOver.length + started.length === 0 && found === WORKLOADS[workload]) return;
  throw new Error(`not measured: ${JSON.stringify({ takenOver, started, found })}`);
}

function median(all: readonly number[]): number {
  const sorted = all.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
