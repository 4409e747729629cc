/** C10: the validation of a new lane runs on its base at once, so that one that cannot prove anything is told. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rows } from '../../support/lane-facts.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { promptSubmit } from '../../support/payloads.ts';

const bases = (project: ReturnType<typeof laneProject>) =>
  rows(project, `SELECT cmd, result FROM validations WHERE subject = 'base' ORDER BY cmd`);

test('a validation that does not run on the base is told before any work, with its output', async () => {
  const project = laneProject({ baseline: 'at-once', scenario: { lanes: {} } });
  const run = laneRun(project);
  await run.init();
  await run.add('typo', { validate: 'echo so; npm-tst' });
  await run.add('again', { validate: 'echo so; npm-tst' });
  await project.until('the base to be validated', () => bases(project).length === 1);
  const { json } = await run.orchestrate('status');
  expect(json.lanes[0]).toMatchObject({
    state: 'planned',
    base: { result: 'error', why: expect.stringContaining('npm-tst') },
    help: [
      'lanehold orchestrate logs typo',
      "lanehold orchestrate lane edit typo --validate 'COMMAND'",
      'lanehold orchestrate spawn typo',
    ],
  });
  const { stdout } = await project.lanehold('orchestrate', 'status');
  expect(stdout).toMatch(/^ {2}typo +(?:planned|proves nothing) .*on the base/m);
  expect((await project.lanehold('orchestrate', 'logs', 'typo')).stdout).toContain('so\n');
  expect((await project.lanehold('orchestrate', 'handoff')).stdout).toMatch(/typo.*on the base/);

  const prompt = { ...promptSubmit(project.repo) };
  const hooked = await project.box.hook('prompt-submit', prompt, { env: project.env });
  expect(hooked.stdout).toContain('of lane typo proves nothing on the base');

  await run.orchestrate('lane', 'edit', 'typo', '--validate', 'true');
  await project.until('the other command to be tried', () => bases(project).length === 2);
  const { json: after } = await run.orchestrate('status');
  expect(after.lanes[0]).toMatchObject({ base: { result: 'pass' }, note: '' });
  await project.until('nobody left', () => project.processes().length === 0);
});

test('a setup that fails on the base is told as well', async () => {
  const project = laneProject({
    baseline: 'at-once',
    files: {
      'lanehold.json': JSON.stringify({ lanes: { setup: 'echo no such package; exit 3' } }),
    },
    scenario: { lanes: {} },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { validate: 'true' });
  await project.until('the base to be tried', () => bases(project).length === 1);
  const { json } = await run.orchestrate('status');
  expect(json.lanes[0].base).toMatchObject({ result: 'error', proves: false });
  expect(json.lanes[0].note).toContain('no such package');
  const logs = await project.lanehold('orchestrate', 'logs', 'a');
  expect(logs.stdout).toContain('no such package');
});

test('failures that the base has are known when the lane is judged', async () => {
  const project = laneProject({
    baseline: 'at-once',
    files: { 'a.test.js': "require('node:test').test('old', () => { throw 1; });\n" },
    scenario: { lanes: { a: [[{ write: { 'a.txt': 'a' } }]] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { validate: 'node --test' });
  await project.until('the base to be validated', () => bases(project).length === 1);
  await run.spawn();
  await run.settled();
  expect(bases(project)).toHaveLength(1);
});

test('the result of a base is that of one clone: another may have no packages', async () => {
  const project = laneProject({ baseline: 'at-once', scenario: { lanes: {} } });
  const run = laneRun(project);
  const validate = 'true';
  await run.init();
  await run.add('here', { validate });
  await project.until('the base to be validated', () => bases(project).length === 1);
  const clone = join(project.box.root, 'clone');
  project.git('clone', '--quiet', project.repo, clone);
  const there = (...args: readonly string[]) => run.orchestrate(...args, '--project', clone);
  const base = async (...args: readonly string[]) =>
    (await run.orchestrate('status', ...args)).json.lanes[0].base;
  const { logPath } = await base();
  await there('init', 'The clone');
  const lane = ['--desc', 'x', '--agent', 'claude-code', '--validate', validate];
  await there('lane', 'add', 'there', ...lane);
  await project.until('the base of the clone', () => bases(project).length === 2);
  expect((await base('--project', clone)).logPath).not.toBe(logPath);
  expect((await base()).logPath).toBe(logPath);
});

test('the result of a base is that of one setup', async () => {
  const project = laneProject({ baseline: 'at-once', scenario: { lanes: {} } });
  const run = laneRun(project);
  await run.init();
  const validate = 'test -e made';
  await run.add('bare', { validate });
  await project.until('the base to be validated', () => bases(project).length === 1);
  await run.add('made', { validate, more: ['--setup', 'touch made'] });
  await project.until('the base to be set up', () => bases(project).length === 2);
  const { lanes } = (await run.orchestrate('status')).json;
  const proves = lanes.map(({ key, base }: { key: string; base: object }) => [key, base]);
  expect(proves).toMatchObject([
    ['bare', { result: 'fail', proves: false }],
    ['made', { result: 'pass', proves: true }],
  ]);
});
