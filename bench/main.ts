/**
 * `npm run bench [-- --runs N] [--json] [--only WORDS] [--files N]`: what each event costs as an agent starts its
 * hook, as a multiple of starting bare Node: answered by the resident process, and by a Node of its own. Node and
 * the two ways take turns, so that a busy machine slows all; ratios compare medians of one run only. Ends with 0
 * whatever the figures say, and with 1 if an event did not do its work, for then its figure would mean nothing.
 *
 * `--only` measures moments with these words in their names, and `--files` the repository of so many files.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type DemoProject, withDemoProject } from '../scripts/demo/demo-project.ts';
import { buildRepository, type Installation, install, residentOf, startResident } from './data.ts';
import { MOMENTS, type Moment, payloadOf, sessionEvents } from './moments.ts';
import { type Ended, openStarter } from './starter.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '25' },
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    files: { type: 'string' },
  },
});
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1)
  throw new Error(`--runs ${values.runs} is no number of runs`);

const SIZES = [100, 10_000];
const IDLE_MS = 5_000;
/** Of the machine's clock, in which the kernel counts what a process has used. */
const TICK_MS = 10;

const print = (line: string): void => {
  if (!values.json) process.stdout.write(`${line}\n`);
};
const progress = (line: string): boolean => process.stderr.write(`${line}\n`);
const starter = openStarter();

/** The hook did not do what the moment's name says. */
class WrongAnswerError extends Error {}

interface Figure {
  readonly moment: string;
  readonly files: number;
  readonly way: Installation['way'];
  readonly bareMs: number;
  /** Of bare Node: the median, and what nine of ten runs do not pass. */
  readonly ratio: number;
  readonly p90: number;
  readonly budget: number | undefined;
}

const at = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN;

function play(demo: DemoProject, { env, commands }: Installation, event: string, own: object) {
  const line = commands.get(event);
  if (!line) throw new Error(`nothing is installed for ${event || 'the status line'}`);
  const input = payloadOf(demo, event, own);
  return starter.run({ command: ['/bin/sh', '-c', line], env, cwd: demo.project, input });
}

async function runOnce(demo: DemoProject, to: Installation, moment: Moment): Promise<Ended> {
  const { name, event, before, payload, holds } = moment;
  if (before !== undefined) await play(demo, to, before.event, before.payload(''));
  const ended = await play(demo, to, event, payload(''));
  if (holds(ended)) return ended;
  const said = `${ended.stdout}${ended.stderr}`.trim();
  throw new WrongAnswerError(`not measured: ${name}, ${to.way}: ended with ${ended.code}: ${said}`);
}

async function measure(
  demo: DemoProject,
  ways: readonly Installation[],
  moment: Moment,
  files: number,
): Promise<Figure[]> {
  for (const it of ways) {
    await moment.prepare?.(demo, it);
    // The first runs fill caches, and the resident process compiles what it runs often.
    for (let run = 0; run < 5; run += 1) await runOnce(demo, it, moment);
  }
  const bare: number[] = [];
  const times = ways.map((): number[] => []);
  const nodeAlone = {
    command: [process.execPath, '-e', '0'],
    cwd: demo.project,
    input: '',
  } as const;
  for (let turn = 0; turn < runs; turn += 1) {
    bare.push((await starter.run({ ...nodeAlone, env: demo.env })).wallMs);
    for (const [index, it] of ways.entries())
      times[index]?.push((await runOnce(demo, it, moment)).wallMs);
  }
  const bareMs = at(bare, 0.5);
  return ways.map(({ way }, index) => {
    const own = times[index] ?? [];
    const [warm, large, cold] = moment.budget ?? [];
    const ofCold = files === 100 ? cold : undefined;
    const budget = way === 'cold' ? ofCold : files === 100 ? warm : large;
    const [ratio, p90] = [at(own, 0.5) / bareMs, at(own, 0.9) / bareMs];
    return { moment: moment.name, files, way, bareMs, ratio, p90, budget };
  });
}

function asText({ moment, files, way, bareMs, ratio, p90, budget }: Figure): string {
  const limit = budget === undefined ? '' : `of ${budget} ${ratio <= budget ? 'ok' : 'OVER'}`;
  return [
    moment.padEnd(28),
    `${files.toLocaleString('en-US')} files`.padStart(12),
    way,
    `${ratio.toFixed(2)} x`.padStart(7),
    `p90 ${p90.toFixed(2)} x`,
    `node ${bareMs.toFixed(1)} ms`,
    limit,
  ].join('  ');
}

/** Wall time of all hooks of a session of 200 tool calls. */
async function sessionMs(demo: DemoProject, to: Installation): Promise<number> {
  let total = 0;
  for (const { event, own } of sessionEvents())
    if (to.commands.has(event)) total += (await play(demo, to, event, own)).wallMs;
  return total;
}

/** Milliseconds of CPU that a process has used. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_000;

const figures: Figure[] = [];
const residents: object[] = [];
for (const files of SIZES) {
  if (values.files !== undefined && values.files !== String(files)) continue;
  await withDemoProject('bench', async (demo) => {
    progress(`building a repository of ${files} files`);
    await buildRepository(demo, files);
    const [warm, cold] = [await install(demo, 'warm'), await install(demo, 'cold')];
    try {
      await startResident(demo, warm);
      for (const moment of MOMENTS.filter((it) => it.name.includes(values.only))) {
        progress(`${moment.name}, ${files} files, ${runs} runs`);
        try {
          const measured = await measure(demo, [warm, cold], moment, files);
          figures.push(...measured);
          for (const it of measured) print(asText(it));
        } catch (error) {
          if (!(error instanceof WrongAnswerError)) throw error;
          progress(error.message);
          process.exitCode = 1;
        }
      }
      const pid = await residentOf(demo, warm);
      const [ofWarm, ofCold] = [await sessionMs(demo, warm), await sessionMs(demo, cold)];
      const before = cpuOf(pid);
      await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
      const idle = { ms: IDLE_MS, cpuMs: cpuOf(pid) - before };
      const memoryMb = memoryOf(pid);
      residents.push({ files, sessionMs: { warm: ofWarm, cold: ofCold }, idle, memoryMb });
      print(
        `200 tool calls, ${files.toLocaleString('en-US')} files: ${(ofWarm / 1000).toFixed(2)} s warm (of 2.5 s), ` +
          `${(ofCold / 1000).toFixed(2)} s cold; idle for ${IDLE_MS / 1000} s: ${idle.cpuMs} ms of CPU; ${memoryMb.toFixed(0)} MB`,
      );
    } finally {
      await demo.run('lanehold', ['resident', 'stop'], { env: warm.env });
    }
  });
}
starter.close();
const budgeted = figures.filter((it) => it.budget !== undefined);
const within = budgeted.filter((it) => it.ratio <= (it.budget ?? 0)).length;
print(`${within} of ${budgeted.length} figures with a budget are within it`);
if (values.json) {
  const machine = { node: process.version, platform: `${process.platform}-${process.arch}` };
  process.stdout.write(`${JSON.stringify({ runs, machine, figures, residents })}\n`);
}
