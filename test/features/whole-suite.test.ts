/** A pass of the whole suite proves what only some of its tests would prove, and no more than that. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SmokeTest } from '../../src/base/config/feature.ts';
import { passedWith } from '../../src/features/whole-suite.ts';
import { sandbox } from '../support/sandbox.ts';

const SCRIPTS = {
  test: 'vitest run',
  checked: 'tsc && vitest run',
  lenient: 'vitest run || true',
  next: 'vitest run; true',
  turned: '! vitest run',
  behind: 'vitest run &',
  set: 'MODE=ci vitest run',
  some: 'vitest run test/cart',
  jest: 'jest',
  node: 'node --test',
  all: 'npm test --workspaces && node --test test/*.test.js',
  any: 'npm test --workspaces; true',
  outer: 'npm run test',
};
const FILES = {
  'package.json': JSON.stringify({ scripts: SCRIPTS }),
  Makefile:
    'check:\n\t-vitest run\ntest: tools\n\tcd web && npm test\ntools:\n\tcd tools && python3 -m pytest -q\nany:\n\t-cd kit && npm test\n.PHONY: test\n',
  'web/package.json': JSON.stringify({ scripts: { test: 'node --test' } }),
  'tests/cart/test_add.py': '',
  'tests/cart/test_sub.py': '',
  'tests/cart/conftest.py': '',
  'test/cart/add.test.ts': '',
  'test/cart-extra/add.test.ts': '',
  'test/pay/pay.test.ts': '',
  'test/.hidden/add.test.ts': '',
  'src/cart/add.test.js': '',
  'src/cart/check.js': '',
  'src/(shop)/a.test.js': '',
  'src/[id]/a.test.js': '',
  'tests/cart.spec.ts': '',
  'e2e/cart/add.spec.ts': '',
  'e2e/pay/pay.spec.ts': '',
  'tests/tools/test_tool.py': '',
  'tests/tools/helper.py': '',
  'odd/tests/conftest.py': 'def pytest_collect_file(parent, file_path): ...\n',
  'odd/tests/test_a.py': '',
  'packages/a/pytest.ini': '',
  'packages/a/tests/test_a.py': '',
  'go.mod': 'module example.com/shop // of the shop\n',
  'cart/a.go': '',
  'kit/a_test.go': '',
  'empty/a.go': '',
  'tools/go.mod': 'module example.com/devtools\n',
  'work/go.mod': 'module example.com/work\n',
  'work/go.work': 'use .\n',
  'work/cart/a.go': '',
  'outside.test.ts': '',
};
const FILE = '\n Test Files  1 passed | 1 skipped (2)\n';
const VITEST = ` ✓ test/cart/add.test.ts (3 tests) 12ms\n ↓ test/pay/pay.test.ts (1 test | 1 skipped)\n${FILE}`;
const NODE = 'ℹ pass 5\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\n';
const CARGO =
  '     Running unittests src/lib.rs (target/debug/deps/acme_cart-bf7a8880bcec312b)\ntest result: ok. 0 passed; 0 failed\n     Running tests/add.rs (target/debug/deps/add-07ffa3a05a09eba3)\ntest result: ok. 2 passed; 0 failed\n     Running unittests src/main.rs (target/debug/deps/kit-6baac89c9f9cd201)\ntest result: ok. 0 passed; 0 failed\n';
const DOC_TESTS = '   Doc-tests kit\ntest result: ok. 1 passed; 0 failed\n';
const PLAYWRIGHT =
  '  ✓  1 [firefox] › e2e/cart/add.spec.ts:1:47 › adds (13ms)\n  -  2 [firefox] › e2e/pay/pay.spec.ts:1:96 › pays\n\n  1 skipped\n  1 passed (2.2s)\n';
const MADE =
  'cd web && npm test\n\n> test\n> node --test\n\nℹ pass 3\ncd tools && python3 -m pytest -q\n1 passed in 0.58s\n';
const ACME =
  '\n> @acme/cart@1.0.0 test\n> node --test\n\nℹ pass 3\nℹ fail 0\n\n> @acme/pay@1.0.0 test\n> node --test\n\nℹ pass 0\nℹ fail 0\n';
const PYTEST =
  'tests/cart/test_add.py ..s                 [ 66%]\ntests/cart/test_sub.py .    [100%]\n3 passed, 1 skipped in 0.02s\n';

type Test = Pick<SmokeTest, 'command' | 'cwd'>;

function hasPassed(whole: string | Test, part: string | Test, output: string, cwd = ''): boolean {
  const { root, write } = sandbox();
  for (const [path, text] of Object.entries(FILES)) write(join(root, 'shop', path), text);
  symlinkSync('cart', join(root, 'shop/test/linked'));
  const asTest = (test: string | Test) => ({
    ...(typeof test === 'string' ? { command: test, cwd } : test),
    timeoutMs: 1000,
  });
  return passedWith(asTest(part), asTest(whole), join(root, 'shop'))?.(output) ?? false;
}

describe('has passed with the suite', () => {
  test.each([
    ['npx vitest run', 'npx vitest run test/cart', VITEST],
    ['npm test', 'npx --no-install vitest run test/cart', VITEST],
    ['npm test', 'npm test -- test/cart', VITEST],
    ['npm run checked', 'npx vitest run ./test/cart/add.test.ts', VITEST],
    ['npm test', 'npx vitest run test/cart/', VITEST],
    ['npm test', 'npx vitest run test/cart', VITEST.replace('✓ ', '✓ |unit| ')],
    [
      'npm run jest',
      'npx jest src/cart',
      'PASS src/cart/add.test.js\nTest Suites: 1 passed, 1 total\n',
    ],
    [
      'npm run jest',
      "npx jest 'src/\\(shop\\)'",
      'PASS src/(shop)/a.test.js\nTest Suites: 1 passed, 1 total\n',
    ],
    [
      'npm test',
      "npm test -- 'src/(shop)' 'src/[id]'",
      ` ✓ src/(shop)/a.test.js (1 test) 2ms\n${FILE}`,
    ],
    ['node --test', 'node --test src/cart/add.test.js', NODE.replaceAll('ℹ', '#')],
    ['npm run node', "npm run node -- 'src/cart/**/*.test.js' 'tests/**/*.test.js'", NODE],
    ['python -m pytest', 'python -m pytest tests/cart', PYTEST],
    ['npm test', "npm test -- 'test/cart'", VITEST],
    ['pytest', 'pytest tests/tools src/cart', 'tests/tools/test_tool.py .\n1 passed in 0.02s\n'],
    ['go test ./...', 'go test ./cart', 'ok  \texample.com/shop/cart\t0.1s\n'],
    ['go test ./...', 'go test ./cart ./empty/...', 'ok  \texample.com/shop/cart\t0.1s\n'],
    ['go test ./...', 'go test ./cart/...', 'ok  \texample.com/shop/cart/util\t0.1s\n'],
    ['pytest', 'pytest tests/cart/test_add.py', PYTEST],
    [
      'pytest',
      'pytest tests/cart/test_add.py',
      'tests/cart/test_add.py::test_adds PASSED [ 10%]\n1 passed in 0.02s\n',
    ],
    ['pnpm test', 'pnpm test src/cart test/cart', VITEST],
    ['npm test -ws --if-present', 'npm test --workspace @acme/cart', ACME],
    ['npm run all', 'npm test -w @acme/cart', ACME],
    ['cargo test', 'cargo test -p acme-cart', CARGO],
    ['cargo test --workspace', 'cargo test -p kit', `${CARGO}${DOC_TESTS}`],
    ['npx playwright test', 'npx playwright test e2e/cart', PLAYWRIGHT],
  ])('%s, then %s', (whole, part, output) => {
    expect(hasPassed(whole, part, output)).toBe(true);
  });

  test('what a makefile runs in its folder', () => {
    const passes = (part: string, cwd: string, whole = 'make test', output = MADE) =>
      hasPassed({ command: whole, cwd: '' }, { command: part, cwd }, output);
    expect(passes('npm test', 'web')).toBe(true);
    expect(passes('python3 -m pytest -q', 'tools')).toBe(true);
    // Not those of another folder, with other options, or where make goes on after a failure.
    expect(passes('npm test', 'tools')).toBe(false);
    expect(passes('python3 -m pytest', 'tools')).toBe(false);
    expect(passes('npm test', 'kit', 'make any', MADE.replace('web', 'kit'))).toBe(false);
    // No test of it has run.
    expect(passes('npm test', 'web', 'make test', MADE.replace('pass 3', 'pass 0'))).toBe(false);
  });
});

describe('runs by itself', () => {
  test.each([
    [
      'only the name of a test is its path',
      'npx vitest run',
      'npx vitest run test/pay',
      '   ✓ says test/pay 301ms\n',
    ],
    ['no test of it has passed', 'npx vitest run', 'npx vitest run test/pay', VITEST],
    ['nothing is reported of it', 'npx vitest run', 'npx vitest run test/new', VITEST],
    ['the suite is only a part', 'npm run some', 'npx vitest run test/cart', VITEST],
    ['the suite is told what to run', 'npm test -- test/cart', 'npx vitest run test/cart', VITEST],
    ['the suite is told it by position', 'npm test test/cart', 'npx vitest run test/cart', VITEST],
    ['the suite is that of a package', 'npm test -w a', 'npx vitest run test/cart', VITEST],
    [
      'what is added goes through two scripts',
      'npm run outer',
      'npm run outer -- test/cart',
      VITEST,
    ],
    ['the suite passes in any case', 'npm run lenient', 'npx vitest run test/cart', VITEST],
    ['the suite goes on', 'npm run next', 'npx vitest run test/cart', VITEST],
    ['the suite is turned around', 'npm run turned', 'npx vitest run test/cart', VITEST],
    ['the suite is not waited for', 'npm run behind', 'npx vitest run test/cart', VITEST],
    ['the suite has a variable of its own', 'npm run set', 'npx vitest run test/cart', VITEST],
    ['its suite is run by make', 'make check', 'npx vitest run test/cart', VITEST],
    ['options differ', 'npx vitest run', 'npx vitest run --coverage test/cart', VITEST],
    ['not all of it runs', 'vitest run --shard=1/2', 'vitest run --shard=1/2 test/cart', VITEST],
    ['it is another runner', 'npm run jest', 'npx vitest run test/cart', VITEST],
    ['it does more', 'npx vitest run', 'npx tsc && npx vitest run test/cart', VITEST],
    ['it selects nothing', 'npx vitest run', 'npx vitest run --coverage', VITEST],
    ['a variable is set', 'npx vitest run', 'MODE=ci npx vitest run test/cart', VITEST],
    [
      'it is the whole in another folder',
      'npx vitest run',
      'cd test && npx vitest run cart',
      VITEST,
    ],
    ['another Python runs it', 'uv run pytest', 'python -m pytest tests/cart', PYTEST],
    [
      'a file of it is not reported',
      'pytest',
      'pytest tests/cart',
      'tests/cart/test_add.py .\n1 passed in 0.02s\n',
    ],
    [
      'a test prints that another passes',
      'npx vitest run',
      'npx vitest run test/pay',
      VITEST.replace('↓', '✓ test/pay/pay.test.ts (1 test) 2ms\n ↓'),
    ],
    [
      'a test prints that another passes',
      'npm run jest',
      'npx jest src/cart',
      'PASS src/cart/add.test.js\nPASS src/b.test.js\nTest Suites: 1 skipped, 1 passed, 1 of 2 total\n',
    ],
    [
      'a test prints that another passes',
      'pytest -s',
      'pytest -s tests/cart',
      PYTEST.replace('3 passed', '2 passed'),
    ],
    [
      'what is printed are lines of the tests',
      'go test -v ./...',
      'go test -v ./cart',
      'ok  \texample.com/shop/cart\t0.1s\n',
    ],
    [
      'two sections have its name',
      'npm test -ws',
      'npm test -w @acme/cart',
      `${ACME}> @acme/cart@1.0.0 test\n`,
    ],
    [
      'a test is skipped',
      'node --test',
      'node --test src/cart/add.test.js',
      `${NODE}ℹ skipped 1\n`,
    ],
    [
      'a suite is skipped',
      'node --test',
      'node --test src/cart/add.test.js',
      `﹣ s (0.4ms) # SKIP\n${NODE}`,
    ],
    [
      'this Node may take no patterns',
      'node --test',
      "node --test 'src/cart/**/*.test.js'",
      NODE.replaceAll('ℹ', '#'),
    ],
    ['it is no file that Node finds', 'node --test', 'node --test src/cart/check.js', NODE],
    ['nothing is there', 'node --test', "node --test 'src/(shop)/**/*.spec.js'", NODE],
    [
      'an expression fits another',
      'npm run jest',
      "npx jest 'src/(shop)'",
      'PASS src/(shop)/a.test.js\nTest Suites: 1 passed, 1 total\n',
    ],
    [
      'it is told in another way',
      'node --test --test-reporter=spec',
      'node --test --test-reporter=spec src/cart/add.test.js',
      NODE,
    ],
    ['one test is named', 'pytest', 'pytest tests/cart/test_add.py::test_adds', PYTEST],
    ['the file is gone', 'pytest', 'pytest tests/cart/test_gone.py', PYTEST],
    [
      'its settings are nearer',
      'pytest',
      'pytest packages/a',
      'packages/a/tests/test_a.py .\n1 passed in 0.02s\n',
    ],
    ['more may be run', 'pytest', 'pytest odd/tests', 'odd/tests/test_a.py .\n1 passed in 0.02s\n'],
    [
      'a module is named that is no test',
      'pytest',
      'pytest tests/tools/helper.py tests/tools/test_tool.py',
      'tests/tools/test_tool.py .\n1 passed in 0.02s\n',
    ],
    ['its Node may leave it out', 'node --test', 'node --test test/cart/add.test.ts', NODE],
    [
      'a package below has passed',
      'go test ./...',
      'go test ./cart',
      'ok  \texample.com/shop/cart/util\t0.1s\n',
    ],
    [
      'one of two packages is not reported',
      'go test ./...',
      'go test ./cart ./kit',
      'ok  \texample.com/shop/cart\t0.1s\n',
    ],
    [
      'another module has a similar name',
      'go test ./...',
      'go test ./tools/...',
      'ok  \texample.com/devtools\t0.1s\nok  \texample.com/shop/tools\t0.1s\n',
    ],
    [
      'no package of it has tests',
      'go test ./...',
      'go test ./empty',
      'ok  \texample.com/shop/cart\t0.1s\n',
    ],
    ['a package is named in full', 'go test ./...', 'go test shop/cart', 'ok  \tshop/cart\t0.1s\n'],
    [
      'a folder has a similar name',
      'npx vitest run',
      'npx vitest run test/cart/',
      ` ✓ test/cart-extra/add.test.ts (1 test) 2ms\n${FILE}`,
    ],
    ['it names no path', 'npx vitest run', 'npx vitest run cart', VITEST],
    [
      'it names a pattern',
      'npx vitest run',
      "npx vitest run test/cart 'test/cart/*.test.ts'",
      VITEST,
    ],
    [
      'a link leads there',
      'npx vitest run',
      'npx vitest run test/linked',
      ` ✓ test/linked/add.test.ts (1 test) 2ms\n${FILE}`,
    ],
    [
      'the folder is hidden',
      'npx vitest run',
      'npx vitest run test/.hidden',
      ` ✓ test/.hidden/add.test.ts (1 test) 2ms\n${FILE}`,
    ],
    [
      'the package has no tests',
      'npm test -ws',
      'npm test -w @acme/pay',
      '> @acme/cart@1.0.0 test\n',
    ],
    [
      'another script is run',
      'npm test -ws',
      'npm run e2e -w @acme/cart',
      '> @acme/cart@1.0.0 e2e\n',
    ],
    ['the suite goes on', 'npm run any', 'npm test -w @acme/cart', '> @acme/cart@1.0.0 test\n'],
    ['no test of the crate has run', 'cargo test', 'cargo test -p kit', CARGO],
    [
      'only the first crate is the suite',
      'cargo test',
      'cargo test -p acme-pay',
      `${CARGO}${DOC_TESTS}`,
    ],
    [
      'all of its tests are skipped',
      'npx playwright test',
      'npx playwright test e2e/pay',
      PLAYWRIGHT,
    ],
    [
      'a package is named as one of Go',
      'go test ./...',
      'go test cart',
      'ok  \texample.com/shop/cart\t0.1s\n',
    ],
    ['no runner is known', 'make check', 'make check-cart', VITEST],
  ])('what has the same runner, where %s: %s, then %s', (_, whole, part, output) => {
    expect(hasPassed(whole, part, output)).toBe(false);
  });

  test.each([
    [
      'what lies outside of its folder',
      'test',
      ['npx vitest run', 'npx vitest run ../outside.test.ts'],
      ` ✓ ../outside.test.ts (1 test) 2ms\n${FILE}`,
    ],
    [
      'a module of a workspace',
      'work',
      ['go test ./...', 'go test ./cart'],
      'ok  \texample.com/work/cart\t0.1s\n',
    ],
  ])('%s', (_, cwd, [whole = '', part = ''], output) => {
    expect(hasPassed(whole, part, output, cwd)).toBe(false);
  });
});
