/**
 * C8, slow start: of an account of which nothing is known two workers start, and the others when it answers. The rule
 * first, on rows alone; then that workers really start by it.
 */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { laneSettings } from '../../../src/lanes/settings/settings.ts';
import type { ResolvedWorker } from '../../../src/lanes/start/accounts.ts';
import { startAttempt } from '../../../src/lanes/start/start.ts';
import { type AttemptNote, type AttemptState, attemptStore } from '../../../src/store/attempts.ts';
import { accountAnswerStore } from '../../../src/store/breakers.ts';
import { laneStore } from '../../../src/store/lanes.ts';
import type { Step } from '../../support/fake-worker.ts';
import { type LaneProject, laneProject, VALIDATE } from '../../support/lane-project.ts';
import { laneRows } from '../../support/lane-rows.ts';
import { laneRun } from '../../support/lane-run.ts';

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

interface Wish {
  readonly cleanUp?: (remove: () => void) => void;
  readonly agent?: string;
  readonly validate?: string;
}

async function fourLanes(
  steps: readonly Step[],
  { cleanUp = onTestFinished, agent, validate = VALIDATE }: Wish = {},
) {
  const program = join(import.meta.dirname, '../../fixtures/bin/fake-claude');
  const workers = { tool: { adapter: 'command', command: [program] } };
  const project = laneProject({
    cleanUp,
    files: { 'lanehold.json': JSON.stringify({ lanes: { parallel: 4, workers } }) },
    scenario: { lanes: { '*': [steps] }, checks: { endless: [[{ hang: true }]] } },
  });
  const slots = { lanes: { baseline: 'when-needed', slots: { worker: 8, validate: 2, setup: 2 } } };
  project.box.write(join(project.box.laneholdHome, 'config.json'), JSON.stringify(slots));
  const run = laneRun(project);
  await run.init();
  const more = agent === undefined ? [] : ['--agent', agent];
  for (const key of KEYS) await run.add(key, { validate, more });
  const { json } = await run.spawn();
  return { project, run, spawned: json };
}

async function begun(project: LaneProject, count: number): Promise<void> {
  await project.until(`${count} to start`, () => project.starts().length >= count);
}

test('the others say whom they wait for, and start by themselves at the first answer', async () => {
  const { project, run, spawned } = await fourLanes([
    { waitFor: 'the model' },
    { say: 'I begin.' },
    { hang: true },
  ]);
  expect(spawned.started).toEqual(['a', 'b']);
  expect(spawned.waiting.d).toBe('it waits for a, b to see whether claude-code answers');
  await begun(project, 2);
  const { stdout } = await project.lanehold('orchestrate', 'status');
  expect(stdout).toMatch(/c .*waits for a, b to see whether claude-code answers/);
  await run.reconcile();
  expect(
    project
      .starts()
      .map(({ lane }) => lane)
      .sort(),
  ).toEqual(['a', 'b']);
  project.raise('the model');
  await begun(project, 4);
});

test('a validation that takes its time keeps nobody waiting', async () => {
  const { project } = await fourLanes(
    [{ quiet: true }, { write: { 'new.txt': 'x' } }, { die: 'SIGKILL' }],
    { validate: 'fake-check endless' },
  );
  await begun(project, 4);
});

test('a program whose account nobody has named is not waited for', async () => {
  const { project, spawned } = await fourLanes([{ quiet: true }, { hang: true }], {
    agent: 'tool',
  });
  expect(spawned.started).toEqual(KEYS);
  await begun(project, 4);
});

// The last two mostly wait, so that they can wait side by side.

test.concurrent('workers that show nothing delay the others for some seconds only', async (it) => {
  const { project } = await fourLanes([{ quiet: true }, { hang: true }], {
    cleanUp: it.onTestFinished,
  });
  await begun(project, 4);
  const at = project.starts().map((start) => start.at);
  expect((at[2] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(5_000);
});

test.concurrent('after a reset the others start when one is answered, not when it has ended', async (it) => {
  const resetsAt = Math.ceil(Date.now() / 1000) + 6;
  const limit = { quota: { text: `Claude AI usage limit reached|${resetsAt}` } };
  const project = laneProject({
    cleanUp: it.onTestFinished,
    scenario: {
      lanes: { a: [[limit], [{ say: 'I begin.' }, { hang: true }]], b: [[{ hang: true }]] },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.add('b');
  await run.spawn('a');
  await run.reaches('a', 'parked');
  await run.spawn('b');
  expect(project.starts('b')).toEqual([]);
  await project.until('the reset', () => Date.now() > resetsAt * 1000);
  await run.reconcile();
  await project.until('b to start', () => project.starts('b').length === 1);
  expect(run.lane('a').state).toBe('running');
});
