/**
 * Part of `npm run bench:lanes`: what lanes cost beside their work. Thirty lanes that each add a file, from
 * `spawn` to `land`, beside the same work by plain git in the same run; and the processor time of a lane.
 * Exits with 0 whatever the figures are, and with 1 if not all of them are verified and have landed.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type DemoProject, withDemoProject } from '../scripts/demo/demo-project.ts';

const LANES = Number(process.argv[2] ?? 30);
const MOST = { times: 2.5, cpuS: 0.6 };
const TIMEOUT_MS = 600_000;

const keys = Array.from({ length: LANES }, (_, n) => `lane-${n}`);
const WORK = 'echo "a line of $LANEHOLD_WORKTREE" > "part-$(basename "$PWD").txt"';
const TEST = 'node test.js';

const NOTE_USE = `
const { readFileSync, writeFileSync } = require('node:fs');
process.on('exit', () => {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ').map(Number);
  const seconds = fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) / 100;
  const use = { pid: process.pid, parent: process.ppid, ended: Date.now(), seconds, args: process.argv };
  writeFileSync(FOLDER + '/' + process.pid + '-' + Date.now(), JSON.stringify(use));
});
`;

await withDemoProject('bench-cost', async (demo) => {
  demo.write('test.js', "require('node:assert').equal(1 + 1, 2);\n");
  demo.write('README.md', 'A project\n');
  for (let n = 0; n < 200; n += 1) demo.write(`src/part-${n % 10}/file-${n}.txt`, `${n}\n`);
  const worker = { adapter: 'command', command: ['/bin/sh', '-c', WORK] };
  demo.write('lanehold.json', JSON.stringify({ lanes: { workers: { local: worker } } }));
  await demo.git('add', '--all');
  await demo.git('commit', '--quiet', '--message', 'Start');
  const plain = await plainGit(demo);
  const { wallMs, cpuS } = await byLanes(demo);
  say(`${LANES} lanes from spawn to landed`, [
    `${(wallMs / 1000).toFixed(1)} s`,
    `git ${(plain / 1000).toFixed(1)} s`,
    `${(wallMs / plain).toFixed(2)} x`,
    `of ${MOST.times} x ${wallMs / plain <= MOST.times ? 'ok' : 'OVER'}`,
  ]);
  say('processor time of a lane beside its work', [
    `${cpuS.toFixed(2)} s`,
    `of ${MOST.cpuS} s ${cpuS <= MOST.cpuS ? 'ok' : 'OVER'}`,
  ]);
});

function say(what: string, figures: readonly string[]): void {
  process.stdout.write(`${what.padEnd(50)}  ${figures.join('  ')}\n`);
}

/** A worktree, a commit and a test for each, then a merge of each and a test of the result. */
async function plainGit(demo: DemoProject): Promise<number> {
  const script = [
    `set -e; mkdir ../plain; git branch plain-main`,
    `lane() { git worktree add --quiet -b "plain-$1" "../plain/$1" main; cd "../plain/$1"; ${WORK}`,
    `git add --all; git commit --quiet -m "$1"; ${TEST}; }`,
    `for key in ${keys.join(' ')}; do (lane $key); done`,
    `git worktree add --quiet ../plain/all plain-main; cd ../plain/all`,
    `for key in ${keys.join(' ')}; do git merge --quiet --no-ff --no-edit plain-$key; done`,
    TEST,
    `for key in ${keys.join(' ')}; do git worktree remove ../$key; done`,
  ].join('\n');
  const { code, stderr, wallMs } = await demo.run('/bin/sh', ['-c', script], {
    limitMs: TIMEOUT_MS,
  });
  if (code !== 0) throw new Error(`plain git failed:\n${stderr}`);
  return wallMs;
}

async function byLanes(demo: DemoProject) {
  await lanehold(demo, 'init', 'Measure');
  for (const key of keys) {
    const options = ['--desc', 'Add a file', '--agent', 'local', '--validate', TEST];
    await lanehold(demo, 'lane', 'add', key, ...options);
  }
  const account = accounting(demo);
  await untilQuiet(demo);
  const before = performance.now();
  await lanehold(account.demo, 'spawn', ...keys, '--wait');
  await lanehold(account.demo, 'integrate');
  await lanehold(account.demo, 'land');
  const wallMs = performance.now() - before;
  await delay(1_000);
  return { wallMs, cpuS: account.seconds() / LANES };
}

async function untilQuiet(demo: DemoProject): Promise<void> {
  for (let n = 0; n < 60; n += 1) {
    const { stdout } = await demo.run('ps', ['-ww', '-eo', 'args=']);
    if (!stdout.includes('--baseline=')) return;
    await delay(500);
  }
}

async function lanehold(demo: Pick<DemoProject, 'run'>, ...args: string[]): Promise<string> {
  const options = { limitMs: TIMEOUT_MS };
  const { code, stdout, stderr } = await demo.run('lanehold', ['orchestrate', ...args], options);
  if (code !== 0) throw new Error(`lanehold orchestrate ${args.join(' ')} failed:\n${stderr}`);
  return stdout;
}

/** Each Node notes at its end what it and the programs that it waited for have used. */
function accounting(demo: DemoProject) {
  const folder = join(demo.root, 'used');
  mkdirSync(folder);
  const hook = join(demo.root, 'account.cjs');
  writeFileSync(hook, NOTE_USE.replace('FOLDER', JSON.stringify(folder)));
  const env = { ...demo.env, NODE_OPTIONS: `--require=${hook}` };
  const run: DemoProject['run'] = (program, args, options) =>
    demo.run(program, args, { ...options, env });
  const seconds = (): number => {
    const all = readdirSync(folder).map(
      (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Use,
    );
    // What ended before the process that waited for it is in that one's sum.
    const own = all.filter(
      (it) => !all.some(({ pid, ended }) => pid === it.parent && ended >= it.ended),
    );
    return own.reduce((sum, it) => sum + it.seconds, 0);
  };
  return { demo: { ...demo, run }, seconds };
}

interface Use extends Readonly<Record<'pid' | 'parent' | 'ended' | 'seconds', number>> {}
