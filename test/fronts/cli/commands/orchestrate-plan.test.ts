import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../../../support/command.ts';
import { countedReads } from '../../../support/counted-reads.ts';
import { sandbox } from '../../../support/sandbox.ts';

const PLAN = `# Refunds

Some words about it.

- [ ] **ui**: Show refunds
  - needs: api
  - Touches: \`src/ui/**\`
  The designs are in docs/refunds.md.
- api: Add the endpoint
  - touches: src/api/**, src/money.ts
  - validate: \`npm test -- api\`
- money: Round down
  - touches: src/money.ts

1. This is no lane: it is prose.
`;

async function project(agent = '1') {
  const box = sandbox();
  const repo = box.repo();
  writeFileSync(
    join(repo, 'lanehold.json'),
    JSON.stringify({ lanes: { validate: 'npm test', baseline: 'when-needed' } }),
  );
  box.commit(repo);
  if (agent !== '') chmodSync(box.write('bin/claude', '#!/bin/sh\n'), 0o755);
  const env = { CLAUDECODE: agent, PATH: `${join(box.root, 'bin')}:${box.env.PATH}` };
  const run = (...argv: string[]) => command(box, repo, ['orchestrate', ...argv], { env });
  await run('init', 'Refunds');
  const plan = async (text: string, ...more: string[]) => {
    writeFileSync(join(repo, 'plan.md'), text);
    return run('plan', 'plan.md', ...more);
  };
  const lanes = async () => {
    const { lanes } = JSON.parse((await run('status', '--json')).stdout);
    return lanes.map(({ key }: { key: string }) => key);
  };
  return { run, plan, lanes };
}

test('a list becomes lanes, whatever the order of their needs, and says what overlaps', async () => {
  const { plan, lanes } = await project();
  const dry = await plan(PLAN, '--dry-run');
  expect(dry.stdout).toContain('api and money touch the same files: one waits for the other');
  expect(dry.stdout).toContain('ui (after api): Show refunds');
  expect(await lanes()).toEqual([]);

  const { lanes: added } = JSON.parse((await plan(PLAN, '--json')).stdout);
  expect(added).toEqual([
    {
      key: 'ui',
      spec: {
        desc: 'Show refunds',
        notes: 'The designs are in docs/refunds.md.',
        touches: ['src/ui/**'],
        needs: ['api'],
      },
    },
    {
      key: 'api',
      spec: {
        desc: 'Add the endpoint',
        touches: ['src/api/**', 'src/money.ts'],
        validate: 'npm test -- api',
      },
    },
    { key: 'money', spec: { desc: 'Round down', touches: ['src/money.ts'] } },
  ]);
  expect(await lanes()).toEqual(['ui', 'api', 'money']);
  const more = { lanes: [{ key: 'docs', desc: 'Tell of it', needs: ['api'] }] };
  expect((await plan(JSON.stringify(more))).exitCode).toBe(0);
  expect(await lanes()).toContain('docs');
  const beside =
    '- tax: Add tax\n  - Touches: src/money.ts\n  - overlap: true\n  - validate-timeout: 5m';
  const all = await plan(beside);
  expect(all.stdout).toContain(
    'tax: Add tax\n  touches src/money.ts; beside others that touch it; `npm test`',
  );
  expect(all.stdout).not.toContain('one waits for the other');
});

test('prose is a note, also where it begins like a field', async () => {
  const { plan } = await project();
  const prose = [
    'Setup: create the table first',
    'Model: the User class stays',
    'Modle: it is a bus',
  ];
  const all = [...prose, 'Note: keep it small', 'note: and short'].map((it) => `- ${it}`);
  const text = [
    '- api: Add it',
    ...all.map((it) => `  ${it}`),
    '  - validateCwd: src',
    '- ui: Show it',
  ];
  const { lanes } = JSON.parse((await plan(`${text.join('\n')}\n  - NEEDS: api`, '--json')).stdout);
  expect(lanes).toEqual([
    { key: 'api', spec: { desc: 'Add it', notes: all.join('\n'), validateCwd: 'src' } },
    { key: 'ui', spec: { desc: 'Show it', needs: ['api'] } },
  ]);
});

test('a lane that will write nothing any more is in nobody’s way', async () => {
  const { run, plan } = await project();
  await run('lane', 'add', 'old', '--desc', 'Round up', '--touches', 'src/money.ts');
  const next = '- money: Round down\n  - touches: src/money.ts';
  const first = await plan(next, '--dry-run');
  expect(first.stdout).toContain('old and money touch the same files');
  await run('lane', 'cancel', 'old');
  expect((await plan(next, '--dry-run')).stdout).not.toContain('touch the same files');
});

test.each([
  ['nothing in it', 'Only words.', 'the plan has no lanes'],
  ['a key twice', '- a: one\n- a: two', 'more than one lane `a`'],
  ['a need that is no lane', '- a: one\n  - needs: b', 'lane a needs `b`, which is no lane'],
  ['a circle', '- a: one\n  - needs: b\n- b: two\n  - needs: a', 'in a circle: a → b → a'],
  ['a field twice', '- a: one\n  - touches: x\n  - touches: y', 'line 3: `touches` of lane a'],
  ['a bad glob', '- a: one\n- b: two\n  - touches: ../x', 'is no glob of the repository'],
  ['a slip in a field', '- a: one\n  - validat: npm t', 'line 2: `validat` of lane a is no field'],
  ['a bad time', '- a: one\n- b: two\n  - timeout: soon', 'line 2: lane b: `soon` is no duration'],
  ['a bad switch', '- a: one\n  - overlap: perhaps', 'line 1: lane a: '],
  ['a bad key', '- a: one\n- b..c: two', 'cannot name a lane'],
  ['broken JSON', '{"lanes": [', 'no JSON'],
  ['an unknown field', '{"lanes": [{"key": "a", "desc": "b", "color": 1}]}', 'color'],
])('with %s nothing is added', async (_, text, fact) => {
  const { plan, lanes } = await project();
  const { exitCode, stderr } = await plan(text);
  expect({ exitCode, stderr }).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(fact),
  });
  expect(await lanes()).toEqual([]);
});

test('a lane is added with the settings that were read once', async () => {
  const { run } = await project();
  const reads = countedReads((file) => file.endsWith('/lanehold.json'));
  const desc = ['--desc', 'Add the endpoint', '--touches', 'src/**'];
  expect((await run('lane', 'add', 'api', ...desc)).exitCode).toBe(0);
  expect([...reads.values()]).toEqual([1]);
});

test.each([
  [['bad key!', '--desc', 'x'], 'cannot name a lane'],
  [['new'], 'a lane needs a description'],
  [['new', '--desc', 'x', '--touches', '/etc/**'], 'is no glob of the repository'],
  [['new', '--desc', 'x'], 'no agent runs this command'],
])('without an agent, lane add %j is still refused for what is wrong in it', async (words, why) => {
  const { run } = await project('');
  const added = await run('lane', 'add', ...words);
  expect(added.stderr).toContain(why);
});

test('a field with a wrong value is named with the values that it takes', async () => {
  const { plan } = await project();
  const wrong = await plan('- xml: Write it\n  - overlap: perhaps\n');
  expect(wrong.stderr).toContain('line 1: lane xml: `overlap`: is true or false\n');
});

test('an added lane that touches what another one touches says so, and how to build on it', async () => {
  const { run, lanes } = await project();
  const add = (...words: string[]) => run('lane', 'add', ...words, '--desc', 'x');
  expect((await add('one', '--touches', 'src/a.ts')).stdout).not.toContain('touches what');
  const needs = await add('next', '--touches', 'src/**', '--needs', 'one');
  expect(needs.stdout).not.toContain('touches what');
  const two = await add('two', '--touches', 'src/**', '--needs', 'next');
  expect(two.stdout).not.toContain('touches what');
  const { stdout } = await add('three', '--touches', 'src/a.ts');
  expect(stdout).toContain('It touches what one, next, two touch: one waits for the other');
  expect(stdout).toContain(
    'hint: to build on it: `lanehold orchestrate lane edit three --needs one`',
  );
  expect(await lanes()).toHaveLength(4);
});
