/** Which changes of a lane are changes of its own proof. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitIn } from '../../../src/base/git/git-in.ts';
import { changedProof } from '../../../src/lanes/judge/proof.ts';
import type { LaneContext } from '../../../src/lanes/spec/context.ts';
import type { Run } from '../../../src/store/lanes.ts';
import { sandbox } from '../../support/sandbox.ts';

/** Of a lane that adds empty files, or changes the text of one. */
function proofBy(
  files: readonly string[],
  cmd = 'python3 -m pytest -q',
  texts?: { readonly before: string; readonly after: string },
) {
  const box = sandbox();
  const repo = box.repo();
  box.write(join(repo, 'README.md'), 'shop\n');
  for (const path of texts ? files : []) box.write(join(repo, path), texts?.before ?? '');
  const base = box.commit(repo);
  for (const path of files) {
    box.write(join(repo, path), texts?.after ?? '');
    box.git(repo, 'add', '--force', path);
  }
  const wish = { git: gitIn(repo, box.env), base, sha: box.commit(repo), cwd: '' };
  // No more is used where no test of the base was changed.
  const [context, run] = [{ env: box.env } as unknown as LaneContext, { repository: repo } as Run];
  return changedProof(context, { ...wish, run, command: { cmd, cwd: '' } });
}

test('a stand-in for the runner, or what decides which one is started, is', async () => {
  const files = [
    ...['pytest.py', 'pytest/__init__.py', 'src/pytest/__main__.py', 'lib/_pytest/__init__.py'],
    ...['node_modules/.bin/vitest', 'pack/node_modules/@vitest/runner/index.js'],
    ...['node_modules/jest/bin/jest.js', '.venv/bin/pytest'],
    ...['.envrc', 'pack/.npmrc', '.yarnrc.yml', '.cargo/config.toml', 'mise.toml'],
  ];
  const { ran } = await proofBy(files);
  expect(ran).toEqual(files.toSorted());
  expect((await proofBy(['checks/__main__.py'], 'python -m checks')).ran).toHaveLength(1);
});

test('configuration is: of runners, of what they load first, and of checkers', async () => {
  const files = [
    ...['vitest.config.mts', 'pack/vite.config.js', 'postcss.config.cjs', '.postcssrc.json'],
    ...['jest.config.js', '.babelrc', '.mocharc.yml', '.nycrc', 'playwright.config.ts'],
    ...['pytest.toml', '.pytest.ini', '.pytest.toml', 'pytest.ini', 'tox.ini', 'setup.cfg'],
    ...['tests/__pycache__/helpers.cpython-312.pyc', 'more.pth', 'src/usercustomize.py'],
    ...['.rspec', 'phpunit.xml', '.config/nextest.toml', 'tsconfig.test.json', '.eslintrc.cjs'],
    ...['eslint.config.mjs', '.ruff.toml', 'mypy.ini', '.golangci.yml', 'rust-toolchain'],
    ...['.mypy.ini', 'pyrightconfig.json', '.pylintrc', 'jsconfig.json', '.eslintignore'],
    ...['.oxlintrc.json', 'pylintrc', 'staticcheck.conf', '.rubocop.yml', '.stylelintrc.json'],
  ];
  expect((await proofBy(files)).ran).toEqual(files.toSorted());
  const harmless = [
    'docs/pytest.toml.md',
    'src/postcss.ts',
    'src/eslint-rules.js',
    'src/config.py',
  ];
  expect((await proofBy(harmless)).changed).toEqual([]);
});

test.each([
  ['package.json', '{"name":"a"}', '{"name":"a","eslintConfig":{"rules":{}}}'],
  ['pyproject.toml', '[tool.mypy]\nstrict = true\n', '[tool.mypy]\nstrict = false\n'],
  [
    'Cargo.toml',
    '[package]\nname = "a"\n',
    '[package]\nname = "a"\n[lints.clippy]\nall = "allow"\n',
  ],
  ['Cargo.toml', '[workspace]\n', '[workspace]\n[workspace.lints.rust]\nunused = "allow"\n'],
])('what a checker goes by in %s is, and the rest of it is not', async (path, before, after) => {
  const proven = (text: string) => proofBy([path], 'make check', { before, after: text });
  expect((await proven(after)).changed).toEqual([path]);
  const other = path === 'package.json' ? '{"name":"b"}' : `${before}[other]\nname = "b"\n`;
  expect((await proven(other)).changed).toEqual([]);
});

test('a module that hides one which the runner imports is, and no other one', async () => {
  const hiding = ['re.py', 'src/inspect.py', 'asyncio/__init__.py'];
  expect((await proofBy(hiding)).ran).toEqual(hiding.toSorted());
  const others = ['turtle.py', 'shop/re.py', 'src/shop/inspect.py', 'shop/__init__.py'];
  expect((await proofBy(others)).changed).toEqual([]);
});

test('what is new beside the tests is told from the work', async () => {
  const beside = [
    ...['tests/test_a.py', 'tests/helpers/__init__.py', 'conftest.py', 'cart/setup_test.go'],
    ...['test/setup.js', 'src/__mocks__/fs.js', 'spec/support/a.rb', 'pack/fixtures/a.json'],
  ];
  const work = ['src/spec/lane.ts', 'lib/fixtures/load.py', 'shop/cart.py', 'src/t/table.ts'];
  expect((await proofBy([...beside, ...work])).fresh.toSorted()).toEqual(beside.toSorted());
});

test('work, tests of its own and other packages are not', async () => {
  const files = ['tests/__init__.py', 'tests/test_pytest.py', 'src/checks.py', 'docs/pytest.md'];
  const packages = ['node_modules/left-pad/index.js', 'src/venv.py', 'src/jest/index.js'];
  const cmd = 'python3 -m pytest tests/test_pytest.py';
  expect((await proofBy([...files, ...packages], cmd)).changed).toEqual([]);
});
