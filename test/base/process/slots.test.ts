import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import {
  adoptSlot,
  defaultSlots,
  heldSlots,
  type Slot,
  type SlotKind,
  type SlotWish,
  slotsFor,
  waitForSlot,
} from '../../../src/base/process/slots.ts';
import { fixture, inBackground } from '../../support/background.ts';
import { runNode } from '../../support/program.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';
import { eventually } from '../../support/until.ts';

const locksOf = ({ root }: Sandbox) => join(root, 'locks');
const wish = (changes: Partial<SlotWish> = {}): SlotWish => ({
  kind: 'worker',
  count: 1,
  priority: 0,
  ...changes,
});
const never = new AbortController().signal;

async function take(box: Sandbox, changes: Partial<SlotWish> = {}): Promise<Slot> {
  const slot = await waitForSlot(locksOf(box), wish(changes), never);
  onTestFinished(() => slot.release());
  return slot;
}

const waiter = (box: Sandbox, name: string, changes: Partial<SlotWish> = {}) =>
  inBackground('proc-slot.mjs', [locksOf(box), JSON.stringify(wish(changes)), name]);

function taken(box: Sandbox): string[] {
  if (!readdirSync(locksOf(box)).includes('taken.txt')) return [];
  return readFileSync(join(locksOf(box), 'taken.txt'), 'utf8')
    .trim()
    .split('\n');
}

const expectTaken = (box: Sandbox, owners: readonly string[]) =>
  eventually(() => expect(taken(box)).toEqual(owners));

const queueOf = (box: Sandbox) => readdirSync(join(locksOf(box), 'slots/queue'));

test('as many as there are, each with a file of its own, and how many are held is known', async () => {
  const box = sandbox();
  expect(heldSlots(locksOf(box), 'worker')).toBe(0);
  const first = await take(box, { count: 2 });
  await take(box, { count: 2 });
  await take(box, { kind: 'setup' });
  const lockFiles = ['setup-0.lock', 'worker-0.lock', 'worker-1.lock'];
  const filesIn = () => readdirSync(join(locksOf(box), 'slots')).toSorted();
  expect(filesIn()).toEqual(['queue', ...lockFiles]);
  const held = () => ['worker', 'setup'].map((it) => heldSlots(locksOf(box), it as SlotKind));
  expect(held()).toEqual([2, 1]);
  first.release();
  first.release();
  expect(held()).toEqual([1, 1]);
  await take(box, { count: 2 });
  expect(filesIn()).toEqual(['queue', ...lockFiles]);
  expect(held()).toEqual([2, 1]);
});

test('its files are private, and no ended process keeps a place in the queue', async () => {
  const box = sandbox();
  const slot = await take(box);
  const folder = join(locksOf(box), 'slots');
  expect(queueOf(box)).toEqual([]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'worker-0.lock')).mode & 0o777).toBe(0o600);
  slot.release();
  expect(readdirSync(folder).toSorted()).toEqual(['queue', 'worker-0.lock']);
});

test('a process that stops waiting leaves the queue', async () => {
  const box = sandbox();
  await take(box);
  const gone = new Error('gone');
  const abort = new AbortController();
  const waiting = waitForSlot(locksOf(box), wish(), abort.signal);
  await eventually(() => expect(queueOf(box)).toHaveLength(1));
  abort.abort(gone);
  await expect(waiting).rejects.toBe(gone);
  expect(queueOf(box)).toEqual([]);
  await expect(waitForSlot(locksOf(box), wish(), AbortSignal.abort(gone))).rejects.toBe(gone);
});

test('first come, first served, and the more important before', async () => {
  const box = sandbox();
  const first = await take(box);
  const waiters = [];
  for (const [name, priority] of [
    ['a', 0],
    ['b', 0],
    ['c', 5],
    ['d', -1],
    ['e', 0],
  ] as const) {
    waiters.push({ name, process: await waiter(box, name, { priority }) });
  }
  first.release();
  const order = ['c', 'a', 'b', 'e', 'd'];
  for (const [at, name] of order.entries()) {
    await expectTaken(box, order.slice(0, at + 1));
    expect(heldSlots(locksOf(box), 'worker')).toBe(1);
    await waiters.find((it) => it.name === name)?.process.signal('SIGKILL');
  }
});

test('a killed holder’s slot is free, a stopped one’s is taken', async () => {
  const box = sandbox();
  const holder = await waiter(box, 'holder');
  await expectTaken(box, ['holder']);
  await holder.signal('SIGSTOP');
  expect(heldSlots(locksOf(box), 'worker')).toBe(1);
  await waiter(box, 'next');
  await eventually(() => expect(queueOf(box)).toHaveLength(1));
  expect(taken(box)).toEqual(['holder']);
  await holder.signal('SIGKILL');
  await expectTaken(box, ['holder', 'next']);
});

test('neither a killed nor a stopped one in the queue holds up those behind it', async () => {
  const box = sandbox();
  const slot = await take(box);
  const killed = await waiter(box, 'killed');
  const stopped = await waiter(box, 'stopped');
  const last = await waiter(box, 'last');
  await eventually(() => expect(queueOf(box)).toHaveLength(3));
  await killed.signal('SIGKILL');
  await stopped.signal('SIGSTOP');
  slot.release();
  await expectTaken(box, ['last']);
  expect(queueOf(box)).toHaveLength(1);
  await stopped.signal('SIGCONT');
  await last.signal('SIGKILL');
  await expectTaken(box, ['last', 'stopped']);
});

test('never more at once than there are', async () => {
  const box = sandbox();
  const marks = join(box.root, 'marks');
  mkdirSync(marks);
  const args = [locksOf(box), '2', marks];
  const start = { cwd: box.root, env: box.env };
  const told = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(() => runNode(fixture('proc-slots-often.mjs'), args, start)),
  );
  expect(told.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual(
    told.map(() => ({ exitCode: 0, stderr: '' })),
  );
  expect(Math.max(...told.map(({ stdout }) => Number(stdout)))).toBeLessThanOrEqual(2);
});

test('an adopted slot may exceed the count, and counts for those that wait', async () => {
  const box = sandbox();
  const first = await take(box, { count: 2 });
  const adopted = [1, 2].map(() => adoptSlot(locksOf(box), 'worker'));
  onTestFinished(() => {
    for (const slot of adopted) slot.release();
  });
  expect(heldSlots(locksOf(box), 'worker')).toBe(3);
  first.release();
  const abort = new AbortController();
  const waiting = waitForSlot(locksOf(box), wish({ count: 2 }), abort.signal);
  expect(queueOf(box)).toHaveLength(1);
  expect(heldSlots(locksOf(box), 'worker')).toBe(2);
  adopted[0]?.release();
  (await waiting).release();
  abort.abort();
});

test('strange names in its folders do not disturb it', async () => {
  const box = sandbox();
  box.write('locks/slots/queue/not a ticket', '');
  box.write('locks/slots/queue/worker.0.1.2.zz', '');
  box.write('locks/slots/else-0.lock', '');
  box.write('locks/slots/worker-x.lock', '');
  await take(box);
  expect(heldSlots(locksOf(box), 'worker')).toBe(1);
});

test('every machine has one of each, and more memory or cores never mean fewer', () => {
  const machine = fc.record({
    cores: fc.integer({ min: 1, max: 256 }),
    gib: fc.integer({ min: 0, max: 512 }),
  });
  const of = ({ cores, gib }: { cores: number; gib: number }) =>
    Object.values(slotsFor({ cores, freeBytes: gib * 1024 ** 3 }));
  fc.assert(
    fc.property(machine, machine, (a, b) => {
      const less = of({ cores: Math.min(a.cores, b.cores), gib: Math.min(a.gib, b.gib) });
      const more = of({ cores: Math.max(a.cores, b.cores), gib: Math.max(a.gib, b.gib) });
      return less.every((it, at) => Number.isInteger(it) && it >= 1 && it <= (more[at] ?? 0));
    }),
  );
  expect(slotsFor({ cores: 2, freeBytes: 8 * 1024 ** 3 })).toEqual({
    worker: 4,
    validate: 1,
    setup: 1,
  });
  expect(Object.values(defaultSlots()).every((it) => it >= 1)).toBe(true);
});
