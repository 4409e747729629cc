/**
 * What a validation rests on besides the work: the recipes behind its command, the configuration of runners,
 * `lanehold.json`, ignore files, and the base's tests. A lane that changes any of these could change its own verdict.
 */
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parse } from 'smol-toml';
import type { Git } from '../../base/git/git.ts';
import { blobsAt, type Change, changedTexts, changesBetween } from '../../base/git/paths.ts';
import { LINK } from '../../base/git/tree-entry.ts';
import { run as runProgram } from '../../base/process/run.ts';
import { literally } from '../../base/text/pattern.ts';
import { ASSESSED_FILES, mayHoldRecipe } from '../../features/recipe-files.ts';
import type { Validation } from '../../store/lane-validations.ts';
import type { Run } from '../../store/lanes.ts';
import type { LaneContext } from '../spec/context.ts';
import { withInlineTests } from './inline-tests.ts';
import { isNamedAsTest } from './test-cases.ts';

interface ProofWish extends Pick<Validation, 'sha'> {
  readonly run: Run;
  readonly git: Git;
  readonly base: string;
  readonly command: Pick<Validation, 'cmd' | 'cwd'>;
}

/**
 * The changed files. Those in `ran` affect the validation, which is repeated with the base's files. `tests` are the
 * base's tests that the lane has changed or removed, with their helpers; `fresh` are its additions to them. `spliced`
 * are files with the base's tests inside of them; in `unread` these could not be extracted.
 */
export async function changedProof(context: LaneContext, wish: ProofWish) {
  const { git } = wish;
  const changes = await changesBetween(git, wish.base, wish.sha);
  const changed = changes.map(({ path }) => path);
  const ofTests = (...wanted: readonly string[]): string[] =>
    changes.flatMap(({ status, path }) => (wanted.includes(status) && isOfTests(path) ? path : []));
  const ran = new Set([
    ...(await changedRecipes(wish, changes)),
    ...(await changedSections(git, changes)),
    ...changed.filter((path) => CONFIG.test(path)),
    ...changes.flatMap((it) => (standsInForRunner(it, wish) ? it.path : [])),
    ...(await hidingModules(context, wish, changes)),
  ]);
  const inline = await inlineTests(git, changes);
  const still = changed.filter((path) => STILL.test(nameOf(path)));
  return {
    changed: [...new Set([...ran, ...still])].sort(),
    ran: [...ran].sort(),
    ...inline,
    tests: ofTests('M', 'D', 'T'),
    fresh: ofTests('A'),
  };
}

async function inlineTests(git: Git, changes: readonly Change[]) {
  const edited = changes.filter((it) => it.status === 'M' && isSource(it));
  const spliced: { path: string; text: string }[] = [];
  const unread: string[] = [];
  for (const { path, before = '', after = '' } of await changedTexts(git, edited)) {
    const text = await withInlineTests(path, before, after);
    if (text === 'unread') unread.push(path);
    else if (text !== undefined) spliced.push({ path, text });
  }
  return { spliced, unread };
}

/** The source files of a lane, before and after. */
export async function changedSources({ git, base, sha }: Pick<ProofWish, 'git' | 'base' | 'sha'>) {
  return await changedTexts(git, (await changesBetween(git, base, sha)).filter(isSource));
}

export const isSource = ({ status, path, mode }: Change): boolean =>
  status !== 'D' &&
  mode !== LINK &&
  /\.(?:[cm]?[jt]sx?|py|go|rs)$/.test(path) &&
  !isOfTests(path) &&
  !CONFIG.test(path);

/** True for a test, a helper, a fixture, a snapshot or a mock: anything in a folder of tests. */
const isOfTests = (path: string): boolean =>
  isNamedAsTest(path) || nameOf(path) === 'conftest.py' || TEST_FOLDER.test(path);

/** In a folder of sources, `spec` and `fixtures` may have other meanings. */
const TEST_FOLDER =
  /(?:^|\/)(?:tests?|__(?:tests|mocks|snapshots)__|testdata)\/|^(?!(?:.*\/)?(?:src|lib)\/)(?:.*\/)?(?:specs?|e2e|cypress|fixtures?|t)\//;

/**
 * Whether it replaces a program or module of the base's runner: a module `pytest` in some folder, a program in
 * `node_modules/.bin` or of a Python environment, a package of the runner's name.
 */
function standsInForRunner({ status, path }: Change, { command: { cmd } }: ProofWish): boolean {
  const [, module = ''] = /(\w+)(?:\.py|\/__(?:init|main)__\.py)$/.exec(path) ?? [];
  const started = [...cmd.matchAll(/\s-m\s+(\w+)/g)].map(([, name]) => name);
  const isRunner = [...PYTHON_RUNNERS, ...started].includes(module);
  return INSTALLED.test(path) || (status === 'A' && isRunner);
}

const PYTHON_RUNNERS = ['pytest', '_pytest', 'pluggy', 'unittest', 'coverage', 'sitecustomize'];
const INSTALLED =
  /(?:^|\/)(?:node_modules$|node_modules\/(?:\.bin|@?(?:vitest|jest|playwright)[\w.-]*|mocha|chai|ava|tap|tsx|c8|nyc)\/|\.?venv\/)/;

/** New modules that Python finds first, with names that pytest, its plug-ins or unittest import. */
async function hidingModules({ env }: LaneContext, { run }: ProofWish, changes: readonly Change[]) {
  const added = changes.flatMap(({ status, path }) => {
    const [, name] = /^(?:(?:src|lib)\/)?(\w+)(?:\.py|\/__init__\.py)$/.exec(path) ?? [];
    return status === 'A' && name !== undefined && !isOfTests(path) ? { path, name } : [];
  });
  if (added.length === 0) return [];
  const own = join(run.repository, '.venv/bin/python');
  const python = existsSync(own) ? own : 'python3';
  const outcome = await runProgram(python, ['-c', LIST_MODULES], { cwd: '/', env });
  const names = outcome.kind === 'exited' ? `${outcome.stdout}`.split('\n') : [];
  return added.flatMap(({ path, name }) => (names.includes(name) ? path : []));
}

const LIST_MODULES = `import importlib.metadata, sys, unittest.mock
try:
    import pytest, _pytest.junitxml
    found = importlib.metadata.entry_points(group="pytest11")
    print(*(it.value.partition(":")[0].partition(".")[0] for it in found), sep="\\n")
except Exception:
    pass
print(*{name.partition(".")[0] for name in sys.modules}, sep="\\n")`;

const nameOf = (path: string): string => posix.basename(path);

/**
 * Files that configure how tests run: names, with `*` for a part. Test runners, transforms and setups before the tests,
 * checkers, and settings that select the program.
 */
const CONFIGURES = [
  'vitest.config.* vitest.workspace.* vitest.setup.* vite.config.* postcss.config.* .postcssrc .postcssrc.*',
  'jest.config.* jest.setup.* babel.config.* .babelrc .babelrc.* .swcrc',
  'ava.config.* playwright.config.* karma.config.* karma.conf.* cypress.config.* .mocharc.* .taprc',
  '.nycrc .nycrc.* .c8rc .c8rc.* bunfig.toml',
  'pytest.ini .pytest.ini pytest.toml .pytest.toml tox.ini tox.toml noxfile.py setup.cfg .coveragerc',
  '*.pth sitecustomize.py usercustomize.py *.pyc *.pyo',
  'phpunit.xml phpunit.xml.dist .rspec nextest.toml',
  'tsconfig*.json jsconfig*.json eslint.config.* .eslintrc .eslintrc.* .eslintignore biome.json biome.jsonc',
  '.oxlintrc.json .stylelintrc .stylelintrc.* ruff.toml .ruff.toml .flake8 mypy.ini .mypy.ini pyrightconfig.json',
  'pylintrc .pylintrc .golangci.* staticcheck.conf clippy.toml .clippy.toml .rubocop.yml',
  '.envrc .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs mise.toml .mise.toml .tool-versions',
  'rust-toolchain rust-toolchain.toml .cargo/config .cargo/config.toml',
];

const CONFIG = new RegExp(
  `(?:^|/)(?:${CONFIGURES.join(' ').split(' ').map(literally).join('|')})$`.replaceAll(
    '\\*',
    '[\\w.-]*',
  ),
);

/** Files that decide which files belong to a commit, and what lanehold itself verifies. */
const STILL =
  /^(?:\.gitignore|\.gitattributes|\.gitmodules|\.lfsconfig|\.worktreeinclude|lanehold\.json)$/;

/** Parts of manifests that configure runners; other parts change with every dependency. */
const SECTIONS = new Map<string, (text: string) => unknown>([
  [
    'package.json',
    (text) =>
      parts(JSON.parse(text), 'jest vitest mocha ava nyc c8 tap eslintConfig xo babel postcss'),
  ],
  [
    'pyproject.toml',
    (text) => parts(parse(text).tool, 'pytest tox nox coverage mypy pyright pylint ruff'),
  ],
  ['Cargo.toml', (text) => [parse(text), parse(text).workspace].map((it) => parts(it, 'lints'))],
]);

function parts(all: unknown, names: string): unknown {
  const found = (all ?? {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(names.split(' ').map((name) => [name, found[name]]));
}

async function changedSections(git: Git, changes: readonly Change[]): Promise<string[]> {
  const manifests = changes.filter(({ path }) => SECTIONS.has(nameOf(path)));
  return (await changedTexts(git, manifests)).flatMap(({ path, before, after }) =>
    sectionsOf(path, before) === sectionsOf(path, after) ? [] : path,
  );
}

/** The relevant sections of a manifest; one that cannot be read is compared in full. */
function sectionsOf(path: string, text = ''): string {
  if (text === '') return '{}';
  try {
    return JSON.stringify(SECTIONS.get(nameOf(path))?.(text) ?? {});
  } catch {
    return text;
  }
}

const MANIFESTS = new Set(ASSESSED_FILES);
/** The names of programs that check something. */
const CHECKS = /(?:check|test|verify|validate|lint|ci)[\w-]*\.(?:[mc]?[jt]s|py|rb|pl|php)$/;

/**
 * Scripts, targets and files of checks that the command runs. All are in the base: work that only adds files needs
 * neither the tables of programs nor git for this.
 */
async function changedRecipes(
  { git, base, sha, command: { cmd: command, cwd } }: ProofWish,
  changes: readonly Change[],
): Promise<string[]> {
  const edited = changes.flatMap(({ status, path }) => (status === 'A' ? [] : path));
  if (edited.length === 0) return [];
  const { recipeEntries } = await import('../../features/recipe.ts');
  const read = new Set<string>();
  const reader = (commit: string) => async (paths: readonly string[]) => {
    const texts = await blobsAt(
      git,
      paths.map((path) => `${commit}:${path}`),
    );
    for (const [at, path] of paths.entries()) if (texts[at] !== undefined) read.add(path);
    return texts;
  };
  const tests = [{ command, cwd }];
  const before = await recipeEntries(tests, reader(base));
  const files = [...read].filter((path) => {
    if (MANIFESTS.has(nameOf(path)) || isNamedAsTest(path)) return false;
    return mayHoldRecipe(path) || CHECKS.test(nameOf(path));
  });
  const after = new Map(
    (await recipeEntries(tests, reader(sha))).map(({ path, oid }) => [path, oid]),
  );
  const recipes = before.filter(({ path, oid }) => after.get(path) !== oid);
  const own = [...files, ...recipes.map(({ path }) => path)];
  return own.filter((path) => edited.includes(path));
}
