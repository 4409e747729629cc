import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runShell, type ShellRun } from '../../../src/base/process/program.ts';
import { inTime } from '../../support/in-time.ts';
import { expectGone } from '../../support/pids.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';
import { until } from '../../support/until.ts';

const outputOf = ({ root }: Sandbox) => join(root, 'output.log');

function shell(box: Sandbox, command: string, changes: Partial<ShellRun> = {}) {
  return runShell({
    command,
    cwd: box.root,
    env: { PATH: process.env.PATH },
    timeoutMs: 120_000,
    outputFile: outputOf(box),
    maxOutputBytes: 10_000_000,
    signal: new AbortController().signal,
    ...changes,
  });
}

/** The processes that a command wrote down in the file `pids`. */
function startedBy(box: Sandbox): number[] {
  const file = join(box.root, 'pids');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text.split('\n').slice(0, -1).map(Number);
}

test.each([0, 1, 2, 42, 127, 255])('exit code %i is reported as it is', async (exitCode) => {
  const box = sandbox();
  expect(await shell(box, `exit ${exitCode}`)).toMatchObject({ kind: 'exited', exitCode });
});

test('both streams go to one file, in order, that only its owner can read', async () => {
  const box = sandbox();
  await shell(box, 'echo one; echo two >&2; echo three');
  expect(readFileSync(outputOf(box), 'utf8')).toBe('one\ntwo\nthree\n');
  expect((statSync(outputOf(box)).mode & 0o777).toString(8)).toBe('600');
});

test('stdin is empty: nothing waits for a person', async () => {
  const box = sandbox();
  expect(await shell(box, 'cat; read line || echo none')).toMatchObject({ exitCode: 0 });
  expect(readFileSync(outputOf(box), 'utf8')).toBe('none\n');
});

test('only the given environment is there', async () => {
  const box = sandbox();
  await shell(box, '/usr/bin/env | grep -v -e ^PWD= -e ^_= -e ^SHLVL=', {
    env: { A: "it's $HOME" },
  });
  expect(readFileSync(outputOf(box), 'utf8')).toBe("A=it's $HOME\n");
});

test('a command that is not there is the shell’s 127', async () => {
  const box = sandbox();
  expect(await shell(box, 'lanehold-nowhere')).toMatchObject({ kind: 'exited', exitCode: 127 });
});

test('a folder that is not there starts nothing', async () => {
  const box = sandbox();
  const cwd = join(box.root, 'nowhere');
  expect(await shell(box, 'true', { cwd })).toMatchObject({
    kind: 'not-started',
    why: `there is no folder ${cwd}`,
  });
});

test('a command that a signal ends says which', async () => {
  const box = sandbox();
  const ended = await shell(box, 'kill -SEGV $$');
  expect(ended).toMatchObject({ kind: 'killed', why: 'SIGSEGV', aborted: false });
});

describe('nothing is left behind', () => {
  const STUBBORN = `sh -c 'trap "" TERM INT HUP; echo $$ >> pids; while :; do sleep 1; done'`;

  test('when the command has ended and left something in the background', async () => {
    const box = sandbox();
    const command = 'sleep 60 & echo $! >> pids; echo done';
    expect(await shell(box, command)).toMatchObject({ kind: 'exited', exitCode: 0 });
    for (const pid of startedBy(box)) await expectGone(pid);
  });

  test('when it takes too long, and does not want to go', async () => {
    const command = `sleep 60 & echo $! >> pids; ${STUBBORN}`;
    const pids = await inTime(async (timeoutMs) => {
      const box = sandbox();
      expect(await shell(box, command, { timeoutMs })).toMatchObject({ kind: 'timed-out' });
      const started = startedBy(box);
      return started.length === 2 && started;
    });
    for (const pid of pids) await expectGone(pid);
  });

  test('when the caller gives up', async () => {
    const box = sandbox();
    const abort = new AbortController();
    const command = 'sleep 60 & echo $! >> pids; wait';
    const running = shell(box, command, { signal: abort.signal });
    await until('the command to be under way', () => startedBy(box).length > 0);
    abort.abort();
    const ended = await running;
    expect(ended).toMatchObject({ kind: 'killed', why: 'interrupted', aborted: true });
    for (const pid of startedBy(box)) await expectGone(pid);
  });

  test('when it writes without end', async () => {
    const box = sandbox();
    const ended = await shell(box, 'echo $$ >> pids; yes', { maxOutputBytes: 100_000 });
    expect(ended).toMatchObject({ kind: 'killed', why: 'wrote more than 100000 bytes' });
    for (const pid of startedBy(box)) await expectGone(pid);
  });
});

test('a caller that has aborted before is answered at once', async () => {
  const box = sandbox();
  const ended = await shell(box, 'sleep 60', { signal: AbortSignal.abort() });
  expect(ended).toMatchObject({ kind: 'killed', why: 'interrupted', aborted: true });
});
