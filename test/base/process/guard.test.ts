import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { markedProcesses } from '../../../src/base/process/end-tree.ts';
import { readExit, readPid, startGuarded } from '../../../src/base/process/guard.ts';
import {
  identityOf,
  isAlive,
  processEntry,
  signalProcess,
} from '../../../src/base/process/process-entry.ts';
import { type Attempt, exitOf, fileIsThere, startAttempt } from '../../support/attempts.ts';
import { fixture, inBackground } from '../../support/background.ts';
import { runProgram } from '../../support/program.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';
import { eventually } from '../../support/until.ts';

const sh = (box: Sandbox, script: string, changes = {}) =>
  startAttempt(box, '/bin/sh', ['-c', script], changes);

const shown = ({ dir }: Attempt) => JSON.parse(readFileSync(join(dir, 'stdout.log'), 'utf8'));

const gone = ({ guard }: Attempt) => eventually(() => expect(isAlive(guard)).toBe(false));

test.each([0, 1, 42, 126, 127, 137, 255])('exit code %i is written down', async (code) => {
  const attempt = sh(sandbox(), `exit ${code}`);
  expect(await exitOf(attempt)).toEqual({ code });
});

test('the worker gets its arguments, input and environment as they are', async () => {
  const box = sandbox();
  const args = ['a b', '', '$(touch x)', '`id`', "it's", '"', '*', '\n', '-c', '--', '€ 🙂', '\\'];
  const stdinFile = box.write('prompt.txt', 'Prompt with $(id)\nand 🙂');
  const env = { TEXT: '$(touch y)\n"', dir: 'mine', code: 'mine', LANEHOLD_STAGE: 'worker' };
  const attempt = startAttempt(box, process.execPath, [fixture('proc-show.mjs'), ...args], {
    stdinFile,
    env,
  });
  expect(await exitOf(attempt)).toEqual({ code: 0 });
  const it = shown(attempt);
  expect(it).toMatchObject({ args, cwd: box.root, input: 'Prompt with $(id)\nand 🙂' });
  expect(it.env).toMatchObject({ ...env, LANEHOLD_ATTEMPT: attempt.id });
  expect(Object.keys(it.env).filter((name) => /guard|_lanehold/i.test(name))).toEqual([]);
  expect(it.umask).toBe(process.umask());
  expect(readFileSync(join(attempt.dir, 'stderr.log'), 'utf8')).toBe('to stderr\n');
  expect(existsSync(join(box.root, 'x')) || existsSync(join(box.root, 'y'))).toBe(false);
});

test('any arguments arrive', async () => {
  const box = sandbox();
  const text = fc.string({ unit: 'grapheme' }).filter((it) => !it.includes('\0'));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 5 }), async (args) => {
      const attempt = startAttempt(box, '/usr/bin/printf', ['%s\\0', '', ...args]);
      await exitOf(attempt);
      const said = readFileSync(join(attempt.dir, 'stdout.log'), 'utf8');
      return said === ['', ...args].map((it) => `${it}\0`).join('');
    }),
    { numRuns: 25 },
  );
});

test('the worker inherits no more than any other started program', async () => {
  const box = sandbox();
  const args = ['/proc/self/fd'];
  const attempt = startAttempt(box, 'ls', args);
  await exitOf(attempt);
  const plain = await runProgram('ls', args, { cwd: box.root, env: box.env });
  expect(readFileSync(join(attempt.dir, 'stdout.log'), 'utf8')).toBe(plain.stdout);
});

test('without an input file there is none to wait for', async () => {
  const attempt = startAttempt(sandbox(), 'cat');
  expect(await exitOf(attempt)).toEqual({ code: 0 });
});

test('the files are its owner’s alone, and the worker’s own are as it wants', async () => {
  const box = sandbox();
  const attempt = sh(box, 'umask 022; echo x > made');
  await exitOf(attempt);
  await gone(attempt);
  expect(readdirSync(attempt.dir).toSorted()).toEqual([
    'exit.json',
    'guard.json',
    'stderr.log',
    'stdout.log',
    'worker.json',
  ]);
  for (const name of readdirSync(attempt.dir)) {
    expect([name, statSync(join(attempt.dir, name)).mode & 0o777]).toEqual([name, 0o600]);
  }
  expect(statSync(join(box.root, 'made')).mode & 0o777).toBe(0o644);
});

test('the worker is known by its own pid, which is not the guard’s', async () => {
  const box = sandbox();
  const attempt = sh(box, 'echo $$ > own; exec sleep 60');
  await fileIsThere(join(box.root, 'own'));
  await eventually(() => expect(readFileSync(join(box.root, 'own'), 'utf8')).toMatch(/\n$/));
  expect(readPid(attempt.dir, 'worker')).toBe(Number(readFileSync(join(box.root, 'own'), 'utf8')));
  expect(readPid(attempt.dir, 'worker')).not.toBe(attempt.guard.pid);
});

test('the guard leads a session of its own and says who it is before the worker starts', async () => {
  const box = sandbox();
  const attempt = sh(box, `cat "$DIR"/*/guard.json > seen; sleep 60`, { env: { DIR: box.root } });
  const { pid } = attempt.guard;
  expect(isAlive(attempt.guard)).toBe(true);
  expect(processEntry(pid)).toMatchObject({ group: pid, session: pid });
  await eventually(() => expect(readFileSync(join(box.root, 'seen'), 'utf8')).not.toBe(''));
  expect(JSON.parse(readFileSync(join(box.root, 'seen'), 'utf8'))).toEqual({ pid });
  expect(readPid(attempt.dir, 'guard')).toBe(pid);
  expect(readExit(attempt.dir)).toBe('none');
  expect(markedProcesses(attempt.id).filter((it) => it.guard)).toMatchObject([{ pid }]);
});

test.each([
  ['lanehold-nowhere', 127],
  ['./lanehold nowhere', 127],
  // A word of the shell's own, not a program.
  ['exit', 127],
  ['./text.txt', 126],
  ['/', 126],
])('what is no program, `%s`, is code %i', async (program, code) => {
  const box = sandbox();
  box.write('text.txt', 'text');
  const attempt = startAttempt(box, program);
  expect(await exitOf(attempt)).toEqual({ code });
});

test('a program that cannot be started is explained', () => {
  const box = sandbox();
  const start = { dir: box.root, args: [], env: {}, cwd: box.root, stdinFile: undefined };
  expect(() => startGuarded({ ...start, program: '-c' })).toThrow('there is no program `-c`');
  expect(() => startGuarded({ ...start, program: '' })).toThrow('there is no program');
  const cwd = join(box.root, 'nowhere');
  expect(() => startGuarded({ ...start, program: 'true', cwd })).toThrow(`no folder ${cwd}`);
  const args = ['x'.repeat(3_000_000)];
  expect(() => startGuarded({ ...start, program: 'true', args })).toThrow('cannot be started');
});

test.each(['SIGKILL', 'SIGSEGV', 'SIGTERM'] as const)('a worker that %s ends', async (signal) => {
  const attempt = sh(sandbox(), `kill -${signal.slice(3)} $$`);
  const code = { SIGKILL: 137, SIGSEGV: 139, SIGTERM: 143 }[signal];
  expect(await exitOf(attempt)).toEqual({ code });
  // The shell's own message must not look like the worker's.
  expect(readFileSync(join(attempt.dir, 'stderr.log'), 'utf8')).toBe('');
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s to the whole group ends the worker, and the guard says so',
  async (signal) => {
    const box = sandbox();
    const attempt = sh(box, 'touch started; exec sleep 60');
    await fileIsThere(join(box.root, 'started'));
    process.kill(-attempt.guard.pid, signal);
    const code = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 }[signal];
    expect(await exitOf(attempt)).toEqual({ code });
    await gone(attempt);
  },
);

test('a signal while the exit code is written does not prevent it', async () => {
  const box = sandbox();
  const slow = box.write('bin/mv', '#!/bin/sh\ntouch moving\nsleep 0.3\nexec /bin/mv "$@"\n');
  chmodSync(slow, 0o755);
  const env = { PATH: `${join(box.root, 'bin')}:${process.env.PATH}` };
  const attempt = sh(box, 'exit 3', { env });
  await fileIsThere(join(box.root, 'moving'));
  process.kill(-attempt.guard.pid, 'SIGTERM');
  expect(await exitOf(attempt)).toEqual({ code: 3 });
});

test('a worker that answers a signal has the time to', async () => {
  const box = sandbox();
  const attempt = sh(box, `trap 'sleep 0.3; exit 7' TERM; touch started; sleep 60 & wait`);
  await fileIsThere(join(box.root, 'started'));
  process.kill(-attempt.guard.pid, 'SIGTERM');
  expect(await exitOf(attempt)).toEqual({ code: 7 });
});

test('the worker lives on without its guard, and there is no exit code', async () => {
  const box = sandbox();
  const attempt = sh(box, 'touch started; exec sleep 60');
  await fileIsThere(join(box.root, 'started'));
  expect(signalProcess(attempt.guard, 'SIGKILL')).toBe(true);
  await gone(attempt);
  expect(readExit(attempt.dir)).toBe('none');
  expect(markedProcesses(attempt.id)).toHaveLength(1);
});

test('the exit code is known after the supervisor is gone', async () => {
  const box = sandbox();
  const dir = join(box.root, 'attempt');
  mkdirSync(dir);
  const script = 'until [ -e go ]; do sleep 0.02; done; exit 9';
  const start = { dir, program: 'sh', args: ['-c', script], cwd: box.root };
  box.write('start.json', JSON.stringify({ ...start, env: { PATH: process.env.PATH } }));
  const supervisor = await inBackground('proc-start-guarded.mjs', [join(box.root, 'start.json')]);
  await supervisor.signal('SIGKILL');
  expect(readExit(dir)).toBe('none');
  box.write('go', '');
  await eventually(() => expect(readExit(dir)).toEqual({ code: 9 }));
  await eventually(() => expect(identityOf(Number(supervisor.said))).toBeUndefined());
});

test('of two starts in one folder only one starts the worker', async () => {
  const box = sandbox();
  const first = sh(box, 'echo ran >> runs; sleep 0.2');
  const start = { dir: first.dir, program: 'sh', cwd: box.root, stdinFile: undefined };
  const args = ['-c', 'echo ran >> runs; sleep 0.2'];
  const second = startGuarded({ ...start, args, env: { PATH: process.env.PATH ?? '' } });
  await exitOf(first);
  await eventually(() => expect(isAlive(second)).toBe(false));
  expect(readFileSync(join(box.root, 'runs'), 'utf8')).toBe('ran\n');
});

test('after a kill at any moment the exit code is right or missing', async () => {
  const who = fc.constantFrom('guard', 'worker', 'group', 'all' as const);
  await fc.assert(
    fc.asyncProperty(who, fc.integer({ min: 0, max: 60 }), async (target, waitMs) => {
      const attempt = startAttempt(sandbox(), 'sh', ['-c', 'sleep 0.03; exit 9']);
      await delay(waitMs);
      for (const it of markedProcesses(attempt.id)) {
        const hit = target === 'all' || it.guard === (target === 'guard');
        if (target !== 'group' && hit) signalProcess(it, 'SIGKILL');
      }
      if (target === 'group' && isAlive(attempt.guard)) process.kill(-attempt.guard.pid, 'SIGTERM');
      await gone(attempt);
      const exit = readExit(attempt.dir);
      return exit === 'none' || (exit !== 'unreadable' && [9, 137, 143].includes(exit.code));
    }),
    { numRuns: 40 },
  );
});

test('an incomplete file gives no exit code', () => {
  const box = sandbox();
  expect(readExit(box.root)).toBe('none');
  expect(readPid(box.root, 'guard')).toBeUndefined();
  for (const text of ['', '{', '{"code":', '{"code":"0"}', '{"code":-1}', '[]', 'null']) {
    writeFileSync(join(box.root, 'exit.json'), text);
    writeFileSync(join(box.root, 'guard.json'), text);
    expect([text, readExit(box.root)]).toEqual([text, 'unreadable']);
    expect(readPid(box.root, 'guard')).toBeUndefined();
  }
});
