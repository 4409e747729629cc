/**
 * `npm run bench:scale [-- --runs N]`: what a change costs that touches everything in a large monorepo:
 * time and memory, beside starting bare Node in the same run. Hooks are started as an installation has them,
 * answered by the resident process and without it. Ends with 1 if a limit is passed or a program did not do
 * its work.
 *
 * Memory is the most that any one process had, as GNU time reports it, and the most that the resident process
 * had so far; without that program it is not told.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type DemoProject, withDemoProject } from '../scripts/demo/demo-project.ts';
import { type Installation, install, residentOf, startResident } from './data.ts';
import { payloadOf } from './moments.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' } } });
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1)
  throw new Error(`--runs ${values.runs} is no number of runs`);

const MEASURES_MEMORY = '/usr/bin/time';
const LANEHOLD = join(import.meta.dirname, '../bin/lanehold.js');

interface Job {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly by?: Installation;
  readonly payload?: string;
  /** What its output has to contain. */
  readonly says: string;
  readonly limit?: { readonly ms: number; readonly mb: number };
  /** Runs after which nothing is the same: once. */
  readonly once?: boolean;
}

/** Milliseconds of a held push. */
const PUSH_MS = { warm: 1_200, cold: 2_500 };

function hookJobs(demo: DemoProject, by: Installation): Job[] {
  const started = (event: string, own: object) => ({
    command: ['/bin/sh', '-c', by.commands.get(event) ?? 'false'] as const,
    payload: payloadOf(demo, event, own),
    by,
  });
  const push = { tool_name: 'Bash', tool_input: { command: 'git push' } };
  return [
    {
      name: `push held, ${by.way}`,
      ...started('PreToolUse', push),
      says: 'deny',
      limit: { ms: PUSH_MS[by.way], mb: 300 },
    },
    {
      name: `session start, ${by.way}`,
      ...started('SessionStart', { source: 'startup' }),
      says: 'feature verify',
      limit: { ms: 2_000, mb: 300 },
    },
  ];
}

function jobs(): Job[] {
  const lanehold = (...args: string[]): [string, ...string[]] => [
    process.execPath,
    LANEHOLD,
    ...args,
  ];
  return [
    { name: 'status', command: lanehold('status'), says: 'never verified' },
    { name: 'feature list', command: lanehold('feature', 'list'), says: 'not verified' },
    {
      name: 'verify --pending',
      command: lanehold('feature', 'verify', '--pending'),
      says: 'Verified',
      once: true,
    },
  ];
}

interface Layout {
  readonly title: string;
  readonly files: number;
  readonly features: Record<string, readonly string[]>;
  /** Files of the commit that is not pushed yet. */
  readonly changed: readonly string[];
}

const fileOf = (group: number, at: number) =>
  `packages/p${group}/d${Math.floor(at / 20)}/f${at % 20}.ts`;
const range = (count: number) => Array.from({ length: count }, (_, at) => at);

const LAYOUTS: readonly Layout[] = [
  {
    title: '100,000 files, 500 features, all of them touched',
    files: 100_000,
    features: Object.fromEntries(range(500).map((it) => [`feature-${it}`, [`packages/p${it}/**`]])),
    changed: range(500).map((it) => fileOf(it, 0)),
  },
  {
    title: '10,000 files, one feature of 2,000 globs',
    files: 10_000,
    features: {
      all: range(2_000).map(
        (it) => `packages/p${it % 50}/d${Math.floor(it / 50) % 10}/f${Math.floor(it / 500)}*.ts`,
      ),
    },
    changed: range(50).map((it) => fileOf(it, 0)),
  },
];

async function build(demo: DemoProject, { files, features, changed }: Layout): Promise<void> {
  for (const index of range(files)) {
    demo.write(fileOf(Math.floor(index / 200), index % 200), `export const v = ${index};\n`);
  }
  const registry = Object.entries(features).map(([name, globs]) => [
    name,
    { files: globs, smoke: ['true'] },
  ]);
  demo.write('lanehold.json', JSON.stringify({ features: Object.fromEntries(registry) }));
  await demo.git('add', '--all');
  await demo.git('commit', '--quiet', '--message', 'Start');
  await demo.git('push', '--quiet', '--set-upstream', 'origin', 'main');
  for (const path of changed) demo.write(path, 'export const v = -1;\n');
  await demo.git('commit', '--quiet', '--all', '--message', 'Touch them');
}

async function measured(demo: DemoProject, job: Job): Promise<{ ms: number; mb?: number }> {
  const [program, ...args] = job.command;
  const withMemory = existsSync(MEASURES_MEMORY);
  const { stdout, stderr, wallMs } = await demo.run(
    withMemory ? MEASURES_MEMORY : program,
    withMemory ? ['-f', 'kB=%M', program, ...args] : args,
    { input: job.payload ?? '', ...(job.by && { env: job.by.env }) },
  );
  if (!stdout.includes(job.says))
    throw new Error(`${job.name} did not do its work: ${stdout}${stderr}`);
  const kB = /^kB=(\d+)$/m.exec(stderr)?.[1];
  const ofResident = job.by?.way === 'warm' ? await mostMemory(demo, job.by) : 0;
  return {
    ms: wallMs,
    ...(kB === undefined ? {} : { mb: Math.max(Number(kB) / 1000, ofResident) }),
  };
}

async function mostMemory(demo: DemoProject, by: Installation): Promise<number> {
  const status = readFileSync(`/proc/${await residentOf(demo, by)}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1000;
}

const median = (all: readonly number[]): number =>
  all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0;

async function report(demo: DemoProject, job: Job, limit: Job['limit']): Promise<void> {
  const found: { ms: number; mb?: number }[] = [];
  const bare: number[] = [];
  for (const _ of range(job.once ? 1 : runs)) {
    bare.push((await demo.run(process.execPath, ['-e', '0'])).wallMs);
    found.push(await measured(demo, job));
  }
  const [first, ...later] = found.map((it) => it.ms);
  const ms = median(found.map((it) => it.ms));
  const mb = Math.max(...found.map((it) => it.mb ?? 0));
  const isOver = limit !== undefined && (ms > limit.ms || mb > limit.mb);
  if (isOver) process.exitCode = 1;
  const memory = mb === 0 ? '' : `, ${mb.toFixed(0)} MB`;
  const limits = limit ? ` (limits ${limit.ms} ms, ${limit.mb} MB)${isOver ? ' PASSED' : ''}` : '';
  const beside = `bare Node ${median(bare).toFixed(0)} ms`;
  // Of a commit that no earlier program has looked at, nothing is kept.
  const firstTime = later.length === 0 ? '' : `, the first time ${first?.toFixed(0)} ms`;
  console.log(`  ${job.name}: ${ms.toFixed(0)} ms${firstTime}${memory}${limits}; ${beside}`);
}

for (const layout of LAYOUTS) {
  await withDemoProject('scale', async (demo) => {
    process.stderr.write(`building a repository: ${layout.title}\n`);
    await build(demo, layout);
    console.log(layout.title);
    const [warm, cold] = [await install(demo, 'warm'), await install(demo, 'cold')];
    try {
      await startResident(demo, warm);
      for (const job of [...hookJobs(demo, warm), ...hookJobs(demo, cold), ...jobs()])
        await report(demo, job, layout === LAYOUTS[0] ? job.limit : undefined);
    } finally {
      await demo.run('lanehold', ['resident', 'stop'], { env: warm.env });
    }
  });
}
