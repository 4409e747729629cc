/** C4: lanes that pass alone and fail together are found while both are still at work. */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { adoptSlot } from '../../../src/base/process/slots.ts';
import { laneEvents, laneFacts, rows } from '../../support/lane-facts.ts';
import { type LaneProject, laneProject, NODE_TESTS } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

const RENAMED: Readonly<Record<string, string>> = {
  'src/surface.mjs': 'export const surface = (width, height) => width * height;\n',
  'test/area.test.mjs': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { surface } from '../src/surface.mjs';

test('area of a rectangle', () => assert.equal(surface(2, 3), 6));
`,
};

const NEW_USER: Readonly<Record<string, string>> = {
  'src/floor.mjs': "import { area } from './area.mjs';\nexport const floor = () => area(4, 5);\n",
  'test/floor.test.mjs': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floor } from '../src/floor.mjs';

test('area of the floor', () => assert.equal(floor(), 20));
`,
};

const waits = (key: string) => [{ raise: `written ${key}` }, { waitFor: 'go' }];

test('C4: a rename and a new user of the old name are told of before either ends', async () => {
  const project = laneProject({
    files: {
      ...NODE_TESTS,
      'docs/guide.md': 'A guide\n',
      'lanehold.json': JSON.stringify({ lanes: { checkpoint: '1s' } }),
    },
    scenario: {
      lanes: {
        a: [[{ delete: ['src/area.mjs'] }, { write: RENAMED }, ...waits('a')]],
        b: [[{ write: NEW_USER }, ...waits('b')]],
        c: [[{ write: { 'docs/guide.md': 'A better guide\n' } }, ...waits('c')]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  for (const key of ['a', 'b', 'c']) await run.add(key, { validate: 'node --test' });
  await run.spawn();
  for (const key of ['a', 'b', 'c']) {
    await project.until(`the work of ${key}`, () => project.isRaised(`written ${key}`));
    await run.reaches(key, 'running');
  }
  const found = await project.until(
    () => `the conflict to be told: ${JSON.stringify(laneEvents(project), undefined, 1)}`,
    () => laneEvents(project, 'composition').at(0),
  );

  expect(found.data).toMatchObject({
    conflict: 'validation',
    lanes: ['a', 'b'],
    command: 'node --test',
  });
  expect(Object.values(run.states())).toEqual(['running', 'running', 'running']);
  const trees = laneFacts(project).map(({ worktree, base_sha }) => [
    project.box.git(worktree ?? '', 'rev-parse', 'HEAD') === base_sha,
    project.box.git(worktree ?? '', 'status', '--porcelain'),
  ]);
  expect(trees).toEqual([
    [true, ' D src/area.mjs\n M test/area.test.mjs\n?? src/surface.mjs'],
    [true, '?? src/floor.mjs\n?? test/floor.test.mjs'],
    [true, ' M docs/guide.md'],
  ]);
  expect(project.git('status', '--porcelain')).toBe('');

  project.raise('go');
  await run.settled();
  expect(run.states()).toEqual({ a: 'verified', b: 'verified', c: 'verified' });
  const told = laneEvents(project, 'composition').map(({ data }) => data.lanes);
  expect(told.filter((lanes) => String(lanes).includes('c'))).toEqual([]);
  const lane = (key: string): string => run.lane(key).id;
  const disjoint = rows(
    project,
    'SELECT conflicts, related, validation_id FROM compositions WHERE a_lane_id = ? AND b_lane_id = ?',
    lane('a'),
    lane('c'),
  );
  expect(disjoint.length).toBeGreaterThan(0);
  for (const look of disjoint) {
    expect(look).toEqual({ conflicts: '[]', related: 0, validation_id: null });
  }
});

test('C4: what nobody had a slot for is validated once there is one, though nothing changes', async () => {
  const project = laneProject({
    files: { ...NODE_TESTS, 'lanehold.json': JSON.stringify({ lanes: { checkpoint: '1s' } }) },
    scenario: {
      lanes: {
        a: [[{ delete: ['src/area.mjs'] }, { write: RENAMED }, { hang: true }]],
        b: [[{ write: NEW_USER }, { hang: true }]],
      },
    },
  });
  const home = project.box.laneholdHome;
  const slots = { lanes: { baseline: 'when-needed', slots: { worker: 4, validate: 1, setup: 1 } } };
  project.box.write(join(home, 'config.json'), JSON.stringify(slots));
  const somebody = adoptSlot(join(home, 'locks'), 'validate');
  onTestFinished(() => somebody.release());
  const run = laneRun(project);
  await run.init();
  for (const key of ['a', 'b']) await run.add(key, { validate: 'node --test' });
  await run.spawn();
  const whole = { a: Object.keys(RENAMED), b: Object.keys(NEW_USER) };
  await project.until('the newest states of both to be merged', () =>
    rows(project, 'SELECT a_sha, b_sha FROM compositions WHERE related = 1').some((pair) =>
      [...whole.a, ...whole.b].every((path) =>
        [pair.a_sha, pair.b_sha].some((sha) => holds(project, String(sha), path)),
      ),
    ),
  );
  expect(rows(project, 'SELECT id FROM validations')).toEqual([]);
  somebody.release();
  const found = await project.until(
    () => `the conflict to be told: ${JSON.stringify(laneEvents(project), undefined, 1)}`,
    () => laneEvents(project, 'composition').at(0),
  );
  expect(found.data).toMatchObject({ conflict: 'validation', lanes: ['a', 'b'] });
  expect(run.states()).toEqual({ a: 'running', b: 'running' });
});

test('what workers change in their last moment is merged with the others, too', async () => {
  const guide = (by: string) => ({ write: { 'docs/guide.md': `By ${by}\n` } });
  const project = laneProject({
    files: { 'docs/guide.md': 'A guide\n' },
    scenario: { lanes: { a: [[guide('a')]], b: [[guide('b')]] } },
  });
  const run = laneRun(project);
  await run.init();
  for (const key of ['a', 'b']) await run.add(key, { validate: 'true' });
  await run.spawn();
  await run.settled();
  const told = laneEvents(project, 'composition').map(({ data }) => data);
  expect(told).toMatchObject([{ conflict: 'text', paths: ['docs/guide.md'] }]);
  expect(run.states()).toEqual({ a: 'verified', b: 'verified' });
});

function holds(project: LaneProject, sha: string, path: string): boolean {
  return project.git('ls-tree', '--name-only', sha, path) === path;
}
