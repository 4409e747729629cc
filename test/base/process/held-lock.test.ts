import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ExplainedError } from '../../../src/base/errors.ts';
import {
  type HeldLock,
  probeLock,
  takeLock,
  takeLockWithin,
} from '../../../src/base/process/held-lock.ts';
import { fixture, inBackground } from '../../support/background.ts';
import { runNode } from '../../support/program.ts';
import { sandbox } from '../../support/sandbox.ts';
import { eventually } from '../../support/until.ts';

const lockIn = (root: string) => join(root, 'some.lock');

function take(file: string): HeldLock {
  const lock = takeLock(file);
  if (lock === undefined) throw new Error(`${file} is held`);
  onTestFinished(() => lock.release());
  return lock;
}

test('one at a time: taken, held, free again', () => {
  const file = lockIn(sandbox().root);
  const lock = take(file);
  expect(takeLock(file)).toBeUndefined();
  expect(probeLock(file)).toBe('held');
  lock.release();
  lock.release();
  expect(probeLock(file)).toBe('free');
  take(file);
});

test('the file is empty and private, and there is no other file beside it', () => {
  const { root } = sandbox();
  const file = lockIn(root);
  const before = readdirSync(root).length;
  const lock = take(file);
  probeLock(file);
  expect(statSync(file).size).toBe(0);
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  expect(readdirSync(root)).toHaveLength(before + 1);
  lock.discard();
  expect(readdirSync(root)).toHaveLength(before);
});

test('probing a missing file creates nothing', () => {
  const { root } = sandbox();
  expect(probeLock(lockIn(root))).toBe('missing');
  expect(probeLock(join(root, 'nowhere/some.lock'))).toBe('missing');
  expect(existsSync(lockIn(root))).toBe(false);
});

test('a file that cannot be a lock is unknown to a probe, and an error for takeLock', () => {
  const { root } = sandbox();
  const folder = join(root, 'folder.lock');
  mkdirSync(folder);
  const text = join(root, 'text.lock');
  writeFileSync(text, 'not a database, but as long as its header would be '.repeat(20));
  for (const file of [folder, text]) {
    expect(probeLock(file)).toBe('unknown');
    expect(() => takeLock(file)).toThrow(ExplainedError);
  }
  expect(() => takeLock(join(root, 'nowhere/some.lock'))).toThrow(/cannot be locked/);
});

test('another process holds it until it is killed, and a probe does not change that', async () => {
  const file = lockIn(sandbox().root);
  const holder = await inBackground('proc-hold-lock.mjs', [file]);
  expect(holder.said).toBe('held');
  for (let turn = 0; turn < 200; turn += 1) expect(probeLock(file)).toBe('held');
  expect(takeLock(file)).toBeUndefined();
  await holder.signal('SIGKILL');
  await eventually(() => expect(probeLock(file)).toBe('free'));
  take(file);
});

test('a stopped holder holds it', async () => {
  const file = lockIn(sandbox().root);
  const holder = await inBackground('proc-hold-lock.mjs', [file]);
  await holder.signal('SIGSTOP');
  expect(probeLock(file)).toBe('held');
  expect(takeLock(file)).toBeUndefined();
  await holder.signal('SIGKILL');
  await eventually(() => expect(probeLock(file)).toBe('free'));
});

test('it is kept although the returned object is not', async () => {
  const file = lockIn(sandbox().root);
  const holder = await inBackground('proc-hold-lock.mjs', [file, 'gc'], ['--expose-gc']);
  expect(holder.said).toBe('held');
  expect(probeLock(file)).toBe('held');
});

test('what the holder starts does not inherit it', async () => {
  const file = lockIn(sandbox().root);
  const lock = take(file);
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  lock.release();
  expect(probeLock(file)).toBe('free');
});

test('takeLockWithin gets it when it becomes free', async () => {
  const file = lockIn(sandbox().root);
  const holder = await inBackground('proc-hold-lock.mjs', [file]);
  expect(takeLockWithin(file, 30)).toBeUndefined();
  const killed = holder.signal('SIGKILL');
  const lock = takeLockWithin(file, 10_000);
  expect(lock).toBeDefined();
  lock?.release();
  await killed;
});

test('a deleted or replaced file lets others in, and the holder leaves theirs alone', () => {
  const { root } = sandbox();
  const file = lockIn(root);
  take(file);
  rmSync(file);
  expect(probeLock(file)).toBe('missing');

  const second = take(file);
  writeFileSync(join(root, 'other'), '');
  renameSync(join(root, 'other'), file);
  expect(probeLock(file)).toBe('free');

  const third = take(file);
  second.discard();
  expect(existsSync(file)).toBe(true);
  third.discard();
  expect(existsSync(file)).toBe(false);
});

test('two never hold it, though its file is deleted by every second one', async () => {
  const { root, env } = sandbox();
  const args = [lockIn(root), join(root, 'mark')];
  const start = { cwd: root, env };
  const racers = [1, 2, 3, 4].map(() => runNode(fixture('proc-race-lock.mjs'), args, start));
  const looks = setInterval(() => probeLock(lockIn(root)), 1);
  onTestFinished(() => clearInterval(looks));
  const told = (await Promise.all(racers)).map(({ stdout }) => JSON.parse(stdout));
  expect(told).toEqual(told.map(() => ({ taken: expect.any(Number), clashes: 0 })));
  expect(told.reduce((sum, { taken }) => sum + taken, 0)).toBe(240);
  expect(existsSync(join(root, 'mark'))).toBe(false);
});

test('of those who take it at once, one has it', async () => {
  const { root } = sandbox();
  for (let round = 0; round < 3; round += 1) {
    const file = join(root, `${round}.lock`);
    const all = await Promise.all(
      [1, 2, 3, 4, 5].map(() => inBackground('proc-hold-lock.mjs', [file])),
    );
    expect(all.map(({ said }) => said).toSorted()).toEqual([...Array(4).fill('busy'), 'held']);
  }
});

test('probes never make it seem taken', async () => {
  const file = lockIn(sandbox().root);
  take(file).release();
  for (let n = 0; n < 4; n += 1) await inBackground('proc-probe-often.mjs', [file]);
  for (let turn = 0; turn < 100; turn += 1) {
    const lock = takeLock(file);
    expect([turn, lock]).toEqual([turn, expect.anything()]);
    lock?.release();
  }
});
