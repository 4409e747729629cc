/** C8: of an account of which nothing is known two workers start, and the others when it answers. */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Step } from '../../support/fake-worker.ts';
import { type LaneProject, laneProject, VALIDATE } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

const KEYS = ['a', 'b', 'c', 'd'];

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
