import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import {
  adoptSlot,
  defaultSlots,
  type Slot,
  type SlotWish,
  slotHolders,
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
  owner: 'me',
  ...changes,
});
const never = new AbortController().signal;

async function take(box: Sandbox, changes: Partial<SlotWish> = {}): Promise<Slot> {
  const slot = await waitForSlot(locksOf(box), wish(changes), never);
  onTestFinished(() => slot.release());
  return slot;
}

const waiter = (box: Sandbox, changes: Partial<SlotWish>) =>
  inBackground('proc-slot.mjs', [locksOf(box), JSON.stringify(wish(changes))]);

function taken(box: Sandbox): string[] {
  if (!readdirSync(locksOf(box)).includes('taken.txt')) return [];
  return readFileSync(join(locksOf(box), 'taken.txt'), 'utf8')
    .trim()
    .split('\n');
}

const expectTaken = (box: Sandbox, owners: readonly string[]) =>
  eventually(() => expect(taken(box)).toEqual(owners));

const queueOf = (box: Sandbox) => readdirSync(join(locksOf(box), 'slots/queue'));

test('as many as there are, each with a number, and who holds them is known', async () => {
  const box = sandbox();
  expect(slotHolders(locksOf(box))).toEqual([]);
  const first = await take(box, { count: 2, owner: 'one' });
  const second = await take(box, { count: 2, owner: 'two "🙂"\n' });
  const other = await take(box, { kind: 'setup', owner: 'three' });
  expect([first.n, second.n, other.n]).toEqual([0, 1, 0]);
  const { pid } = process;
  expect(slotHolders(locksOf(box))).toEqual([
    { kind: 'worker', n: 0, owner: 'one', pid, stopped: false },
    { kind: 'worker', n: 1, owner: 'two "🙂"\n', pid, stopped: false },
    { kind: 'setup', n: 0, owner: 'three', pid, stopped: false },
  ]);
  first.release();
  first.release();
  expect(slotHolders(locksOf(box)).map(({ owner }) => owner)).toEqual(['two "🙂"\n', 'three']);
  expect((await take(box, { count: 2 })).n).toBe(0);
});

test('its files are private, and no ended process keeps a place in the queue', async () => {
  const box = sandbox();
  const slot = await take(box);
  const folder = join(locksOf(box), 'slots');
  expect(queueOf(box)).toEqual([]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of ['worker-0.lock', 'worker-0.json']) {
    expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
  }
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
  for (const [owner, priority] of [
    ['a', 0],
    ['b', 0],
    ['c', 5],
    ['d', -1],
    ['e', 0],
  ] as const) {
    waiters.push({ owner, process: await waiter(box, { owner, priority }) });
  }
  first.release();
  const order = ['c', 'a', 'b', 'e', 'd'];
  for (const [at, owner] of order.entries()) {
    await expectTaken(box, order.slice(0, at + 1));
    expect(slotHolders(locksOf(box)).map((it) => it.owner)).toEqual([owner]);
    await waiters.find((it) => it.owner === owner)?.process.signal('SIGKILL');
  }
});

test('a killed holder’s slot is free, a stopped one’s is taken and shown as stopped', async () => {
  const box = sandbox();
  const holder = await waiter(box, { owner: 'holder' });
  await expectTaken(box, ['holder']);
  await holder.signal('SIGSTOP');
  await eventually(() =>
    expect(slotHolders(locksOf(box))).toEqual([
      { kind: 'worker', n: 0, owner: 'holder', pid: holder.pid, stopped: true },
    ]),
  );
  await waiter(box, { owner: 'next' });
  await eventually(() => expect(queueOf(box)).toHaveLength(1));
  expect(taken(box)).toEqual(['holder']);
  await holder.signal('SIGKILL');
  await expectTaken(box, ['holder', 'next']);
});

test('neither a killed nor a stopped one in the queue holds up those behind it', async () => {
  const box = sandbox();
  const slot = await take(box);
  const killed = await waiter(box, { owner: 'killed' });
  const stopped = await waiter(box, { owner: 'stopped' });
  const last = await waiter(box, { owner: 'last' });
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
  const first = await take(box, { count: 2, owner: 'first' });
  const adopted = [1, 2].map((n) => adoptSlot(locksOf(box), { kind: 'worker', owner: `old ${n}` }));
  onTestFinished(() => {
    for (const slot of adopted) slot.release();
  });
  expect(adopted.map(({ n }) => n)).toEqual([1, 2]);
  first.release();
  const abort = new AbortController();
  const waiting = waitForSlot(locksOf(box), wish({ count: 2 }), abort.signal);
  expect(queueOf(box)).toHaveLength(1);
  expect(slotHolders(locksOf(box)).map(({ owner }) => owner)).toEqual(['old 1', 'old 2']);
  adopted[0]?.release();
  expect((await waiting).n).toBe(0);
  abort.abort();
});

test('a note without a living process names no holder', async () => {
  const box = sandbox();
  await take(box);
  const note = join(locksOf(box), 'slots/worker-0.json');
  const nobody = [{ kind: 'worker', n: 0, owner: 'unknown', pid: 0, stopped: false }];
  const dead = { owner: 'old', pid: process.pid, start: '1', bootId: 'another' };
  for (const text of ['', 'null', '{"owner":1}', JSON.stringify(dead)]) {
    writeFileSync(note, text);
    expect(slotHolders(locksOf(box))).toEqual(nobody);
  }
});

test('places in a deleted queue are made again', async () => {
  const box = sandbox();
  const slot = await take(box);
  const waiting = waitForSlot(locksOf(box), wish({ owner: 'waiter' }), never);
  rmSync(join(locksOf(box), 'slots/queue'), { recursive: true });
  await eventually(() => expect(queueOf(box)).toHaveLength(1));
  slot.release();
  (await waiting).release();
  expect(queueOf(box)).toEqual([]);
});

test('strange names in its folders do not disturb it', async () => {
  const box = sandbox();
  box.write('locks/slots/queue/not a ticket', '');
  box.write('locks/slots/queue/worker.0.1.2.zz', '');
  box.write('locks/slots/else-0.lock', '');
  box.write('locks/slots/worker-x.lock', '');
  await take(box);
  expect(slotHolders(locksOf(box))).toHaveLength(1);
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
