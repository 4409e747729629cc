/** Slow start: how many workers start on an account that is not known to answer. */
import { expect, test } from 'vitest';
import { laneSettings } from '../../src/lanes/settings/settings.ts';
import { type ResolvedWorker, startAttempt } from '../../src/lanes/start/start.ts';
import { type AttemptNote, type AttemptState, attemptStore } from '../../src/store/attempts.ts';
import { accountAnswerStore } from '../../src/store/breakers.ts';
import { laneStore } from '../../src/store/lanes.ts';
import { laneRows } from '../support/lane-rows.ts';

const WORKER: ResolvedWorker = {
  agent: 'claude-code',
  model: undefined,
  account: 'claude-code',
  isMetered: true,
  settings: laneSettings({}, {}),
};
const MINUTE = 60_000;
const KEYS = ['a', 'b', 'c', 'd'];

async function ready() {
  const rows = await laneRows();
  const { store } = rows.context;
  for (const key of KEYS) {
    const { id } = rows.addLane(key);
    store.write(() => laneStore(store).setIntent(id, 'run'));
  }
  let at = Date.now();
  const context = { ...rows.context, now: () => new Date(at) };
  /** Why it may not start; `undefined` if it started. */
  const start = (key: string, worker: Partial<ResolvedWorker> = {}): string | undefined => {
    const wish = { lane: rows.lane(key), kind: 'work', worker: { ...WORKER, ...worker } } as const;
    const started = startAttempt(context, rows.run, wish);
    return started.kind === 'started' ? undefined : started.why;
  };
  const note = (key: string, facts: AttemptNote & { state?: AttemptState }): boolean =>
    store.write(() => attemptStore(store).note(rows.lane(key).attemptId ?? '', 0, facts));
  return {
    start,
    note,
    answers: () => store.write(() => accountAnswerStore(store).note(WORKER.account, context.now())),
    pass: (ms: number) => {
      at += ms;
    },
  };
}

const WAITS = 'it waits for a, b to see whether claude-code answers';

test('two start, and the third waits for them', async () => {
  const { start } = await ready();
  expect([start('a'), start('b'), start('c')]).toEqual([undefined, undefined, WAITS]);
});

test('all start as soon as the account has answered one', async () => {
  const { start, answers } = await ready();
  start('a');
  start('b');
  answers();
  expect([start('c'), start('d')]).toEqual([undefined, undefined]);
});

test('an old answer does not count', async () => {
  const { start, answers, pass } = await ready();
  answers();
  pass(11 * MINUTE);
  expect([start('a'), start('b'), start('c')]).toEqual([undefined, undefined, WAITS]);
});

test('an answer from before the clock was set back does not count', async () => {
  const { start, answers, pass } = await ready();
  answers();
  pass(-60 * MINUTE);
  expect([start('a'), start('b'), start('c')]).toEqual([undefined, undefined, WAITS]);
});

test('one without an answer for long enough is no longer waited for', async () => {
  const { start, note } = await ready();
  start('a');
  start('b');
  note('a', { onTrial: false });
  expect([start('c'), start('d')]).toEqual([
    undefined,
    'it waits for b, c to see whether claude-code answers',
  ]);
});

test('one that has ended is waited for until its end is settled', async () => {
  const { start, note } = await ready();
  start('a');
  start('b');
  note('a', { state: 'exited' });
  expect(start('c')).toBe(WAITS);
  note('a', { state: 'ended', endReason: 'crashed' });
  expect(start('c')).toBeUndefined();
});

test('one without activity is not waited for', async () => {
  const { start, pass } = await ready();
  start('a');
  start('b');
  pass(6 * MINUTE);
  expect(start('c')).toBeUndefined();
});

test('each account has its own slow start', async () => {
  const { start } = await ready();
  start('a');
  start('b');
  expect(start('c', { agent: 'codex', account: 'codex' })).toBeUndefined();
});

test('programs without an account do not wait', async () => {
  const { start } = await ready();
  const tool = { agent: 'tool', account: 'command tool', isMetered: false };
  expect(KEYS.map((key) => start(key, tool))).toEqual(KEYS.map(() => undefined));
});
