/** C2: what a supervisor makes of the traces of another one, and who does not become one. */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startGuarded } from '../../../src/base/process/guard.ts';
import { heldSlots } from '../../../src/base/process/slots.ts';
import { attemptProcess, kill } from '../../support/attempt-processes.ts';
import { expectWell, halfDone } from '../../support/half-done.ts';
import { isLive, laneEvents, laneFacts, rows, tamper } from '../../support/lane-facts.ts';
import { type LaneProject, laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { runNode } from '../../support/program.ts';
import { CLI_PROGRAM } from '../../support/sandbox.ts';

const EVERYBODY = ['supervisor', 'guard', 'worker'] as const;

test('C2: lanes go on without the coordinator and its whole group of processes', async () => {
  const project = laneProject({
    scenario: {
      lanes: { a: [[{ raise: 'half' }, { waitFor: 'go' }, { write: { 'a.txt': 'a' } }]] },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  const coordinator = spawn(
    process.execPath,
    [CLI_PROGRAM, 'orchestrate', 'spawn', 'a', '--wait'],
    {
      cwd: project.repo,
      env: project.env,
      stdio: 'ignore',
      detached: true,
    },
  );
  await project.until('the worker', () => project.isRaised('half'));
  process.kill(-(coordinator.pid ?? 0), 'SIGKILL');
  project.raise('go');
  await run.reaches('a', 'verified');
  expect(run.lane('a').attempt?.epoch).toBe(1);
  expectWell(project);
});

test('C2: who has supervised a short lane goes on with the next one, which loses nothing if it is killed', async () => {
  const work = (key: string) => [
    [{ raise: key }, { waitFor: `go-${key}` }, { write: { [`${key}.txt`]: key } }],
  ];
  const project = laneProject({ scenario: { lanes: { a: work('a'), b: work('b') } } });
  const run = laneRun(project);
  await run.init('One after the other', '--parallel', '1');
  for (const key of ['a', 'b']) await run.add(key);
  await run.spawn();
  await project.until('the first worker', () => project.isRaised('a'));
  const first = attemptProcess(project, 'a', 'supervisor');
  project.raise('go-a');
  await project.until('the next worker', () => project.isRaised('b'));
  expect(first).toBeDefined();
  expect(attemptProcess(project, 'b', 'supervisor')).toEqual(first);
  expect(run.states().a).toBe('verified');
  await kill(project, 'b', ['supervisor']);
  project.raise('go-b');
  await run.settled();
  expect(run.states()).toEqual({ a: 'verified', b: 'verified' });
  expect([run.lane('a'), run.lane('b')].map(({ attempts }) => attempts.length)).toEqual([1, 1]);
  expect(run.lane('b').attempt?.epoch).toBe(2);
  expectWell(project);
});

test('C2: after a reboot nobody is believed to live; the work goes on from what is there', async () => {
  const { project, run } = await halfDone();
  await kill(project, 'a', EVERYBODY);
  tamper(project, "UPDATE attempts SET boot_id = 'of an earlier start of the machine'");
  await run.settled();
  const lane = run.lane('a');
  expect(lane.attempts[0]).toMatchObject({ end_reason: 'lost', end_detail: 'reboot' });
  expect(lane.state).toBe('verified');
  expect(project.git('show', `${lane.head_sha}:half.txt`)).toBe('half');
  expectWell(project);
});

test('C2: a validation that a reboot has cut off is run again, by the same attempt', async () => {
  const { project, run } = await halfDone({ validate: 'fake-check slow' });
  project.raise('go');
  await project.until('the validation', () => project.isRaised('checking'));
  await kill(project, 'a', ['supervisor']);
  for (const it of project.processesLeft()) project.signal(it, 'SIGKILL');
  tamper(project, "UPDATE attempts SET boot_id = 'of an earlier start of the machine'");
  project.raise('checked');
  await run.settled();
  expect(run.lane('a')).toMatchObject({ state: 'verified', attempt: { n: 1, epoch: 2 } });
  expectWell(project);
});

test('C2: a process that has the number of a guard that died is nobody, and is left alone', async () => {
  const { project, run } = await halfDone();
  const stranger = spawn('sleep', ['1000'], { stdio: 'ignore' });
  onTestFinished(() => void stranger.kill('SIGKILL'));
  const { dir } = run.lane('a').attempt ?? { dir: '' };
  await kill(project, 'a', EVERYBODY);
  tamper(project, `UPDATE attempts SET guard_pid = ${stranger.pid}`);
  writeFileSync(join(dir, 'guard.json'), JSON.stringify({ pid: stranger.pid }));
  await run.settled();
  expect(run.lane('a').attempts[0]?.end_reason).toBe('lost');
  expect(run.lane('a').state).toBe('verified');
  expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
  expectWell(project);
});

test('C2: whoever takes over holds the slot and the ports of the worker', async () => {
  const { project, run } = await halfDone({
    work: [{ sh: 'printf %s "$LANEHOLD_PORT_0" > port.txt' }, { raise: 'half' }, { waitFor: 'go' }],
    validate: 'test -s port.txt && test "$LANEHOLD_PORT_0" = "$(cat port.txt)"',
    more: ['--ports', '1'],
  });
  await kill(project, 'a', ['supervisor']);
  await run.looksUntil(
    'another supervisor',
    () =>
      attemptProcess(project, 'a', 'supervisor') !== undefined &&
      run.lane('a').attempt?.epoch === 2,
  );
  const locks = join(project.box.laneholdHome, 'locks');
  await project.until('the slot', () => heldSlots(locks, 'worker') === 1);
  project.raise('go');
  await run.settled();
  expect(run.lane('a').state).toBe('verified');
  expect(heldSlots(locks, 'worker')).toBe(0);
  expect(readdirSync(join(locks, 'ports'))).toEqual([]);
  expectWell(project);
});

test('C2: the package is replaced and removed while a lane is at work: it ends as it began', async () => {
  const project = laneProject({
    scenario: {
      lanes: { a: [[{ raise: 'half' }, { waitFor: 'go' }, { write: { 'a.txt': 'a' } }]] },
    },
  });
  const cli = installedPackage(project);
  const orchestrate = (...args: readonly string[]) =>
    runNode(cli, ['orchestrate', ...args], { cwd: project.repo, env: project.env });
  await orchestrate('init', 'Outlive an update');
  await orchestrate(
    'lane',
    'add',
    'a',
    '--desc',
    'Work',
    '--agent',
    'claude-code',
    '--validate',
    'test -e a.txt',
  );
  await orchestrate('spawn', 'a');
  await project.until('the worker', () => project.isRaised('half'));
  const folder = dirname(dirname(cli));
  writeFileSync(join(folder, 'dist', 'supervisor', 'supervisor.cjs'), 'process.exit(3);\n');
  rmSync(folder, { recursive: true });
  project.raise('go');
  const run = laneRun(project);
  await run.reaches('a', 'verified');
  expect(run.lane('a').attempt?.epoch).toBe(1);
  expectWell(project);
});

/** A copy of the built package, so that nobody else runs what is done to it. */
function installedPackage(project: LaneProject): string {
  const source = dirname(dirname(CLI_PROGRAM));
  const folder = join(project.box.root, 'installed');
  for (const name of ['bin', 'dist', 'migrations', 'schema', 'package.json']) {
    cpSync(join(source, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(source, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'bin', 'lanehold.js');
}

test('C2: whoever comes late for a cancelled run has no part in the next one', async () => {
  const { project, run } = await halfDone();
  const old = run.lane('a').attempt;
  expect(old).toBeDefined();
  if (old === undefined) return;
  await run.orchestrate('cancel');
  expect(run.lane('a')).toMatchObject({ state: 'cancelled', attempt: { state: 'cancelled' } });
  expect(project.processesLeft()).toEqual([]);
  project.setScenario({
    lanes: { a: [[{ raise: 'next' }, { waitFor: 'go' }, { write: { b: 'b' } }]] },
  });
  await run.orchestrate('init', 'The next one', '--name', 'next');
  await run.orchestrate(
    ...['lane', 'add', 'a', '--desc', 'Work', '--agent', 'claude-code'],
    ...['--validate', 'test -e b'],
  );
  await run.orchestrate('spawn', 'a');
  await project.until('the next worker', () => project.isRaised('next'));

  const env = { ...project.env, LANEHOLD_ATTEMPT: old.id, LANEHOLD_STAGE: 'worker' };
  const strict = Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : []));
  startGuarded({
    dir: old.dir,
    program: '/bin/sh',
    args: ['-c', 'echo late > late.txt'],
    cwd: old.worktree,
    env: Object.fromEntries(strict),
    stdinFile: undefined,
  });
  writeFileSync(join(old.dir, 'exit.json'), '{"code":0}\n');
  const [runtime] = readdirSync(join(project.box.laneholdHome, 'runtime'));
  const supervisor = join(project.box.laneholdHome, 'runtime', runtime ?? '', 'supervisor.cjs');
  const modules = join(dirname(dirname(CLI_PROGRAM)), 'node_modules');
  const late = await runNode(supervisor, [old.id], {
    cwd: old.dir,
    env: { ...project.env, NODE_PATH: modules },
  });
  expect(late.exitCode).toBe(0);
  await project.until('the end of the late one', () => project.processesLeft(old.id).length === 0);

  project.raise('go');
  await run.settled();
  expect(laneFacts(project).map(({ state }) => state)).toEqual(['cancelled', 'verified']);
  expect(laneEvents(project, 'attempt.ended')).toHaveLength(1);
  expect(existsSync(join(old.worktree, 'late.txt'))).toBe(false);
});

test('C2: a supervisor that a worker has started does not end with that worker', async () => {
  const project = laneProject({
    scenario: {
      lanes: {
        a: [
          [
            { waitFor: 'look' },
            { write: { 'a.txt': 'a' } },
            { lanehold: ['orchestrate', 'status'] },
          ],
        ],
        b: [[{ raise: 'b' }, { waitFor: 'go' }, { write: { 'b.txt': 'b' } }]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.add('b');
  await run.spawn('a', 'b');
  await project.until('b', () => project.isRaised('b'));
  await kill(project, 'b', ['supervisor']);
  // For a second and a half after one was started nobody starts another.
  const started = Number(run.lane('b').attempt?.launched_at);
  await project.until('the next start to be due', () => Date.now() > started + 1_500);
  project.raise('look');
  await project.until('the worker to have looked', () => run.lane('b').attempt?.epoch === 2);
  await run.reaches('a', 'verified');
  project.raise('go');
  await run.reaches('b', 'verified');
  expect(run.lane('b').attempt?.epoch).toBe(2);
  expect(isLive(run.lane('b').attempt)).toBe(false);
  expectWell(project);
});

test('C2: a tree whose making was cut short is made whole: no lane deletes what was not there yet', async () => {
  const { project, run } = await halfDone();
  await project.until('a checkpoint', () => rows(project, 'SELECT 1 FROM checkpoints').length > 0);
  const { worktree } = run.lane('a').attempt ?? { worktree: '' };
  const gitDir = project.box.git(worktree, 'rev-parse', '--absolute-git-dir');
  await run.orchestrate('pause');
  // So does a checkout look that was killed: git writes the index in the end.
  rmSync(join(gitDir, 'index'));
  writeFileSync(join(gitDir, 'index.lock'), '');
  rmSync(join(gitDir, 'lanehold-ready'));
  for (const path of ['README.md', 'half.txt']) rmSync(join(worktree, path));
  rmSync(join(worktree, 'src'), { recursive: true });
  await run.orchestrate('resume');
  await run.settled();
  const lane = run.lane('a');
  expect(lane).toMatchObject({ state: 'verified', attempt: { n: 2 } });
  const { base_sha: base, head_sha: head } = lane;
  expect(project.git('diff', '--name-status', base ?? '', head ?? '').split('\n')).toEqual([
    'A\thalf.txt',
    'A\twhole.txt',
  ]);
  expectWell(project);
});

test('C2: what a killed validation left of tracked files does not stand in the way of the next one', async () => {
  const validate =
    'grep -q one src/core.txt && echo broken > src/core.txt && fake-check slow && ' +
    'git checkout --quiet src/core.txt';
  const project = laneProject({
    scenario: {
      lanes: { a: [[{ write: { 'a.txt': 'a' } }]] },
      checks: { slow: [[{ raise: 'checking' }, { waitFor: 'checked' }]] },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { validate });
  await run.spawn();
  await project.until('the validation', () => project.isRaised('checking'));
  await kill(project, 'a', ['supervisor']);
  await run.looksUntil('a takeover', () => (run.lane('a').attempt?.epoch ?? 0) > 1);
  project.raise('checked');
  await run.settled();
  expect(run.lane('a').state).toBe('verified');
  expectWell(project);
});
