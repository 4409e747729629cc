/**
 * `npm run bench:ui`: what the page costs. The sizes of what a browser loads; then, in a run of 60 lanes that were
 * worked on, the time of a look, and processor time and memory of a server whose open page nobody touches. Exits with
 * 1 if one of them is above its limit.
 */
import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { cliCommand, type DemoProject, withDemoProject } from '../scripts/demo/demo-project.ts';

const LANES = Number(process.argv[2] ?? 60);
const MOST = { lookMs: 30, cpuPercent: 0.5, memoryMb: 90 };
const LOOKS = 40;
const IDLE_MS = 30_000;
const TIMEOUT_MS = 600_000;

execFileSync(process.execPath, [join(import.meta.dirname, '../scripts/bundle-size.mjs')], {
  stdio: 'inherit',
});
await withDemoProject('bench-ui', async (demo) => {
  await playLanes(demo);
  const page = await openPage(demo);
  try {
    const stream = await page.ask('/api/-/changes');
    stream.resume();
    for (const [view, what] of [
      ['lanes', `a look at ${LANES} lanes`],
      ['needs', 'a look at who needs you'],
    ]) {
      const before = cpuMs(page.pid);
      const times = await looks(page, `/api/-/${view}`);
      // On a loaded machine a look takes longer, but costs no more.
      say(`${what}, processor`, (cpuMs(page.pid) - before) / LOOKS, MOST.lookMs, 'ms');
      say(`${what}, until it is there (median)`, median(times), 0, 'ms');
    }
    await pause(10_000);
    const before = cpuMs(page.pid);
    await pause(IDLE_MS);
    const percent = ((cpuMs(page.pid) - before) / IDLE_MS) * 100;
    say(
      `processor of an idle server, a page open for ${IDLE_MS / 1000} s`,
      percent,
      MOST.cpuPercent,
      '%',
    );
    say('memory of it', memoryMb(page.pid, 'VmRSS'), MOST.memoryMb, 'MB');
    // The rest are pages of Node's own program, which all of its processes share.
    say('  of that its own', memoryMb(page.pid, 'RssAnon'), 0, 'MB');
    stream.destroy();
  } finally {
    await page.end();
  }
});

/** @param most 0: no limit. */
function say(what: string, figure: number, most: number, unit: string): void {
  const isOver = most > 0 && figure > most;
  const limit = most === 0 ? '' : `  of ${most} ${unit} ${isOver ? 'OVER' : 'ok'}`;
  process.stdout.write(`${what.padEnd(58)}  ${figure.toFixed(2).padStart(7)} ${unit}${limit}\n`);
  if (isOver) process.exitCode = 1;
}

/** Each lane adds a file; all are verified, and stay. */
async function playLanes(demo: DemoProject): Promise<void> {
  const command = ['/bin/sh', '-c', 'echo a line > "part-$(basename "$PWD").txt"'];
  const workers = { local: { adapter: 'command', command } };
  demo.write('README.md', 'A project\n');
  demo.write('lanehold.json', JSON.stringify({ lanes: { workers } }));
  const lanes = Array.from({ length: LANES }, (_, n) => {
    return { key: `lane-${n}`, desc: `Add part ${n}`, agent: 'local', validate: 'true' };
  });
  demo.write('../plan.json', JSON.stringify({ lanes }));
  await demo.git('add', '--all');
  await demo.git('commit', '--quiet', '--message', 'Start');
  for (const args of [
    ['init', 'Measure'],
    ['plan', '../plan.json'],
    ['spawn', '--ready', '--wait'],
  ]) {
    const options = { limitMs: TIMEOUT_MS };
    const { code, stdout, stderr } = await demo.run('lanehold', ['orchestrate', ...args], options);
    if (code !== 0) throw new Error(`orchestrate ${args.join(' ')} failed:\n${stdout}${stderr}`);
  }
}

interface OpenPage {
  readonly pid: number;
  ask(path: string): Promise<IncomingMessage>;
  end(): Promise<void>;
}

async function openPage(demo: DemoProject): Promise<OpenPage> {
  const [program, ...args] = cliCommand();
  const server: ChildProcessByStdio<null, Readable, null> = spawn(
    program,
    [...args, 'ui', '--no-open'],
    { cwd: demo.project, env: demo.env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [printed] = await once(server.stdout, 'data');
  const [, port, token] = /:(\d+)\/#(\S+)/.exec(String(printed)) ?? [];
  const origin = `http://127.0.0.1:${port}`;
  const ask = (path: string, headers: object, body?: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const method = body === undefined ? 'GET' : 'POST';
      const asked = request(`${origin}${path}`, { method, headers: { ...headers } }, resolve);
      asked.on('error', reject).end(body);
    });
  const json = { origin, 'content-type': 'application/json' };
  const entered = await ask('/enter', json, JSON.stringify({ token }));
  await text(entered);
  const cookie = entered.headers['set-cookie']?.[0]?.replace(/;.*/, '') ?? '';
  return {
    pid: server.pid ?? 0,
    ask: (path) => ask(path, { cookie }),
    async end() {
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
    },
  };
}

async function looks(page: OpenPage, path: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < LOOKS; n += 1) {
    const before = performance.now();
    const answer = await page.ask(path);
    await text(answer);
    if (answer.statusCode !== 200) throw new Error(`${path} answers ${answer.statusCode}`);
    times.push(performance.now() - before);
  }
  return times;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

/** What the process and its programs have used so far; the system counts in hundredths of a second. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10;
}

function memoryMb(pid: number, field: 'VmRSS' | 'RssAnon'): number {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n');
  const line = lines.find((it) => it.startsWith(field)) ?? '';
  return Number(/\d+/.exec(line)) / 1000;
}
