import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type RunOptions, run } from '../../../src/base/process/run.ts';
import { inTime } from '../../support/in-time.ts';
import { expectGone } from '../../support/pids.ts';
import { sandbox } from '../../support/sandbox.ts';

const env = { PATH: process.env.PATH };

const sh = (script: string, options: Partial<RunOptions> = {}) =>
  run('/bin/sh', ['-c', script], { cwd: '/', env, ...options });

test('returns what was said, in full, and the exit code', async () => {
  const ran = await sh('printf out; printf err >&2; exit 3');
  expect(ran).toEqual({ kind: 'exited', exitCode: 3, stdout: Buffer.from('out'), stderr: 'err' });
  const large = await sh('head -c 5000000 /dev/zero');
  expect(large.kind === 'exited' && large.stdout.length).toBe(5_000_000);
});

test('keeps bytes as they are', async () => {
  const input = Buffer.from([0, 0xff, 0x0a, 0x80]);
  const ran = await run('cat', [], { cwd: '/', env, input });
  expect(ran).toMatchObject({ kind: 'exited', stdout: input });
});

test('starts no shell', async () => {
  const ran = await run('printf', ['%s|', '$HOME', '; exit 7', "'", '*'], { cwd: '/', env });
  expect(ran).toMatchObject({ kind: 'exited', exitCode: 0 });
  expect(ran.kind === 'exited' && ran.stdout.toString()).toBe("$HOME|; exit 7|'|*|");
});

test('hands over the environment that it was given, and no other', async () => {
  const ran = await run('/usr/bin/env', [], { cwd: '/', env: { ONLY: 'this' } });
  expect(ran.kind === 'exited' && ran.stdout.toString()).toBe('ONLY=this\n');
});

test('a program that reads none of a large input is no failure', async () => {
  const ran = await sh('exec true', { input: 'x'.repeat(5_000_000) });
  expect(ran).toMatchObject({ kind: 'exited', exitCode: 0 });
});

test.each([
  ['a program that is not there', 'lanehold-nowhere', '/', 'not found'],
  ['a folder that is not there', 'true', '/nowhere/at/all', 'there is no folder /nowhere/at/all'],
  ['a program that may not be run', '/etc', '/', /EACCES/],
])('%s is an outcome with a reason', async (_, program, cwd, why) => {
  expect(await run(program, [], { cwd, env })).toEqual({
    kind: 'failed',
    why: typeof why === 'string' ? why : expect.stringMatching(why),
  });
});

test('so is one that is given more than the system takes', async () => {
  const why = 'it would get more text than this system takes';
  expect(await run('true', ['x'.repeat(200_000)], { cwd: '/', env })).toEqual({
    kind: 'failed',
    why,
  });
});

test('a program that a signal ends says which', async () => {
  expect(await sh('kill -TERM $$')).toEqual({ kind: 'failed', why: 'was killed by SIGTERM' });
});

test('a program that takes too long is ended with all that it has started', async () => {
  const started = await inTime(async (timeoutMs) => {
    const pids = sandbox().write('pids', '');
    const script = `sleep 60 & echo $! > ${pids}; sh -c 'trap "" TERM HUP; sleep 60' & echo $! >> ${pids}; wait`;
    const why = `timed out after ${timeoutMs / 1000} s`;
    expect(await sh(script, { timeoutMs })).toEqual({ kind: 'failed', why });
    const found = readFileSync(pids, 'utf8').split('\n').slice(0, -1).map(Number);
    return found.length === 2 && found;
  });
  for (const pid of started) await expectGone(pid);
});

test('one that has left its group does not keep the answer back', async () => {
  const ran = await sh('setsid sleep 5 & wait', { timeoutMs: 300 });
  expect(ran).toEqual({ kind: 'failed', why: 'timed out after 0.3 s' });
});

test('a program that writes without end is ended', async () => {
  const ran = await sh('yes', { maxOutputBytes: 1_000_000 });
  expect(ran).toEqual({ kind: 'failed', why: 'wrote more than 1000000 bytes' });
});

test('complaints without end are cut', async () => {
  const ran = await sh('head -c 5000000 /dev/zero | tr "\\0" x >&2');
  expect(ran).toMatchObject({ kind: 'exited', exitCode: 0 });
  expect(ran.kind === 'exited' && ran.stderr.length).toBeLessThan(200_000);
});

test('Ctrl-C while an attached program runs is meant for that alone', async () => {
  const module = new URL('../../../src/base/process/run.ts', import.meta.url).href;
  const program = `
    const { runAttached } = await import(${JSON.stringify(module)});
    process.on('SIGINT', () => console.log('heard'));
    const surroundings = { cwd: '/', env: process.env };
    console.log(runAttached('/bin/sh', ['-c', 'kill -INT $PPID; exit 3'], surroundings));
    setTimeout(() => {
      console.log('goes on');
      process.kill(process.pid, 'SIGINT');
      setTimeout(() => undefined, 50);
    }, 50);`;
  const args = ['--input-type=module', '-e', program];
  const ran = await run(process.execPath, args, { cwd: '/', env });
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  expect(ran.kind === 'exited' && `${ran.stdout}`).toBe('3\ngoes on\nheard\n');
});
