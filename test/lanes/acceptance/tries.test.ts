/** Several tries of one task, of which one is picked. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { integrationStore } from '../../../src/store/integrations.ts';
import { boardRows } from '../../support/board-rows.ts';
import { command } from '../../support/command.ts';
import { laneProject, NODE_TESTS } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { sandbox } from '../../support/sandbox.ts';

const AREA = 'src/area.mjs';
const TRIANGLE = `import assert from 'node:assert/strict';
import { test } from 'node:test';

test('area of a triangle', () => assert.equal(6 / 2, 3));
`;
const area = (name: string) => `export const area = (${name}, b) => ${name} * b;\n`;

test('tries are worked on at once, compared, and one is picked, or the first that is verified', async () => {
  const project = laneProject({
    files: NODE_TESTS,
    scenario: {
      lanes: {
        'p.1': [[{ waitFor: 'other' }, { write: { [AREA]: area('width') } }]],
        'p.2': [[{ write: { [AREA]: 'export const area = () => 7;\n' } }]],
        'p.3': [
          [{ raise: 'other' }, { write: { [AREA]: area('w'), 'test/t.test.mjs': TRIANGLE } }],
        ],
        'q.1': [[{ hang: true }]],
        'q.2': [[{ write: { 'q.txt': 'q\n' } }]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  const addTries = (key: string, ...more: readonly string[]) =>
    run.orchestrate(
      ...['lane', 'add', key, '--desc', `Work on ${key}`, '--validate', 'node --test'],
      ...['--spawn', ...more],
    );
  const agents = ['--agents', 'claude-code,codex'];
  const { lanes } = (await addTries('p', '--tries', '3', ...agents, '--touches', '{src,test}/**'))
    .json;
  expect(lanes.map(({ key, spec }: (typeof lanes)[0]) => [key, spec.agent])).toEqual([
    ['p.1', 'claude-code'],
    ['p.2', 'codex'],
    ['p.3', 'claude-code'],
  ]);
  await addTries('q', '--first', ...agents);
  await run.settled();
  expect(run.states()).toEqual({
    ...{ 'p.1': 'verified', 'p.2': 'failed', 'p.3': 'verified' },
    ...{ 'q.1': 'cancelled', 'q.2': 'verified' },
  });

  const status = (await run.orchestrate('status')).json;
  expect([status.conflicts, status.lanes[0].help]).toEqual([
    [],
    ['lanehold orchestrate lane compare p', 'lanehold orchestrate lane pick p p.1'],
  ]);
  expect(readFileSync(project.starts('p.1')[0]?.prompt ?? '', 'utf8')).not.toContain('p.3');

  const compared = await run.orchestrate('lane', 'compare', 'p');
  expect(compared.json.lanes).toMatchObject([
    { key: 'p.1', state: 'verified', agent: 'claude-code', files: [AREA] },
    { key: 'p.2', state: 'failed', agent: 'codex', tests: { failed: [expect.any(String)] } },
    {
      ...{ key: 'p.3', files: [AREA, 'test/t.test.mjs'], tests: { ran: 2, ranOnBase: 1 } },
      ...{ diff: { added: 5, removed: 1 }, used: { turns: expect.any(Number) } },
    },
  ]);
  const { stdout } = await project.lanehold('orchestrate', 'lane', 'compare', 'p');
  expect(stdout).toMatch(/^p\.3 +verified +claude-code +\+5 -1 in 2 files +2 ran, 1 on the base/m);
  expect(stdout).toMatch(
    /only p\.3: test\/t\.test\.mjs\nhint: `lanehold orchestrate lane pick p p\.1`/,
  );

  const withheld = await project.orchestrate('integrate');
  expect([withheld.exitCode, withheld.json.withheld]).toEqual([
    3,
    ['p.1', 'p.3'].map((lane) => ({
      lane,
      why: 'one of several tries',
      next: [expect.any(String), expect.stringContaining(`lane pick p ${lane}`)],
    })),
  ]);
  const none = await project.lanehold('orchestrate', 'lane', 'pick', 'p', '4');
  expect([none.exitCode, none.stderr]).toEqual([
    2,
    expect.stringContaining('hint: there are: p.1, p.2, p.3'),
  ]);
  expect((await run.orchestrate('lane', 'pick', 'p', '1')).json.given).toEqual(['p.2', 'p.3']);
  // Somebody thinks again.
  const picked = await project.lanehold('orchestrate', 'lane', 'pick', 'p', '3');
  expect(picked.stdout).toBe('Picked p.3, verified; cancelled p.1 (verified)\n');
  await run.orchestrate('integrate');
  expect((await run.orchestrate('land')).json).toMatchObject({
    lanes: ['q.2', 'p.3'],
    closed: true,
  });
  expect(existsSync(run.lane('p.1').worktree ?? '')).toBe(true);
  expect(readFileSync(`${project.repo}/${AREA}`, 'utf8')).toBe(area('w'));
});

test('a wait for the first of several tries ends with 0, and what starts the task then starts no other', async () => {
  const project = laneProject({
    files: NODE_TESTS,
    scenario: {
      lanes: { 'q.1': [[{ hang: true }]], 'q.2': [[{ write: { 'q.txt': 'q\n' } }]] },
    },
  });
  const run = laneRun(project);
  await run.init();
  const words = ['--desc', 'q', '--validate', 'node --test', '--tries', '2', '--first'];
  await run.orchestrate('lane', 'add', 'q', ...words);
  const waited = await project.orchestrate('spawn', 'q', '--wait');
  expect([waited.exitCode, waited.json.notDone]).toEqual([0, []]);
  expect(run.states()).toEqual({ 'q.1': 'cancelled', 'q.2': 'verified' });

  const again = await project.orchestrate('spawn', 'q', '--wait');
  expect(again.json.lanes.map(({ key }: { key: string }) => key)).toEqual(['q.2']);
  expect(again.exitCode).toBe(0);
  const both = await project.orchestrate('spawn', 'q.2', 'q.1');
  expect([both.exitCode, run.states()['q.2']]).toEqual([1, 'verified']);
});

test('a try that is not verified is not picked, and the others go on', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  const tries = { of: 'p', picks: 'person' } as const;
  for (const key of ['p.1', 'p.2']) rows.lane(key, { tries }, { headSha: rows.base });
  const pick = await command(box, rows.repo, ['orchestrate', 'lane', 'pick', 'p', '2']);
  expect([pick.exitCode, pick.stderr]).toEqual([
    2,
    expect.stringContaining('lane `p.2` is not verified: it is planned'),
  ]);
  const { stdout } = await command(box, rows.repo, ['orchestrate', 'status', '--json']);
  const states = JSON.parse(stdout).lanes.map(({ state }: { state: string }) => state);
  expect(states).not.toContain('cancelled');
});

test('while one is being integrated no other is picked', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  const tries = { of: 'p', picks: 'person' } as const;
  const [first] = ['p.1', 'p.2'].map((key) => rows.lane(key, { tries }, { headSha: rows.base }));
  const row = { id: 'one', runId: rows.run.id, laneId: first?.id ?? '', laneSha: rows.base };
  rows.store.write(() => integrationStore(rows.store).add(row, rows.context.now()));
  const pick = await command(box, rows.repo, ['orchestrate', 'lane', 'pick', 'p', '2']);
  expect([pick.exitCode, pick.stderr]).toEqual([
    2,
    expect.stringContaining('`p.1` was picked, and is integrating'),
  ]);
});
