/** Results that test runners report as data: real runs, and files as tools write them. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runnersOf } from '../../../src/lanes/judge/reports/ask.ts';
import { readReports, reportsIn } from '../../../src/lanes/judge/reports/read.ts';
import { sandbox } from '../../support/sandbox.ts';
import { validationProject } from './validation-project.ts';

const TESTS = `import { describe, it, test } from 'node:test';
test('adds', () => {});
test.skip('later', () => {});
describe('cart', () => it('empties', () => { throw new Error('no'); }));
`;

async function validated(command: string, files: Readonly<Record<string, string>>) {
  const project = validationProject();
  for (const [path, text] of Object.entries(files)) project.write(path, text);
  project.commit();
  return project.validate(command);
}

describe('node --test', () => {
  test('reports what ran, passed and failed, by names', async () => {
    const files = {
      'package.json': '{ "scripts": { "test": "node --test" } }',
      'a.test.mjs': TESTS,
    };
    expect(await validated('npm test', files)).toMatchObject({
      result: 'fail',
      tests: {
        began: true,
        executed: ['a.test.mjs > adds', 'a.test.mjs > cart > empties'],
        skipped: ['a.test.mjs > later'],
        passed: 1,
      },
      failures: ['a.test.mjs > cart > empties'],
    });
  });

  test('reports that nothing ran', async () => {
    expect(await validated('node --test', { 'a.txt': 'no test' })).toMatchObject({
      result: 'pass',
      tests: { began: true, executed: [], passed: 0 },
    });
  });

  test('a file of which no test was chosen has run none', async () => {
    const files = { 'a.test.mjs': "import test from 'node:test';\ntest('adds', () => {});" };
    const chosen = (name: string) => validated(`node --test --test-name-pattern=${name}`, files);
    expect((await chosen('nothing')).tests).toMatchObject({ began: true, ran: 0, passed: 0 });
    expect((await chosen('adds')).tests).toMatchObject({ executed: ['a.test.mjs > adds'] });
  });
});

test.each([
  ['npm test', { 'package.json': '{ "scripts": { "test": "vitest run" } }' }, ['vitest']],
  ['make check', { Makefile: 'check:\n\tpython3 -m pytest -q\n' }, ['pytest']],
  ['tsc && npx jest', {}, ['jest']],
  ['node --test --test-reporter=dot', {}, ['node']],
  ['tsc --noEmit', {}, []],
  ['pytest a; pytest b', {}, []],
])('%s starts a runner that can report', (command, files, runners) => {
  const box = sandbox();
  for (const [path, text] of Object.entries(files)) box.write(path, text);
  expect(runnersOf(command, box.root, box.root)).toEqual(runners);
});

test('a runner reports although the command does not show that it is started', async () => {
  const files = {
    'go.sh': 'cd pack && node node_modules/vitest/vitest.mjs run',
    'pack/node_modules/vitest/vitest.mjs': `import { writeFileSync } from 'node:fs';
const [, file] = process.argv.at(-1).split('=');
const assertionResults = [{ status: 'failed', title: 'adds', ancestorTitles: [] }];
const name = process.cwd() + '/a.test.ts';
writeFileSync(file, JSON.stringify({ testResults: [{ name, status: 'failed', assertionResults }] }));
process.exitCode = 1;
`,
  };
  // As tools do that let few variables through.
  const command = 'env -i PATH="$PATH" NODE_OPTIONS="$NODE_OPTIONS" "$(command -v sh)" go.sh';
  expect(await validated(command, files)).toMatchObject({
    result: 'fail',
    tests: { runners: ['the test runner'], passed: 0 },
    failures: ['pack/a.test.ts > adds'],
  });
  expect(await validated('true', files)).toMatchObject({ result: 'pass', tests: undefined });
});

describe('node --test that the command does not show', () => {
  const startedBy = (...words: readonly string[]) => ({
    'start.mjs': `import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
const [program, ...words] = JSON.parse(readFileSync('words.json', 'utf8'));
process.exitCode = spawnSync(program, words, { cwd: 'pack', stdio: 'inherit' }).status;
`,
    'words.json': JSON.stringify(['node', ...words]),
    'pack/a.test.mjs': TESTS,
  });

  test('reports, too, and prints and ends as it would', async () => {
    const run = await validated('node start.mjs', startedBy('--test'));
    expect(run).toMatchObject({
      ...{ result: 'fail', exitCode: 1 },
      tests: { runners: ['the test runner'], passed: 1 },
      failures: ['pack/a.test.mjs > cart > empties'],
    });
    expect(run.tail).toContain('✖ empties');
    const one = await validated('node start.mjs', startedBy('--test', '--test-name-pattern=adds'));
    expect(one).toMatchObject({ result: 'pass', tests: { executed: ['pack/a.test.mjs > adds'] } });
  });

  test.each([
    ['tap', 'not ok 1 - empties'],
    ['dot', '\n..XX\n'],
    ['junit', '<testcase name="adds"'],
  ])('reports beside a reporter of its own: %s', async (reporter, printed) => {
    const words = ['--test', `--test-reporter=${reporter}`];
    const run = await validated('node start.mjs', startedBy(...words));
    expect(run).toMatchObject({
      ...{ result: 'fail', tests: { passed: 1 } },
      failures: ['pack/a.test.mjs > cart > empties'],
    });
    expect(`\n${run.tail}`).toContain(printed);
    expect(run.tail).not.toContain('▶ cart');
  });
});

test('JUnit reports that a tool writes into the tree by itself', async () => {
  const write = `mkdir -p build && echo '<testsuite>$CASES</testsuite>' > build/TEST-Cart.xml; exit 1`;
  const adds = '<testcase classname="Cart" name="adds"/>';
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const fails = `<testcase classname="Cart" name="logs in with ${token}"><failure/></testcase>`;
  const files = { 'old.xml': '<testsuite><testcase name="old"/></testsuite>' };
  const command = write.replace('$CASES', adds + fails);
  expect(await validated(command, files)).toMatchObject({
    result: 'fail',
    tests: { runners: ['the test runner'], began: true, passed: 1 },
    failures: [expect.stringMatching(/^Cart > logs in with \[redacted:/)],
  });
  expect(await validated(write.replace('$CASES', '').replace('1', '0'), files)).toMatchObject({
    result: 'pass',
    tests: { executed: [] },
  });
});

describe('files that tools write', () => {
  function read(name: string, text: string) {
    const box = sandbox();
    const folder = join(box.root, 'reports');
    mkdirSync(folder);
    box.write(join(folder, name), text);
    return readReports(reportsIn(folder));
  }

  test('JSON of Vitest and Jest', () => {
    const assertions = ['passed', 'failed', 'pending', 'todo'].map((status) => {
      return { status, title: status, ancestorTitles: ['cart'] };
    });
    const testResults = [
      { name: '/p/a.test.ts', status: 'failed', assertionResults: assertions },
      { name: '/p/b.test.ts', status: 'failed', message: 'no module', assertionResults: [] },
    ];
    expect(read('1.json', JSON.stringify({ testResults }))).toEqual([
      { status: 'passed', name: '/p/a.test.ts > cart > passed' },
      { status: 'failed', name: '/p/a.test.ts > cart > failed' },
      { status: 'skipped', name: '/p/a.test.ts > cart > pending' },
      { status: 'skipped', name: '/p/a.test.ts > cart > todo' },
      { status: 'not-loaded', name: '/p/b.test.ts' },
    ]);
  });

  test('JUnit XML', () => {
    const cases = [
      '<testcase classname="cart" name="adds"/>',
      '<testcase classname="cart" name="a &lt; b"><failure message="no">x</failure></testcase>',
      '<testcase classname="cart" name="later"><skipped/></testcase>',
      '<testcase classname="" name="tests.broken"><error message="collection failure"/></testcase>',
    ];
    const text = `<?xml version="1.0"?><testsuites><testsuite>${cases.join('')}</testsuite></testsuites>`;
    expect(read('a.xml', text)).toEqual([
      { status: 'passed', name: 'cart > adds' },
      { status: 'failed', name: 'cart > a < b', why: 'no' },
      { status: 'skipped', name: 'cart > later' },
      { status: 'not-loaded', name: 'tests.broken', why: 'collection failure' },
    ]);
    expect(read('a.xml', text.slice(0, 200))).toBeUndefined();
  });
});
