/** C10: evidence that can be argued with: old failures, removed tests, coin flips, dirt, time-outs. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rows } from '../../support/lane-facts.ts';
import { laneProject, NODE_TESTS } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

const TESTS = 'node --test';
const failing = (name: string): string => `import { test } from 'node:test';
test('${name}', () => { throw new Error('no'); });
`;

test('C10: only failures that the base does not have count', async () => {
  const project = laneProject({
    files: {
      ...NODE_TESTS,
      'src/ready.mjs': '',
      'test/old.test.mjs': failing('an old failure'),
      'test/ready.test.mjs':
        "import { test } from 'node:test';\nimport '../src/ready.mjs';\ntest('is ready', () => {});\n",
    },
    scenario: {
      lanes: {
        fine: [[{ write: { 'src/fine.mjs': 'export const fine = 1;\n' } }]],
        worse: [[{ write: { 'test/new.test.mjs': failing('a new failure') } }]],
        sly: [[{ delete: ['test/old.test.mjs'] }]],
        more: [[{ append: { 'test/old.test.mjs': "test('one more', () => {});\n" } }]],
        cut: [[{ write: { 'src/ready.mjs': 'process.exit(0);\n' } }]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  for (const key of ['fine', 'worse', 'sly', 'more', 'cut'])
    await run.add(key, { validate: TESTS });
  await run.spawn();
  await run.settled();

  expect(run.lane('fine').state).toBe('verified');
  const worse = run.lane('worse');
  expect(worse).toMatchObject({ state: 'failed', attempt: { end_reason: 'rejected' } });
  expect(worse.validations.at(-1)?.new_failures).toEqual(['test/new.test.mjs > a new failure']);
  const sly = run.lane('sly');
  const flags = [...(sly.attempt?.flags ?? []), ...(sly.validations.at(-1)?.flags ?? [])];
  expect(flags.join()).toMatch(/tests_removed|tests-removed/);
  expect(sly.state).not.toBe('verified');
  // What ran of the lane itself counts, although the tests of the base run on its code after that.
  const { stdout } = await project.lanehold('orchestrate', 'status');
  expect(stdout).toMatch(/more +verified .*4 tests ran, 1 new/);
  expect(run.lane('cut').attempt?.flags.join()).toContain('tests-not-run');
});

test('a test runner that runs no test, or whose tests all fail as on the base, proves nothing', async () => {
  const project = laneProject({
    files: { 'none/README.md': 'No tests here\n', 'old/old.test.mjs': failing('an old failure') },
    scenario: { lanes: { none: [[{ write: { a: 'a' } }]], old: [[{ write: { b: 'b' } }]] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('none', { validate: 'cd none && node --test' });
  await run.add('old', { validate: 'node --test old/*.test.mjs' });
  await run.spawn();
  await run.settled();
  expect(run.states()).toEqual({ none: 'untested', old: 'untested' });
  const why = (key: string) => run.lane(key).attempt?.end_detail;
  expect(why('none')).toBe(
    'nothing was proved: node ended with exit code 0 and has executed no test',
  );
  expect(why('old')).toContain('no test of node passed');
});

test('C10: a validation that says one thing and then another is flaky, with both logs', async () => {
  const project = laneProject({
    scenario: {
      lanes: { a: [[{ write: { 'a.txt': 'a' } }]] },
      checks: { coin: [[{ exit: 1 }], [{ exit: 0 }], [{ exit: 0 }]] },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { validate: 'fake-check coin' });
  await run.spawn();
  await run.settled();
  const verdict = run.lane('a').validations.find((it) => it.subject === 'lane');
  expect(verdict).toMatchObject({ result: 'flaky' });
  expect(verdict?.runs.map(({ result }) => result)).toEqual(['fail', 'pass']);
  expect(existsSync(verdict?.log_path ?? '')).toBe(true);
  expect(run.lane('a').state).not.toBe('verified');
});

test('C10: a validation that leaves files behind is told of', async () => {
  const project = laneProject({
    scenario: {
      lanes: { a: [[{ write: { 'a.txt': 'a' } }]] },
      checks: { untidy: [[{ write: { 'left-behind.txt': 'x' } }]] },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { validate: 'fake-check untidy' });
  await run.spawn();
  await run.settled();
  const verdict = run.lane('a').validations.find((it) => it.subject === 'lane');
  expect(verdict?.flags.join()).toMatch(/dirt/);
});

test.each([
  ['that is killed', [{ die: 'SIGKILL' }], '600s', 'error'],
  ['that takes too long', [{ daemon: { name: 'stray' } }, { hang: true }], '2s', 'timeout'],
] as const)('C10: a validation %s has not failed', async (_, steps, limit, result) => {
  const project = laneProject({
    scenario: { lanes: { a: [[{ write: { 'a.txt': 'a' } }]] }, checks: { odd: [steps] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { validate: 'fake-check odd', more: ['--validate-timeout', limit] });
  await run.spawn();
  await run.settled();
  expect(run.lane('a').validations.find((it) => it.subject === 'lane')).toMatchObject({ result });
  expect(run.lane('a').state).not.toBe('verified');
  expect(project.processesLeft()).toEqual([]);
  expect(rows(project, "SELECT 1 FROM validations WHERE result = 'pass'")).toEqual([]);
});

test('a validation that was killed and then passes is verified, and not flaky', async () => {
  const project = laneProject({
    scenario: {
      lanes: { a: [[{ write: { 'a.txt': 'a' } }]] },
      checks: { odd: [[{ die: 'SIGKILL' }], [{ exit: 0 }]] },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { validate: 'fake-check odd' });
  await run.spawn();
  await run.settled();
  const { state, validations } = run.lane('a');
  expect(state).toBe('verified');
  expect(validations).toMatchObject([
    { result: 'pass', runs: [{ result: 'error' }, { result: 'pass' }], flags: [] },
  ]);
});

test('a failure stands whose second run was killed', async () => {
  const project = laneProject({
    scenario: {
      lanes: { a: [[{ write: { 'a.txt': 'a' } }]] },
      // The lane, its base, the lane again.
      checks: { odd: [[{ exit: 1 }], [{ exit: 0 }], [{ die: 'SIGKILL' }]] },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { validate: 'fake-check odd' });
  await run.spawn();
  await run.settled();
  expect(run.lane('a').validations.at(-1)).toMatchObject({
    result: 'fail',
    runs: [{ result: 'fail' }, { result: 'error' }],
  });
});

test('a failure that passes when run again counts, unless the base has it now and then, too', async () => {
  const wobbles = [{ stderr: '1..1\nnot ok 1 - wobbles\n' }, { exit: 1 }] as const;
  const passes = [{ exit: 0 }] as const;
  const project = laneProject({
    scenario: {
      lanes: { old: [[{ write: { 'a.txt': 'a' } }]], new: [[{ write: { 'b.txt': 'b' } }]] },
      checks: {
        // The lane, its base, the lane again, the base again.
        old: [wobbles, passes, passes, wobbles],
        new: [wobbles, passes, passes, passes, passes],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  for (const key of ['old', 'new']) await run.add(key, { validate: `fake-check ${key}` });
  await run.spawn();
  await run.settled();
  expect(run.states()).toEqual({ old: 'verified', new: 'failed' });
  for (const key of ['old', 'new']) {
    expect(run.lane(key).validations.at(-1)?.flags).toEqual([
      'flaky-tests: ["wobbles: failed in 1 of 2 runs"]',
    ]);
  }
});
