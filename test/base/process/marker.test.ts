import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { markedProcesses } from '../../../src/base/process/end-tree.ts';
import { identityOf } from '../../../src/base/process/process-entry.ts';

async function sleepWith(env: Readonly<Record<string, string>>) {
  const child = spawn('/bin/sleep', ['60'], { env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  return { child, pid: child.pid ?? 0 };
}

test('processes with the variable are found, with stage and identity', async () => {
  const id = randomUUID();
  const first = await sleepWith({ LANEHOLD_ATTEMPT: id });
  const second = await sleepWith({ A: 'b', LANEHOLD_ATTEMPT: id, LANEHOLD_STAGE: 'validate' });
  const third = await sleepWith({
    LANEHOLD_GUARD: '1',
    LANEHOLD_STAGE: 'worker',
    LANEHOLD_ATTEMPT: id,
  });
  expect(markedProcesses(id).toSorted((a, b) => a.pid - b.pid)).toEqual(
    [
      { ...identityOf(first.pid), stage: undefined, guard: false },
      { ...identityOf(second.pid), stage: 'validate', guard: false },
      { ...identityOf(third.pid), stage: 'worker', guard: true },
    ].toSorted((a, b) => (a.pid ?? 0) - (b.pid ?? 0)),
  );
});

test.each([
  ['a longer id', (id: string) => ({ LANEHOLD_ATTEMPT: `${id}0` })],
  ['a shorter id', (id: string) => ({ LANEHOLD_ATTEMPT: id.slice(0, -1) })],
  ['a longer name', (id: string) => ({ MY_LANEHOLD_ATTEMPT: id })],
  ['a value that holds it', (id: string) => ({ NOTE: `LANEHOLD_ATTEMPT=${id}` })],
  ['a value that goes on after it', (id: string) => ({ LANEHOLD_ATTEMPT: `${id}\nmore` })],
  ['another letter case', (id: string) => ({ LANEHOLD_ATTEMPT: id.toUpperCase() })],
])('not with %s', async (_, env) => {
  const id = `a${randomUUID()}`;
  await sleepWith(env(id));
  expect(markedProcesses(id)).toEqual([]);
});

test('an empty id finds no process', async () => {
  await sleepWith({ LANEHOLD_ATTEMPT: '' });
  expect(markedProcesses('')).toEqual([]);
});

test('found after a variable that contains the same text', async () => {
  const id = randomUUID();
  const { pid } = await sleepWith({ NOTE: `LANEHOLD_ATTEMPT=${id}`, LANEHOLD_ATTEMPT: id });
  expect(markedProcesses(id).map((it) => it.pid)).toEqual([pid]);
});

test('an argument is not the environment, and the caller never belongs to it', async () => {
  const id = randomUUID();
  const child = spawn('/bin/sh', ['-c', 'sleep 60; :', `LANEHOLD_ATTEMPT=${id}`], {
    env: {},
    detached: true,
    stdio: 'ignore',
  });
  onTestFinished(() => void process.kill(-(child.pid ?? 0), 'SIGKILL'));
  await once(child, 'spawn');
  expect(markedProcesses(id)).toEqual([]);
  process.env.LANEHOLD_ATTEMPT = id;
  onTestFinished(() => void Reflect.deleteProperty(process.env, 'LANEHOLD_ATTEMPT'));
  expect(markedProcesses(id)).toEqual([]);
});

test('a stopped one is found, one that has ended is not', async () => {
  const id = randomUUID();
  const { child, pid } = await sleepWith({ LANEHOLD_ATTEMPT: id });
  child.kill('SIGSTOP');
  expect(markedProcesses(id).map((it) => it.pid)).toEqual([pid]);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(markedProcesses(id)).toEqual([]);
});

test('processes that come and go do not disturb it', async () => {
  const id = randomUUID();
  const { pid } = await sleepWith({ LANEHOLD_ATTEMPT: id });
  const churn = spawn('/bin/sh', ['-c', 'while :; do /bin/true; done'], { stdio: 'ignore' });
  onTestFinished(() => void churn.kill('SIGKILL'));
  for (let turn = 0; turn < 100; turn += 1) {
    expect(markedProcesses(id).map((it) => it.pid)).toEqual([pid]);
  }
});

test('a large environment is read whole', async () => {
  const id = randomUUID();
  const { pid } = await sleepWith({
    A: 'x'.repeat(100_000),
    B: 'x'.repeat(100_000),
    LANEHOLD_ATTEMPT: id,
  });
  expect(markedProcesses(id).map((it) => it.pid)).toEqual([pid]);
});
