/** A lane that changes what its validation rests on is judged by the old proof, too, and looked at. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { laneEvents } from '../../support/lane-facts.ts';
import { laneProject, NODE_TESTS } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { runCli } from '../../support/run-cli.ts';

test('a changed proof: who cheats fails by that of the base, who does not is flagged', async () => {
  const project = laneProject({
    files: { 'package.json': '{ "scripts": { "test": "sh check.sh" } }\n', 'count.sh': 'true\n' },
    scenario: {
      lanes: {
        cheats: [
          [{ write: { broken: 'x', 'package.json': '{ "scripts": { "test": "true" } }\n' } }],
        ],
        hides: [[{ write: { broken: 'x', 'check.sh': 'exit 0\n' } }]],
        tidies: [
          [{ write: { 'check.sh': 'test ! -e broken # as before\n', '.gitignore': 'x\n' } }],
        ],
        works: [[{ write: { 'works.txt': 'x' } }]],
        merges: [[{ write: { 'notes.txt': `${'<'.repeat(7)} HEAD\n` } }]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  for (const key of ['cheats', 'hides', 'tidies', 'works', 'merges']) {
    await run.add(key, { validate: 'npm test' });
  }
  await run.spawn();
  await run.settled();
  const { cheats, hides, tidies, works } = run.states();
  expect({ cheats, hides, tidies, works }).toEqual({
    ...{ cheats: 'failed', hides: 'failed', tidies: 'verified', works: 'verified' },
  });
  expect(run.lane('cheats').attempt?.end_detail).toContain('with package.json of the base');
  expect(run.lane('hides').attempt?.end_detail).toContain('with check.sh of the base');
  expect(run.lane('works').validations.at(-1)).toMatchObject({ flags: [], runs: [{}] });
  expect(run.lane('tidies').validations.at(-1)).toMatchObject({
    flags: ['proof-changed: [".gitignore","check.sh"]'],
    runs: [{ result: 'pass' }, { result: 'pass' }],
  });
  // Its validation passes, and nothing else would notice an open merge.
  expect(run.lane('merges').validations.at(-1)).toMatchObject({
    ...{ result: 'pass', flags: ['conflict-markers: ["notes.txt:1"]'] },
  });

  const { json: status } = await run.orchestrate('status');
  expect(status.lanes[2]).toMatchObject({
    flags: [{ kind: 'proof-changed', data: ['.gitignore', 'check.sh'], stops: true }],
    help: [
      'lanehold orchestrate lane diff tidies',
      "lanehold orchestrate retry tidies --notes 'WHAT IS WRONG'",
      'lanehold orchestrate integrate --accept tidies',
    ],
  });
  expect((await project.lanehold('orchestrate', 'status')).stdout).toMatch(
    /^ {2}tidies +to be looked at .*proof-changed/m,
  );
  expect((await project.lanehold('orchestrate', 'handoff')).stdout).toMatch(
    /2 of them to be looked/,
  );

  const held = await project.orchestrate('integrate');
  expect([held.exitCode, run.states().tidies, run.states().works]).toEqual([
    ...[3, 'verified', 'integrated'],
  ]);
  expect(held.json.withheld).toMatchObject([{ lane: 'tidies' }, { lane: 'merges' }]);
  const byAgent = { ...project.env, CLAUDECODE: '1' };
  const refused = await runCli(
    ['orchestrate', 'integrate', '--accept', 'tidies'],
    project.repo,
    byAgent,
  );
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/no person/) });
  expect(run.states().tidies).toBe('verified');

  const accepted = await project.orchestrate('integrate', '--accept', 'tidies');
  expect([accepted.exitCode, run.states().tidies, run.states().merges]).toEqual([
    ...[3, 'integrated', 'verified'],
  ]);
  const by = expect.stringMatching(/^person /);
  expect(accepted.json.accepted).toEqual([
    { lane: 'tidies', by, flags: [expect.stringContaining('proof-changed (')] },
  ]);
  expect(laneEvents(project, 'lane.accepted')).toMatchObject([
    { data: { flags: ['proof-changed'] } },
  ]);
});

test('kinds of flags that need no person: those of the settings as the run began', async () => {
  const project = laneProject({
    files: { 'lanehold.json': '{ "lanes": { "accept": ["proof-changed"] } }' },
    scenario: { lanes: { ignores: [[{ write: { '.gitignore': 'x\n' } }]] } },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('ignores', { validate: 'true' });
  await run.spawn();
  await run.settled();
  const { json: before } = await run.orchestrate('status');
  expect(before.lanes[0].flags).toMatchObject([
    { kind: 'proof-changed', stops: false, acceptedBy: 'lanes.accept' },
  ]);
});

test('what is added to the settings after the run began lets no flag pass', async () => {
  const project = laneProject({
    scenario: { lanes: { ignores: [[{ write: { '.gitignore': 'x\n' } }]] } },
  });
  const run = laneRun(project);
  await run.init();
  writeFileSync(
    join(project.repo, 'lanehold.json'),
    '{ "lanes": { "accept": ["proof-changed"] } }',
  );
  await run.add('ignores', { validate: 'true' });
  await run.spawn();
  await run.settled();
  const held = await project.orchestrate('integrate');
  expect([held.exitCode, held.json.withheld]).toMatchObject([3, [{ lane: 'ignores' }]]);
});

test('tests that are added to those of another feature stop nobody, hidden ones do', async () => {
  const path = 'test/area.test.mjs';
  const { [path]: tests = '' } = NODE_TESTS;
  const more = `${tests.replace('{ area }', '{ area, area as again }')}
test('area of nothing', () => assert.equal(again(0, 3), 0));
`;
  const project = laneProject({
    files: {
      ...NODE_TESTS,
      'lanehold.json': JSON.stringify({
        features: { area: { files: ['src/area.mjs', path], smoke: ['node --test'] } },
      }),
    },
    scenario: {
      lanes: {
        adds: [[{ write: { [path]: more } }]],
        hides: [
          [
            {
              write: {
                [path]: more.replace(
                  "test('area of a",
                  "if (process.env.NEVER)\n  test('area of a",
                ),
              },
            },
          ],
        ],
        empties: [[{ write: { [path]: tests.replace('test(', 'if (process.env.NEVER) test(') } }]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  for (const key of ['adds', 'hides', 'empties']) {
    await run.add(key, { validate: 'node --test' });
  }
  await run.spawn();
  await run.settled();
  const flagsOf = (key: string) => run.lane(key).validations.at(-1)?.flags;
  expect(run.states()).toEqual({ adds: 'verified', hides: 'verified', empties: 'failed' });
  expect(flagsOf('adds')).toEqual([]);
  expect(flagsOf('hides')).toEqual([`tests_removed: ["${path} > area of a rectangle"]`]);
  expect(run.lane('empties').attempt?.end_detail).toBe(`tests were removed: ${path}`);
  const { stdout } = await project.lanehold('orchestrate', 'status');
  expect(/^ {2}empties.*$/m.exec(stdout)?.[0].match(/tests.were.removed/g)).toHaveLength(1);
  expect(stdout).not.toContain('rejected-for');
  // The test of the base ran once more, alone.
  expect(stdout).toMatch(/^ {2}adds +verified .*2 tests ran/m);
  const { json } = await project.orchestrate('integrate');
  expect(json.withheld.map((it: { lane: string }) => it.lane)).toEqual(['hides']);
  expect(run.states()).toMatchObject({ adds: 'integrated', hides: 'verified' });
});

test('of a runner that tells no names, the counts are compared, and none prove nothing', async () => {
  const says = (count: string) => [[{ write: { says: count } }]];
  const project = laneProject({
    files: { 'check.sh': 'cat says\n', says: '  4 passing (1ms)\n' },
    scenario: {
      lanes: {
        ...{ more: says('  5 passing (1ms)\n'), fewer: says('  3 passing (1ms)\n') },
        ...{ none: says('  0 passing (1ms)\n'), silent: says('well\n') },
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  const keys = ['more', 'fewer', 'none', 'silent'];
  for (const key of keys) await run.add(key, { validate: 'sh check.sh' });
  await run.spawn();
  await run.settled();
  const found = keys.map((key) => run.lane(key).validations.at(-1));
  expect(found.map((it) => [it?.result, it?.flags])).toEqual([
    ['pass', []],
    ['pass', ['tests-not-run: ["3 of the 4 tests of the base"]']],
    ['error', []],
    ['error', []],
  ]);
  const why = 'nothing was proved: 4 tests ran on the base, and none is known to have run here';
  for (const key of ['none', 'silent']) expect(run.lane(key).attempt?.end_detail).toContain(why);
});

test('small changes of what a lane has written that no test notices are told, or stop it', async () => {
  const perimeter = '\nexport const perimeter = (width, height) => 2 * (width + height);\n';
  const { 'src/area.mjs': area = '' } = NODE_TESTS;
  const testing = (check: string) => `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { perimeter } from '../src/area.mjs';
test('perimeter', () => ${check});
`;
  const adding = (check: string) => [
    [{ write: { 'src/area.mjs': area + perimeter, 'test/perimeter.test.mjs': testing(check) } }],
  ];
  const project = laneProject({
    files: { ...NODE_TESTS, 'lanehold.json': '{ "lanes": { "proof": { "mutants": 60 } } }' },
    scenario: {
      lanes: {
        tested: adding('assert.equal(perimeter(2, 3), 10)'),
        called: adding('assert.ok(perimeter(2, 3))'),
        reads: [[{ write: { 'README.md': 'Areas\n' } }]],
      },
    },
  });
  const run = laneRun(project);
  await run.init();
  for (const key of ['tested', 'called', 'reads']) await run.add(key, { validate: 'node --test' });
  await run.spawn();
  await run.settled();
  const flagsOf = (key: string) => run.lane(key).validations.at(-1)?.flags;
  expect(flagsOf('tested')).toEqual([
    'changes-noticed: ["3 of 3 changes of these lines are noticed"]',
  ]);
  const missed = ['3 for 2', '/ for *', '- for +'].map((it) => `src/area.mjs:3: ${it}`);
  const words = '0 of 3 changes of these lines are noticed';
  expect(flagsOf('called')).toEqual([`changes-not-noticed: ${JSON.stringify([words, ...missed])}`]);
  expect(flagsOf('reads')).toEqual([]);

  const { json } = await project.orchestrate('integrate');
  expect(json.withheld).toMatchObject([{ lane: 'called' }]);
  const { stdout } = await project.lanehold('orchestrate', 'status');
  expect(stdout).toContain('changes-not-noticed (0 of 3 changes of these lines');
  const { json: status } = await project.orchestrate('status');
  const { flags } = status.lanes.find((it: { key: string }) => it.key === 'called');
  expect(flags).toMatchObject([{ data: [words, ...missed], stops: true }]);
});
