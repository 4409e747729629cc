import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoProject } from '../scripts/demo/demo-project.ts';
import type { Env } from '../scripts/demo/run.ts';
import { installedHook, type Scale, type Store } from './data.ts';
import type { Moment } from './moments.ts';
import type { Figures } from './report.ts';
import type { Ended, Start, Starter } from './starter.ts';

interface Job {
  readonly starter: Starter;
  readonly demo: DemoProject;
  readonly stores: readonly Store[];
  readonly moment: Moment;
  readonly scale: Scale;
  readonly runs: number;
}

/** Runs with the clock of the program itself; few, since they only say where the time goes. */
const TRACED_RUNS = 5;

/** The hook did not do what the moment's name says. */
export class WrongAnswerError extends Error {}

/** One set of figures per store, in their order. @throws {WrongAnswerError} */
export async function measure(job: Job): Promise<Figures[]> {
  const { starter, demo, stores, moment, scale, runs } = job;
  await moment.prepare?.(demo, stores);
  // The first one pays for cold caches of the disk and for Node's compile cache.
  for (const store of stores) await runHook(job, store);
  const { env, project: cwd } = demo;
  const nodeAlone: Start = { command: [process.execPath, '-e', '0'], env, cwd, input: '' };
  const bare: number[] = [];
  const hook: number[][] = stores.map(() => []);
  for (let turn = 0; turn < runs; turn += 1) {
    bare.push((await starter.run(nodeAlone)).wallMs);
    for (const [index, store] of stores.entries()) {
      hook[index]?.push((await runHook(job, store)).wallMs);
    }
  }
  const bareMs = median(bare);
  const figures: Figures[] = [];
  for (const [index, store] of stores.entries()) {
    const { rows } = store;
    const wallMs = median(hook[index] ?? []);
    const ratio = wallMs / bareMs;
    const budget = moment.budget(scale);
    const phases = await tracedPhases(job, store);
    figures.push({ moment: moment.name, ...scale, rows, wallMs, bareMs, ratio, budget, phases });
  }
  return figures;
}

async function runHook(
  { starter, demo, moment }: Job,
  store: Store,
  added: Env = {},
): Promise<Ended> {
  await moment.before?.(demo, store);
  const env = { ...store.env, ...added };
  const command = moment.program ?? installedHook(env, moment.event, moment.agent);
  const input = `${JSON.stringify(moment.payload(demo))}\n`;
  const cwd = demo.project;
  const outcome = await starter.run({ command, env: { ...env, ...moment.env }, cwd, input });
  if (!moment.holds(outcome)) {
    const { code, stdout, stderr } = outcome;
    const said = `${stdout}${stderr}`.trim();
    throw new WrongAnswerError(`not measured: ${moment.name}: ended with ${code}: ${said}`);
  }
  return outcome;
}

/**
 * Where the time goes: medians in ms by phase, as each run of the program leaves them in the file
 * that LANEHOLD_TRACE names, `{"phases":{"start":31.2,…}}`; `undefined` if it leaves none.
 */
async function tracedPhases(job: Job, store: Store): Promise<Record<string, number> | undefined> {
  const traces: Record<string, number>[] = [];
  for (let turn = 0; turn < TRACED_RUNS; turn += 1) {
    const file = join(job.demo.root, `trace-${turn}.json`);
    await runHook(job, store, { LANEHOLD_TRACE: file });
    if (!existsSync(file)) return undefined;
    traces.push(JSON.parse(readFileSync(file, 'utf8')).phases);
    rmSync(file);
  }
  // An event need not reach every phase each time.
  const names = new Set(traces.flatMap((trace) => Object.keys(trace)));
  return Object.fromEntries(
    [...names].map((name) => [name, median(traces.map((trace) => trace[name] ?? 0))]),
  );
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
