/** A pass of the whole suite proves what only some of its tests would prove, and no more than that. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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
  all: 'npm test --workspaces',
  any: 'npm test --workspaces; true',
  outer: 'npm run test',
};
const FILES = {
  'package.json': JSON.stringify({ scripts: SCRIPTS }),
  Makefile: 'check:\n\t-vitest run\n',
  'tests/cart/test_add.py': '',
  'tests/cart/test_sub.py': '',
  'tests/cart/conftest.py': '',
  'test/cart.test.js': '',
  'test/pay.js': '',
  'src/pay.js': '',
};
const VITEST =
  ' ✓ test/cart/add.test.ts (3 tests) 12ms\n ↓ test/pay/pay.test.ts (1 test | 1 skipped)\n';
const ACME =
  '\n> @acme/cart@1.0.0 test\n> node --test\n\nℹ pass 3\nℹ fail 0\n\n> @acme/pay@1.0.0 test\n> node --test\n\nℹ pass 0\nℹ fail 0\n';
const PYTEST =
  'tests/cart/test_add.py ..s                 [ 66%]\ntests/cart/test_sub.py .    [100%]\n';

function hasPassed(whole: string, part: string, output: string): boolean {
  const { root, write } = sandbox();
  for (const [path, text] of Object.entries(FILES)) write(join(root, 'shop', path), text);
  const asTest = (command: string) => ({ command, cwd: '', timeoutMs: 1000 });
  return passedWith(asTest(part), asTest(whole), join(root, 'shop'))?.(output) ?? false;
}

const ranBy = (crate: string, count: number) =>
  `     Running unittests src/lib.rs (target/debug/deps/${crate}-985621c9ed72a49b)\n\nrunning ${count} test\n\ntest result: ok. ${count} passed; 0 failed; 0 ignored\n\n`;
const CARGO = ranBy('acme_kit', 0) + ranBy('acme_cart', 1);

describe('has passed with the suite', () => {
  test.each([
    ['npx vitest run', 'npx vitest run test/cart', VITEST],
    ['npm test', 'npx --no-install vitest run test/cart', VITEST],
    ['npm test', 'npm test -- test/cart', VITEST],
    ['npm run checked', 'npx vitest run test/cart/add', VITEST],
    ['npm run jest', 'npx jest src/cart', 'PASS src/cart/add.test.js\n'],
    [
      'npx playwright test',
      'npx playwright test tests/cart',
      '  ✓  1 [firefox] › tests/cart.spec.ts:3:1 › adds (1s)\n',
    ],
    ['python -m pytest', 'python -m pytest src tests/cart', PYTEST],
    ['npm test', "npm test -- 'test/cart' 'app/[id]'", VITEST],
    ['go test ./...', 'go test ./cart/... ./kit/...', 'ok  \tshop/cart\t0.1s\n'],
    ['pytest', 'pytest tests/cart/test_add.py', PYTEST],
    [
      'pytest',
      'pytest tests/cart/test_add.py',
      'tests/cart/test_add.py::test_adds PASSED [ 10%]\n',
    ],
    ['node --test', 'node --test test/cart.test.js', 'ℹ pass 3\n'],
    ['node --test', 'node --test ./test/pay.js', 'ℹ pass 3\n'],
    ['npm run node', "npm run node -- 'test/**/*.js' test/cart.test.js", 'ℹ pass 3\n'],
    ['pnpm test', 'pnpm test src/cart test/cart', VITEST],
    ['npm test -ws --if-present', 'npm test --workspace @acme/cart', ACME],
    ['npm run all', 'npm test -w @acme/cart', ACME],
    ['cargo test', 'cargo test -p acme-cart', CARGO],
    ['cargo test --workspace', 'cargo test -p acme-cart', CARGO],
  ])('%s, then %s', (whole, part, output) => {
    expect(hasPassed(whole, part, output)).toBe(true);
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
    ['a file of it is not reported', 'pytest', 'pytest tests/cart', 'tests/cart/test_add.py .\n'],
    ['one test is named', 'pytest', 'pytest tests/cart/test_add.py::test_adds', PYTEST],
    ['the file is gone', 'pytest', 'pytest tests/cart/test_gone.py', PYTEST],
    ['the suite has no such file', 'node --test', 'node --test src/pay.js', 'ℹ pass 3\n'],
    ['the file is gone', 'node --test', 'node --test test/gone.test.js', 'ℹ pass 3\n'],
    ['a folder is named', 'node --test', 'node --test test', 'ℹ pass 3\n'],
    ['a file outside of the suite matches', 'node --test', "node --test 'src/*.js'", 'ℹ pass 3\n'],
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
    ['the crate has no tests', 'cargo test', 'cargo test -p acme-kit', CARGO],
    ['the crate is not among them', 'cargo test', 'cargo test -p acme', CARGO],
    ['the suite is that of a crate', 'cargo test -p acme-kit', 'cargo test -p acme-cart', CARGO],
    ['no runner is known', 'make check', 'make check-cart', VITEST],
  ])('what has the same runner, where %s: %s, then %s', (_, whole, part, output) => {
    expect(hasPassed(whole, part, output)).toBe(false);
  });
});
