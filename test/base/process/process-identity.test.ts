import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import {
  bootId,
  identityOf,
  isAlive,
  isStopped,
  processEntry,
  signalProcess,
} from '../../../src/base/process/process-entry.ts';
import { eventually } from '../../support/until.ts';

async function sleeper(program = 'sleep', args: readonly string[] = ['60']) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  const identity = identityOf(child.pid ?? 0);
  if (identity === undefined) throw new Error('it is gone already');
  return { child, identity };
}

test('a process is the same until it ends', async () => {
  const { child, identity } = await sleeper();
  expect(isAlive(identity)).toBe(true);
  expect(identityOf(identity.pid)).toEqual(identity);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isAlive(identity)).toBe(false);
  expect(identityOf(identity.pid)).toBeUndefined();
});

test('neither the same pid with another start nor one of another boot is alive, or signalled', async () => {
  const { child, identity } = await sleeper();
  for (const other of [
    { ...identity, start: '1' },
    { ...identity, bootId: 'another' },
  ]) {
    expect(isAlive(other)).toBe(false);
    expect(isStopped(other)).toBe(false);
    expect(signalProcess(other, 'SIGKILL')).toBe(false);
  }
  expect(isAlive(identity)).toBe(true);
  expect(signalProcess(identity, 'SIGKILL')).toBe(true);
  await once(child, 'exit');
});

test('a stopped process is alive', async () => {
  const { identity } = await sleeper();
  expect(isStopped(identity)).toBe(false);
  signalProcess(identity, 'SIGSTOP');
  await eventually(() => expect(isStopped(identity)).toBe(true));
  expect(isAlive(identity)).toBe(true);
  signalProcess(identity, 'SIGCONT');
  await eventually(() => expect(isStopped(identity)).toBe(false));
});

test('a zombie is not alive', async () => {
  // `exec` makes a parent of it that never waits, which a shell may do before.
  const { child } = await sleeper('sh', ['-c', 'sleep 60 & echo $!; exec tail -f /dev/null']);
  const [line] = await once(child.stdout, 'data');
  const parent = () => readFileSync(`/proc/${child.pid}/comm`, 'utf8').trim();
  await eventually(() => expect(parent()).toBe('tail'));
  const identity = identityOf(Number(String(line)));
  if (identity === undefined) throw new Error('it is gone already');
  expect(signalProcess(identity, 'SIGKILL')).toBe(true);
  await eventually(() => expect(processEntry(identity.pid)?.state).toBe('ended'));
  expect(isAlive(identity)).toBe(false);
  expect(identityOf(identity.pid)).toBeUndefined();
  expect(signalProcess(identity, 'SIGKILL')).toBe(false);
});

test('a name with spaces and brackets is not taken for the rest of the line', async () => {
  const title = 'process.title = ") Z 1 (a"; process.stdin.resume(); console.log(1)';
  const { child, identity } = await sleeper(process.execPath, ['-e', title]);
  await once(child.stdout, 'data');
  expect(readFileSync(`/proc/${identity.pid}/stat`, 'utf8')).toContain(') Z 1 (');
  expect(isAlive(identity)).toBe(true);
});

test('no process has pid 0 or one beyond the limit', () => {
  expect(identityOf(0)).toBeUndefined();
  expect(identityOf(2 ** 22 + 1)).toBeUndefined();
});

test('the boot has an id', () => {
  expect(bootId()).toMatch(/^[0-9a-f-]{36}$/);
});
