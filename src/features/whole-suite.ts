/**
 * Which smoke test has passed with another one: the same runner runs all of its tests there, and only
 * some of them here: those that are named behind the suite's own command. What cannot be told from what the
 * runner has printed of each of its files or packages, runs by itself.
 */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { posix } from 'node:path';
import type { SmokeTest } from '../base/config/feature.ts';
import { attempt } from '../base/errors.ts';
import { readPlainFile } from '../base/files/plain-file.ts';
import { upwards, withinAny } from '../base/git/tree-entry.ts';
import { startedPrograms } from './programs.ts';
import { linesOf, testCount } from './test-count.ts';
import { PYTHON_TEST, runnerOf, type TestRunner } from './test-runners.ts';

/** Whether all that is named in a folder, and of that at least one test, is among what has passed. */
type Covers = (start: Start, reported: readonly string[], lines: readonly string[]) => boolean;

/** What is named only filters what the suite runs: where it fits nothing, it adds nothing. */
const filters: Covers = ({ selected }, reported) =>
  reported.some(withinAny(selected.map(({ path }) => path)));

/** What is named can add to what the suite runs: each module of tests has to be reported. */
const modules: Covers = ({ folder, selected, options }, reported) => {
  const modules = selected.flatMap(({ path }) => {
    const inside = filesIn(posix.join(folder, path))?.map((it) => `${path}/${it}`);
    // A module that is named itself is run, whatever its name is.
    return inside?.filter((it) => PYTHON_TEST.test(it) || isConftest(it)) ?? [path];
  });
  const tests = modules.filter((it) => !isConftest(it));
  const settings = [...upwards(folder.slice(1))].flatMap((it) =>
    [...PYTHON_SETTINGS, 'conftest.py'].map((name) => posix.join('/', it, name)),
  );
  const own = modules.filter(isConftest).map((it) => posix.join(folder, it));
  const texts = [...settings, ...own].flatMap((it) => readPlainFile(it) ?? []);
  return (
    tests.length > 0 &&
    tests.every((it) => reported.includes(it)) &&
    ![...options, ...texts].some((it) => MORE_MODULES.test(it)) &&
    !selected.some(({ path }) => hasOnTheWay(folder, path, PYTHON_SETTINGS))
  );
};

const isConftest = (path: string): boolean => posix.basename(path) === 'conftest.py';

const filesIn = (folder: string): readonly string[] | undefined =>
  attempt(() => readdirSync(folder, { recursive: true, encoding: 'utf8' }));

/** By which other modules may have tests than those that are named like it. */
const MORE_MODULES = /python_files|doctest|pytest_(?:py)?collect/;
const PYTHON_SETTINGS = [
  ...['pytest.ini', '.pytest.ini', 'pytest.toml', '.pytest.toml'],
  ...['pyproject.toml', 'tox.ini', 'setup.cfg', 'setup.py'],
];

/** Packages of the module in the folder, by their whole paths; one without tests adds none. */
const packages: Covers = ({ folder, selected, options }, reported) => {
  const manifest = readPlainFile(posix.join(folder, 'go.mod')) ?? '';
  const [, own] = /^module\s+"?([^\s"]+)/m.exec(manifest) ?? [];
  if (own === undefined || hasOnTheWay('/', folder.slice(1), ['go.work'])) return false;
  // What tests print is among the lines then.
  if (options.some((it) => /^--?(?:v|json)\b/.test(it))) return false;
  const states = selected.map(({ word, path }) => {
    const [whole, isAll] = [`${own}/${path}`, word.endsWith('/...')];
    const isRun = isAll ? withinAny([whole]) : (it: string) => it === whole;
    if (!word.startsWith('./') || hasOnTheWay(folder, path, ['go.mod'])) return 'unknown';
    if (reported.some(isRun)) return 'run';
    const tests = filesIn(posix.join(folder, path))?.filter((it) => it.endsWith('_test.go'));
    return tests?.some((it) => isAll || !it.includes('/')) === false ? 'empty' : 'unknown';
  });
  return states.includes('run') && !states.includes('unknown');
};

/** Node says of no file that it has passed; where no test was skipped, each file that it finds by itself has. */
const found: Covers = ({ folder, selected, runner }, _, lines) => {
  const isSkipping = /^[ℹ#] (?:fail|cancelled|skipped|todo) [1-9]|# (?:SKIP|TODO)\b/;
  const passed = lines.filter((it) => /^[ℹ#] pass [1-9]/.test(it));
  if (passed.length === 0 || lines.some((it) => isSkipping.test(it))) return false;
  // A Node that begins its lines with another sign may take no patterns.
  const takesPatterns = passed.every((it) => it.startsWith('ℹ'));
  const files = selected.flatMap(({ word, path }) => {
    const [, ending] = PATTERN.exec(word) ?? [];
    if (ending === undefined) return path;
    const own = filesIn(posix.join(folder, path))?.filter((it) => it.endsWith(ending)) ?? [];
    return takesPatterns
      ? own.filter((it) => !NOT_FOUND.test(it)).map((it) => `${path}/${it}`)
      : '';
  });
  return (
    files.length > 0 &&
    files.every((it) => it.endsWith('js') && runner.tests?.test(it) && !NOT_FOUND.test(it))
  );
};

const PATTERN = /\/\*\*\/\*([\w.-]+)$/;
const NOT_FOUND = /(?:^|\/)(?:node_modules|\.[^/]*)\//;

const COVERS: Readonly<Record<string, Covers>> = {
  vitest: filters,
  jest: filters,
  node: found,
  'go test': packages,
  'playwright test': filters,
  pytest: modules,
};

/** In a folder of the path, the last one included. */
const hasOnTheWay = (folder: string, path: string, names: readonly string[]): boolean =>
  [...upwards(path)].some(
    (it) => it !== '' && names.some((name) => existsSync(posix.join(folder, it, name))),
  );

interface Start {
  readonly runner: TestRunner;
  readonly folder: string;
  readonly options: readonly string[];
  readonly selected: readonly { readonly word: string; readonly path: string }[];
}

/**
 * Tells from the output of one test that has passed whether the other has passed with it; `undefined`
 * where no output does.
 */
export function passedWith(part: SmokeTest, whole: SmokeTest, root: string) {
  const section = packageSection(part, whole, root) ?? stepSection(part, whole, root);
  if (section !== undefined) return (output: string) => Number(testCount(section(output))) > 0;
  const one = addedTo(whole, part, root);
  const covers = one && COVERS[one.runner.name];
  if (one === undefined || covers === undefined) return undefined;
  return (output: string) => {
    const lines = linesOf(output);
    const reported = lines.flatMap((line) => one.runner.passed?.exec(line)?.[1] ?? []);
    return addsUp(one.runner, lines) && covers(one, reported, lines);
  };
}

const ALL = './...';

/** What a part names besides the command of the suite, if that gets to the one runner of both. */
function addedTo(whole: SmokeTest, part: SmokeTest, root: string): Start | undefined {
  const start = whole.command.replace(` ${ALL}`, '');
  if (part.cwd !== whole.cwd || !part.command.startsWith(`${start} `)) return undefined;
  const [own, one, ...more] = [whole, part].flatMap(({ command, cwd }) =>
    startedPrograms(command, root, posix.join(root, cwd)).flatMap(({ words, folder }) => {
      const { runner, count } = runnerOf(words) ?? {};
      return runner && folder ? [{ runner, folder, rest: words.slice(count) }] : [];
    }),
  );
  if (!own || !one || more.length > 0 || own.runner !== one.runner) return undefined;
  const { runner, folder, rest } = one;
  const options = own.rest.filter((it) => it !== ALL);
  const words = rest.slice(options.length);
  const isWhole = options.every((it, at) => /^-/.test(it) && !SELECTS.test(it) && it === rest[at]);
  const selected = words.map((word) => ({ word, path: pathAt(folder, word, runner) }));
  const isClear = isWhole && words.length > 0 && selected.every(({ path }) => path !== '');
  return isClear ? { runner, folder, options, selected } : undefined;
}

/** Otherwise a test has printed such a line. */
function addsUp({ sum }: TestRunner, lines: readonly string[]): boolean {
  if (sum === undefined) return true;
  const [each, total] = sum;
  const totals = lines.flatMap((it) => total.exec(it)?.[1] ?? []);
  const all = lines.reduce((count, it) => count + (it.match(each)?.length ?? 0), 0);
  return Number(totals.at(-1)) === all;
}

/**
 * Suites that go through all packages and fail with the first one: a test of one package, the suite, and the line
 * that stands before what is printed of a package.
 */
const BY_PACKAGE: readonly (readonly [one: RegExp, all: RegExp, heading: RegExp])[] = [
  [
    /^npm (?:run )?([\w:.-]+) (?:--workspace[= ]|-w )(\S+)$/,
    /^npm (?:run )?([\w:.-]+) (?:--workspaces|-ws)(?: --if-present)?$/,
    /^> (\S+)@\S+ /,
  ],
  [
    /^cargo (test) -p (\S+)$/,
    /^cargo (test)(?: --workspace)?$/,
    /^ +(?:Running unittests .*[\\/]|Doc-tests )(\w+?)(?:-[0-9a-f]{16}(?:\.exe)?\))?$/,
  ],
];

function packageSection(part: SmokeTest, whole: SmokeTest, root: string) {
  const texts = textsOf(whole, root);
  const commands = texts.every((it) => PLAIN.test(it))
    ? texts.flatMap((it) => it.split(' && '))
    : [];
  const [section] = BY_PACKAGE.flatMap(([one, all, heading]) => {
    const [, task, name] = one.exec(part.command) ?? [];
    const isOfAll = commands.some((it) => all.exec(it)?.[1] === task);
    if (name === undefined || !isOfAll || part.cwd !== whole.cwd) return [];
    // Rust writes the names of crates without hyphens.
    const names = [name, name.replaceAll('-', '_')];
    return sectionOf(names, (line) => heading.exec(line)?.[1]);
  });
  return section;
}

/** The command, and each script and step that it runs. */
function textsOf({ command, cwd }: SmokeTest, root: string): readonly string[] {
  const texts = [command];
  startedPrograms(command, root, posix.join(root, cwd), (it) => texts.push(it));
  return texts;
}

/** No shell goes on after a failure, turns it around or hides it. */
const PLAIN = /^(?:[\w./@:+=,*' -]| && )+$/;

/** Make prints each line before it runs it, and ends with the first that fails. */
function stepSection({ command, cwd }: SmokeTest, whole: SmokeTest, root: string) {
  const step = `cd ${posix.relative(whole.cwd, cwd)} && ${command}`;
  const steps = /^make [\w-]+$/.test(whole.command) ? textsOf(whole, root) : [];
  const file = readPlainFile(posix.join(root, whole.cwd, 'Makefile')) ?? '';
  const lines = file.split('\n').filter((it) => it.endsWith(step));
  // With a dash before it, and some settings, make goes on after a failure.
  const isSure =
    lines.every((it) => it === `\t${step}`) && !/^\.(?:IGNORE|ONESHELL)|MAKEFLAGS/m.test(file);
  return isSure && steps.includes(step)
    ? sectionOf([step], (line) => steps.find((it) => it === line))
    : undefined;
}

/** All that is printed under these names; nothing if a test may have printed one, which is there twice then. */
const sectionOf =
  (names: readonly string[], nameIn: (line: string) => string | undefined) => (output: string) => {
    const lines = linesOf(output);
    const headings = lines.filter((it) => nameIn(it) !== undefined);
    if (new Set(headings).size < headings.length) return '';
    let current = '';
    const own = lines.filter((line) => {
      current = nameIn(line) ?? current;
      return names.includes(current);
    });
    return own.join('\n');
  };

/** The file or folder below the folder that a word names as it is, nothing hidden and no link; empty if it is none. */
function pathAt(folder: string, word: string, { name }: TestRunner): string {
  const isExpression = name === 'jest' && /(?<!\\)[()[\]]/.test(word);
  const plain = name === 'jest' ? word.replaceAll('\\', '') : word.replace(PATTERN, '');
  const [, path = ''] = NAMED.exec(isExpression ? '' : plain) ?? [];
  const place = attempt(() => realpathSync(posix.join(folder, path)));
  return place === posix.join(realpathSync(folder), path) ? path : '';
}

const NAMED = /^(?:\.\/)?([\w@()[\]-][\w@()[\].-]*(?:\/[\w@()[\]-][\w@()[\].-]*)*)(?:\/|\/\.{3})?$/;

/** Options by which the whole suite is not all of it, or runs or tells it in another way. */
const SELECTS =
  /^--?(?:.*(?:shard|chang|relat|fail|only|pattern|isolat|report|root|dir|cov).*|lf|ff|nf|sw|o|t|k|m|g)$/i;
