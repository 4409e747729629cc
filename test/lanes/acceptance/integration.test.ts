/** C4 and C6: how lanes go together is found out early, and brought home beside the user's checkout. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { laneEvents, rows } from '../../support/lane-facts.ts';
import { type LaneProject, laneProject, NODE_TESTS } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

// Six lanes are worked on, validated and integrated one after the other.
vi.setConfig({ testTimeout: 120_000 });

const TESTS = 'node --test';

/** Everything of the user's checkout that integration has no business with. */
function checkout(project: LaneProject): string[] {
  const read = (path: string): string => readFileSync(join(project.repo, path), 'base64');
  return [
    project.git('rev-parse', 'HEAD'),
    project.git('diff', '--cached'),
    project.git('status', '--porcelain'),
    ...['README.md', 'staged.txt', 'untracked.txt'].map(read),
  ];
}

test('C6: of six verified lanes four land; the culprit and the conflict are named', async () => {
  const fine = ['one', 'two', 'three', 'four'];
  const write = (path: string, text: string) => [[{ write: { [path]: text } }]];
  const project = laneProject({
    scenario: {
      lanes: {
        ...Object.fromEntries(fine.map((key) => [key, write(`src/${key}.txt`, key)])),
        // Passes by itself, and fails as soon as the work of `three` is there.
        culprit: write('checks/lonely.sh', 'test ! -e src/three.txt\n'),
        conflict: write('src/one.txt', 'another one'),
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  for (const key of [...fine, 'culprit', 'conflict']) await run.add(key);
  await run.spawn();
  await run.settled();
  expect(new Set(Object.values(run.states()))).toEqual(new Set(['verified']));

  project.box.write(join(project.repo, 'staged.txt'), 'staged');
  project.git('add', 'staged.txt');
  project.box.write(join(project.repo, 'README.md'), 'dirty\n');
  project.box.write(join(project.repo, 'untracked.txt'), 'untracked');
  const before = checkout(project);
  const validated = rows(project, "SELECT 1 FROM validations WHERE subject = 'integration'").length;
  const integrated = await project.orchestrate('integrate');

  expect(checkout(project)).toEqual(before);
  expect(run.states()).toMatchObject({
    ...Object.fromEntries(fine.map((key) => [key, 'integrated'])),
    culprit: 'culprit',
    conflict: 'conflict',
  });
  expect(integrated.stdout).toMatch(/src\/one\.txt/);
  const validations = rows(project, "SELECT * FROM validations WHERE subject = 'integration'");
  expect(validations.length - validated).toBeLessThanOrEqual(6);
  const tip = project.git('for-each-ref', '--format=%(objectname)', 'refs/lanehold/*/integration');
  expect(validations.some(({ sha, result }) => sha === tip && result === 'pass')).toBe(true);

  // The user's changes are in the way of nothing that lands, and stay as they are.
  await project.orchestrate('land');
  const landed = Object.values(run.states()).filter((state) => state === 'landed');
  if (landed.length > 0) expect(project.git('rev-parse', 'main')).toBe(tip);
  expect(checkout(project).slice(-3)).toEqual(before.slice(-3));
});

test('C6: two who integrate at once land everything once', async () => {
  const keys = ['alpha', 'beta', 'gamma'];
  const project = laneProject({
    scenario: {
      lanes: Object.fromEntries(keys.map((key) => [key, [[{ write: { [`${key}.txt`]: key } }]]])),
    },
  });
  const run = laneRun(project);
  await run.init();
  for (const key of keys) await run.add(key);
  await run.spawn();
  await run.settled();
  await Promise.all([project.orchestrate('integrate'), project.orchestrate('integrate')]);
  await run.orchestrate('land');
  expect(run.states()).toEqual({ alpha: 'landed', beta: 'landed', gamma: 'landed' });
  const merges = project.git('log', '--format=%s', 'main').split('\n');
  for (const key of keys) {
    expect(project.git('show', `main:${key}.txt`)).toBe(key);
    expect(merges.filter((subject) => subject.includes(key)).length).toBeLessThanOrEqual(2);
  }
  expect(project.git('status', '--porcelain')).toBe('');
});

test('C4: two lanes that break each other are told of it while they run', async () => {
  const project = laneProject({
    files: NODE_TESTS,
    scenario: {
      lanes: {
        rename: [
          [
            { rename: { 'src/area.mjs': 'src/surface.mjs' } },
            { edit: { path: 'test/area.test.mjs', from: 'src/area.mjs', to: 'src/surface.mjs' } },
            { waitFor: 'go' },
          ],
        ],
        use: [
          [
            {
              write: {
                'src/floor.mjs':
                  "import { area } from './area.mjs';\nexport const floor = () => area(2, 2);\n",
                'test/floor.test.mjs': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floor } from '../src/floor.mjs';
test('floor', () => assert.equal(floor(), 4));
`,
              },
            },
            { waitFor: 'go' },
          ],
        ],
        apart: [[{ write: { 'doc.txt': 'doc' } }, { waitFor: 'go' }]],
      },
    },
  });
  project.box.write(
    join(project.repo, 'lanehold.json'),
    JSON.stringify({ lanes: { checkpoint: '1s' } }),
  );
  project.box.commit(project.repo, 'settings');
  const run = laneRun(project);
  await run.init();
  for (const key of ['rename', 'use', 'apart']) await run.add(key, { validate: TESTS });
  await run.spawn();
  for (const key of ['rename', 'use', 'apart']) await run.reaches(key, 'running');
  const conflict = await project.until('the conflict', () =>
    laneEvents(project).find(
      (it) => /composition/.test(it.type) && /conflict|fail/.test(JSON.stringify(it)),
    ),
  );
  expect(Object.values(run.states())).toEqual(['running', 'running', 'running']);
  expect(JSON.stringify(conflict.data)).toContain(TESTS);
  const bad = rows(
    project,
    `SELECT a.key AS a, b.key AS b FROM compositions AS c
       JOIN lanes AS a ON a.id = c.a_lane_id JOIN lanes AS b ON b.id = c.b_lane_id
       LEFT JOIN validations AS v ON v.id = c.validation_id
      WHERE v.result = 'fail' OR c.conflicts <> '[]'`,
  );
  expect(bad.map(({ a, b }) => [a, b].sort())).toEqual(bad.map(() => ['rename', 'use']));
  project.raise('go');
});
