/**
 * Part of `npm run bench:lanes`: the processor time of supervisors whose workers are idle, and the memory of one
 * (resident pages as in `ps`, shared ones included). Once with a quiet worker, and once with one that has printed a lot and
 * changed a large tree. Exits with 0 whatever the figures are, and with 1 if nothing could be measured.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type DemoProject, withDemoProject } from '../scripts/demo/demo-project.ts';
import { homeOf } from '../src/base/files/home.ts';
import { processEntry } from '../src/base/process/process-entry.ts';
import { attemptStore, checkpointStore } from '../src/store/attempts.ts';
import { openStore, type Store } from '../src/store/open.ts';

const BUDGET_MB = 60;
const FILES = 2_000;
const SAID_LINES = 20_000;
const TIMEOUT_MS = 90_000;
/** Time for the supervisor to become idle after the checkpoint. */
const SETTLED_MS = 3_000;

/** What the worker does before it waits to be cancelled; it creates the file `said` last. */
const WORKERS = {
  'a quiet worker': `touch said; exec sleep 600`,
  'a loud worker': [
    `i=0; while [ $i -lt ${FILES} ]; do echo $i > part-$i.txt; i=$((i+1)); done`,
    `i=0; while [ $i -lt ${SAID_LINES} ]; do echo "line $i of what a worker says while it works"; i=$((i+1)); done`,
    `touch said; exec sleep 600`,
  ].join('\n'),
};

for (const [name, script] of Object.entries(WORKERS)) {
  await withDemoProject('bench-supervisor', async (demo) => {
    const mb = await residentBeside(demo, script);
    const verdict = mb <= BUDGET_MB ? 'ok' : 'OVER';
    const figures = `${mb.toFixed(1).padStart(6)} MB  of ${BUDGET_MB} MB ${verdict}`;
    process.stdout.write(`${`a supervisor beside ${name}`.padEnd(50)} ${figures}\n`);
  });
}

const IDLE = 12;
const MOST_PERCENT = 1;
/** As long as the usual time between two checkpoints, of which the first is taken whatever the worker does. */
const CHECKPOINT_MS = 60_000;
/** Of five looks of a worker that does nothing, one is a checkpoint. */
const IDLE_MS = 5 * CHECKPOINT_MS;

await withDemoProject('bench-idle', async (demo) => {
  const percent = await usedBeside(demo);
  const verdict = percent <= MOST_PERCENT ? 'ok' : 'OVER';
  const figures = `${percent.toFixed(2).padStart(6)} % of a core  of ${MOST_PERCENT} % ${verdict}`;
  process.stdout.write(`${`${IDLE} idle lanes`.padEnd(50)} ${figures}\n`);
});

/** The processor time of supervisors with idle workers, and of what they start, in percent. */
async function usedBeside(demo: DemoProject): Promise<number> {
  const worker = { adapter: 'command', command: ['/bin/sh', '-c', 'exec sleep 600'] };
  demo.write('lanehold.json', JSON.stringify({ lanes: { workers: { local: worker } } }));
  const home = homeOf(demo.env);
  mkdirSync(home.root, { recursive: true, mode: 0o700 });
  writeFileSync(home.config, JSON.stringify({ lanes: { slots: { worker: IDLE } } }));
  await demo.git('add', '--all');
  await demo.git('commit', '--quiet', '--message', 'Start');
  await lanehold(demo, 'init', 'Measure', '--parallel', `${IDLE}`);
  const keys = Array.from({ length: IDLE }, (_, n) => `idle-${n}`);
  for (const key of keys) {
    const options = ['--desc', 'Wait', '--agent', 'local', '--validate', 'true'];
    await lanehold(demo, 'lane', 'add', key, ...options);
  }
  await lanehold(demo, 'spawn', ...keys);
  const store = await openStore(homeOf(demo.env));
  const live = () => attemptStore(store).live();
  try {
    const until = performance.now() + TIMEOUT_MS;
    while (live().filter(({ state }) => state === 'running').length < IDLE) {
      if (performance.now() > until) throw new Error('not measured: the lanes did not start');
      await delay(500);
    }
    await delay(CHECKPOINT_MS + 2 * SETTLED_MS);
    const ids = live().map(({ id }) => id);
    const listed = execFileSync('ps', ['-ww', '-eo', 'pid=,args=']).toString().split('\n');
    const own = listed.filter((it) => ids.some((id) => it.trimEnd().endsWith(` ${id}`)));
    const pids = own.map((it) => Number.parseInt(it, 10));
    const ticks = () => pids.reduce((sum, pid) => sum + (processEntry(pid)?.ticks ?? 0), 0);
    const [before, begun] = [ticks(), performance.now()];
    await delay(IDLE_MS);
    return (1_000 * (ticks() - before)) / (performance.now() - begun);
  } finally {
    store.close();
    await lanehold(demo, 'cancel');
  }
}

async function residentBeside(demo: DemoProject, script: string): Promise<number> {
  const worker = { adapter: 'command', command: ['/bin/sh', '-c', script] };
  const lanes = { workers: { local: worker }, checkpoint: '5s' };
  demo.write('lanehold.json', JSON.stringify({ lanes }));
  await demo.git('add', '--all');
  await demo.git('commit', '--quiet', '--message', 'Start');
  await lanehold(demo, 'init', 'Measure');
  await lanehold(
    demo,
    'lane',
    'add',
    'a',
    '--desc',
    'Work',
    '--agent',
    'local',
    '--validate',
    'true',
  );
  await lanehold(demo, 'spawn', 'a');
  const store = await openStore(homeOf(demo.env));
  try {
    return await resident(store);
  } finally {
    store.close();
    await lanehold(demo, 'cancel');
  }
}

async function lanehold(demo: DemoProject, ...args: string[]): Promise<void> {
  const { code, stderr } = await demo.run('lanehold', ['orchestrate', ...args]);
  if (code !== 0) throw new Error(`lanehold orchestrate ${args.join(' ')} failed:\n${stderr}`);
}

/** Mebibytes, after the worker has done its part and a checkpoint was taken. */
async function resident(store: Store): Promise<number> {
  const until = performance.now() + TIMEOUT_MS;
  while (performance.now() < until) {
    await delay(250);
    const [attempt] = attemptStore(store).live();
    if (attempt?.state !== 'running') continue;
    const hasSaid = existsSync(join(attempt.worktree, 'said'));
    if (!hasSaid || checkpointStore(store).last(attempt.laneId) === undefined) continue;
    await delay(SETTLED_MS);
    // The supervisor is the process whose last argument is the attempt.
    const processes = execFileSync('ps', ['-ww', '-eo', 'rss=,args=']).toString().split('\n');
    const own = processes.find((it) => it.trimEnd().endsWith(` ${attempt.id}`));
    return Number.parseInt(own ?? '', 10) / 1024;
  }
  throw new Error('not measured: the worker did not finish its output');
}
