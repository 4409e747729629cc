import { describe, expect, test } from 'vitest';
import { startedRunner } from '../../../src/features/learn/runner.ts';
import { sandbox } from '../../support/sandbox.ts';

const smoke = (command: string, cwd = '') => ({ command, cwd, timeoutMs: 1_000 });

function project() {
  const box = sandbox();
  box.write(
    'package.json',
    '{ "scripts": { "test": "vitest run --project unit", "check": "tsc && vitest run" } }',
  );
  box.write('packages/a/package.json', '{ "scripts": { "test": "node --test test/*.js" } }');
  return box.root;
}

describe('the command for one test file', () => {
  test.each([
    [
      'npx --no-install vitest run test/cart --project unit',
      'test/a.test.ts',
      'npx --no-install vitest run --project unit test/a.test.ts',
    ],
    ['npm test', 'test/a.test.ts', 'vitest run --project unit test/a.test.ts'],
    ['yarn jest src --ci', 'src/a.test.ts', 'yarn jest --ci --runTestsByPath src/a.test.ts'],
    ['node --import tsx --test test/*.ts', 'test/a b.ts', "node --import tsx --test 'test/a b.ts'"],
    ['uv run pytest -q tests/unit', 'tests/test_a.py', 'uv run pytest -q tests/test_a.py'],
    ['python3 -m pytest -m fast', 'tests/test_a.py', 'python3 -m pytest -m fast tests/test_a.py'],
  ])('%s', (command, path, expected) => {
    expect(startedRunner(smoke(command), project())?.only(path)).toEqual(smoke(expected));
  });

  test('runs in the folder of the package whose script it is', () => {
    const runner = startedRunner(smoke('npm test', 'packages/a'), project());
    expect(runner?.only('packages/a/test/x.js')).toEqual(
      smoke('node --test test/x.js', 'packages/a'),
    );
    expect(runner).toMatchObject({ inScript: true });
  });

  test.each([
    'make test',
    'cargo test',
    'go test ./...',
    'node server.js',
    './run-tests',
    'vitest --config "$(cat list)"',
  ])('is not known for %s', (command) =>
    expect(startedRunner(smoke(command), project())).toBeUndefined(),
  );
});

test.each([
  ['npm test', 'test/cart.test.ts', 'test/lanehold_empty.test.ts'],
  ['pytest', 'tests/test_cart.py', 'tests/test_lanehold_empty.py'],
  ['pytest', 'tests/cart_test.py', 'tests/lanehold_empty_test.py'],
  ['node --test', 'test/cart.js', 'test/lanehold_empty.js'],
])('an empty test for %s beside %s', (command, path, expected) => {
  expect(startedRunner(smoke(command), project())?.emptyBeside(path)).toBe(expected);
});
