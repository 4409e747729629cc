/**
 * Finds the smoke tests that have passed with another one, in which the same runner runs all tests.
 * A test runs by itself if this does not follow from the two commands and from what the runner has
 * printed about each of its files or packages.
 */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { posix } from 'node:path';
import type { SmokeTest } from '../base/config/feature.ts';
import { attempt } from '../base/errors.ts';
import { readPlainFile } from '../base/files/plain-file.ts';
import { upwards, withinAny } from '../base/git/tree-entry.ts';
import { startedPrograms } from './programs.ts';
import { linesOf, testCount } from './test-count.ts';
import { INTERPRETER, PYTHON_TEST, runnerOf, STARTER, type TestRunner } from './test-runners.ts';

/** True if everything that the words name in a folder has passed, and at least one test of it. */
type Covers = (start: Start, reported: readonly string[], lines: readonly string[]) => boolean;

/** The words only filter what the suite runs: if they fit nothing, they add nothing. */
const filters: Covers = ({ selected }, reported) =>
  reported.some(withinAny(selected.map(({ path }) => path)));

/** The words can add to what the suite runs: each module of tests has to be reported. */
const modules: Covers = ({ folder, selected, options }, reported) => {
  const modules = selected.flatMap(({ path }) => {
    const inside = filesIn(posix.join(folder, path))?.map((it) => `${path}/${it}`);
    // A module that is named is run, whatever its name is.
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

/** Settings by which modules with other names may have tests. */
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
  // With these options the lines contain what tests print.
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

/** Node does not report passed files; if no test was skipped, each file that it finds by itself has passed. */
const found: Covers = ({ folder, selected, runner }, _, lines) => {
  const isSkipping = /^[ℹ#] (?:fail|cancelled|skipped|todo) [1-9]|# (?:SKIP|TODO)\b/;
  const passed = lines.filter((it) => /^[ℹ#] pass [1-9]/.test(it));
  if (passed.length === 0 || lines.some((it) => isSkipping.test(it))) return false;
  // A Node that starts its lines with another sign may take no patterns.
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

/** True if a folder on the path has one of the names, the last folder included. */
const hasOnTheWay = (folder: string, path: string, names: readonly string[]): boolean =>
  [...upwards(path)].some(
    (it) => it !== '' && names.some((name) => existsSync(posix.join(folder, it, name))),
  );

/** How a package manager starts a script. Its further words are added to the script; an option is not understood. */
const STARTS =
  /^(?:(?:npx|bunx|(?:npm|pnpm|yarn) exec) .*|npm(?: run)? [\w:.-]+(?: -- (.*))?|(?:pnpm|yarn)(?: run)? [\w:.-]+((?: [^- ]\S*)*))$/;

interface Start {
  readonly runner: TestRunner;
  /** Equal if the same runner is started in the same way. */
  readonly way: string;
  readonly folder: string;
  readonly options: readonly string[];
  readonly selected: readonly { readonly word: string; readonly path: string }[];
}

/** Tells from the output of one passed test whether the other has passed with it; `undefined` if no output does. */
export function passedWith(part: SmokeTest, whole: SmokeTest, root: string) {
  const suite = startedBy(whole, root);
  const section =
    packageSection(part, whole, suite.commands) ?? stepSection(part, whole, suite, root);
  if (section !== undefined) return (output: string) => Number(testCount(section(output))) > 0;
  const own = startedBy(part, root);
  const [one] = startsIn(own);
  if (one === undefined || own.others.length > 1 || one.selected.length === 0) return undefined;
  const hasAll = startsIn(suite).some(
    ({ way, selected }) => way === one.way && selected.every(({ word }) => word === './...'),
  );
  const covers = COVERS[one.runner.name];
  if (!hasAll || covers === undefined || one.selected.some(({ path }) => path === ''))
    return undefined;
  return (output: string) => {
    const lines = linesOf(output);
    const reported = lines.flatMap((line) => one.runner.passed?.exec(line)?.[1] ?? []);
    return addsUp(one.runner, lines) && covers(one, reported, lines);
  };
}

/** False if a test has printed such a line, so that the numbers differ. */
function addsUp({ sum }: TestRunner, lines: readonly string[]): boolean {
  if (sum === undefined) return true;
  const [each, total] = sum;
  const totals = lines.flatMap((it) => total.exec(it)?.[1] ?? []);
  const all = lines.reduce((count, it) => count + (it.match(each)?.length ?? 0), 0);
  return Number(totals.at(-1)) === all;
}

/**
 * Suites that go through all packages and stop at the first failure: a test of one package, the
 * suite, and the line before the output of a package.
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

function packageSection(part: SmokeTest, whole: SmokeTest, commands: readonly string[]) {
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

/** Make prints each line before it runs it, and stops at the first that fails. */
function stepSection(
  { command, cwd }: SmokeTest,
  whole: SmokeTest,
  { texts }: ReturnType<typeof startedBy>,
  root: string,
) {
  const step = `cd ${posix.relative(whole.cwd, cwd)} && ${command}`;
  if (!/^make [\w-]+$/.test(whole.command) || !texts.includes(step)) return undefined;
  const file = readPlainFile(posix.join(root, whole.cwd, 'Makefile')) ?? '';
  const lines = file.split('\n').filter((it) => it.endsWith(step));
  // With a dash before the line, and with some settings, make continues after a failure.
  const isAsItIs =
    lines.length > 0 &&
    lines.every((it) => it === `\t${step}`) &&
    !/^\.(?:IGNORE|ONESHELL)|MAKEFLAGS/m.test(file);
  return isAsItIs ? sectionOf([step], (line) => texts.find((it) => it === line)) : undefined;
}

/** The output under these names; empty if it is there twice, because a test may have printed one. */
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

/** The file or folder that a word names below the folder, nothing hidden and no link; empty if there is none. */
function pathAt(folder: string, word: string, { name }: TestRunner): string {
  const [, path = ''] = NAMED.exec(spelt(word, name)) ?? [];
  const place = attempt(() => realpathSync(posix.join(folder, path)));
  return place === posix.join(realpathSync(folder), path) ? path : '';
}

/** The path as the runner reads it: Vitest takes part of a path, Jest an expression, and Node also a pattern. */
function spelt(word: string, name: string): string {
  if (name === 'vitest') return word;
  if (/(?<!\\)[()[\]]/.test(word)) return '';
  return name === 'jest'
    ? word.replaceAll('\\', '')
    : word.replace(name === 'node' ? PATTERN : '', '');
}

const NAMED = /^(?:\.\/)?([\w@()[\]-][\w@()[\].-]*(?:\/[\w@()[\]-][\w@()[\].-]*)*)(?:\/|\/\.{3})?$/;

/** Options with which the suite is not complete, or runs or reports in another way. */
const SELECTS =
  /^--?(?:.*(?:shard|chang|relat|fail|only|pattern|isolat|report|root|dir|cov).*|lf|ff|nf|sw|o|t|k|m|g)$/i;

function startedBy({ command, cwd }: SmokeTest, root: string) {
  const texts = [command];
  const started = startedPrograms(command, root, posix.join(root, cwd), (it) => texts.push(it));
  const named = (names: RegExp) =>
    started.filter(({ words: [name = ''] }) => names.test(posix.basename(name)));
  const [heads, through] = [named(STARTER), named(INTERPRETER)];
  const commands = texts.flatMap((it) => it.trim().split(' && '));
  const bare = commands.map((it) => it.replace(QUOTED, 'a'));
  const isPlain = bare.every((it) => PLAIN.test(it) && !UNCLEAR.test(it));
  return {
    texts,
    /** The commands, each of which has passed if the test has; empty if that is unknown. */
    commands: isPlain ? commands : [],
    heads,
    through,
    others: started.filter((it) => !heads.includes(it) && !through.includes(it)),
  };
}

function startsIn({ commands, heads, through, others }: ReturnType<typeof startedBy>) {
  const isSplit = heads.some((it) => it.words.some((word) => word.includes(' ')));
  const told = heads.map(({ words }) => STARTS.exec(words.join(' ')));
  const added = told.flatMap((it) => (it?.[1] ?? it?.[2] ?? '').split(' ').filter(Boolean));
  const isClear = added.length === 0 || (heads.length === 1 && others.length === 1 && !isSplit);
  if (commands.length === 0 || told.includes(null) || !isClear) return [];
  return others.flatMap(({ words: [name = '', ...own], folder, inFile }) => {
    const words = [posix.basename(name), ...own, ...(inFile ? added : [])];
    const { runner, count } = runnerOf(words) ?? {};
    if (runner === undefined || folder === undefined) return [];
    if (words.includes('') || words.some((it) => SELECTS.test(it))) return [];
    const rest = words.slice(count);
    const options = rest.filter((it) => it.startsWith('-'));
    const by = through.map((it) => it.words.slice(0, -words.length));
    const selected = rest
      .filter((it) => !it.startsWith('-'))
      .map((word) => ({ word, path: pathAt(folder, word, runner) }));
    const way = JSON.stringify([words.slice(0, count), options, folder, by]);
    return [{ runner, way, folder, options, selected }];
  });
}

/** A text in which no shell continues after a failure, inverts or hides it, sets a variable or runs a recipe. */
const PLAIN = /^[\w./@:+=,* -]+$/;
const QUOTED = /'[\w./@:+,()[\]\\* -]+'|"[\w./@:+,()[\]* -]+"/g;
const UNCLEAR = /(?:^| )(?:\w+=|(?:\S*\/)?(?:g?make|just|task|rake)(?: |$))/;
