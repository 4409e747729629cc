/**
 * Which smoke test has passed with another one: the same runner runs all of its tests there, and only
 * some of them here. What cannot be told from the two commands, and from what the runner has printed of
 * each of its files or packages, runs by itself.
 */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { posix } from 'node:path';
import type { SmokeTest } from '../base/config/feature.ts';
import { attempt } from '../base/errors.ts';
import { readPlainFile } from '../base/files/plain-file.ts';
import { upwards, withinAny } from '../base/git/tree-entry.ts';
import { startedPrograms } from './programs.ts';
import { linesOf, testCount } from './test-count.ts';

interface Runner {
  /** The words that it starts with; what follows and is no option selects tests. */
  readonly starts: RegExp;
  /** A line about a file or package of which a test has passed, and its path. */
  readonly passed: RegExp;
  readonly covers?: Covers;
}

/** Whether all that is named in a folder, and of that at least one test, is among what has passed. */
type Covers = (reported: readonly string[], paths: readonly string[], start: Start) => boolean;

/** What is named only filters what the suite runs: where it fits nothing, it adds nothing. */
const filters: Covers = (reported, paths) => reported.some(withinAny(paths));

/** What is named can add to what the suite runs: each module that may have tests has to be reported. */
const modules: Covers = (reported, paths, { folder }) =>
  paths.every((path) => {
    const place = posix.join(folder, path);
    const inside = attempt(() => readdirSync(place, { recursive: true, encoding: 'utf8' }));
    const own = inside?.filter((it) => MODULE.test(it)).map((it) => `${path}/${it}`) ?? [path];
    const isReported = own.length > 0 && own.every((it) => reported.includes(it));
    return isReported && !hasOnTheWay(folder, path, PYTHON_SETTINGS);
  });

const MODULE = /(?<!(?:^|\/)(?:conftest|__init__))\.py$/;
const PYTHON_SETTINGS = [
  ...['pytest.ini', '.pytest.ini', 'pytest.toml', '.pytest.toml'],
  ...['pyproject.toml', 'tox.ini', 'setup.cfg', 'setup.py'],
];

/** Packages of the module in the folder, by their whole paths. */
const packages: Covers = (reported, paths, { folder, selected }) => {
  const manifest = readPlainFile(posix.join(folder, 'go.mod')) ?? '';
  const [, own] = /^module\s+"?([^\s"]+)/m.exec(manifest) ?? [];
  if (own === undefined || hasOnTheWay('/', folder.slice(1), ['go.work'])) return false;
  return paths.every((path, at) => {
    const [word = '', whole] = [selected[at], `${own}/${path}`];
    const isRun = word.endsWith('/...') ? withinAny([whole]) : (it: string) => it === whole;
    return word.startsWith('./') && reported.some(isRun) && !hasOnTheWay(folder, path, ['go.mod']);
  });
};

/** In a folder of the path, the last one included. */
const hasOnTheWay = (folder: string, path: string, names: readonly string[]): boolean =>
  [...upwards(path)].some(
    (it) => it !== '' && names.some((name) => existsSync(posix.join(folder, it, name))),
  );

const RUNNERS: readonly Runner[] = [
  {
    starts: /^vitest(?: run)?(?= |$)/,
    passed: /^ ✓ +(?:\|[^|]+\| +)?(\S+\.[cm]?[jt]sx?) +\(\d+ tests?\b/,
  },
  { starts: /^jest(?= |$)/, passed: /^PASS (?:\S+ )?(\S+\.[cm]?[jt]sx?)(?: |$)/ },
  {
    starts: /^go test(?= |$)/,
    passed: /^ok {2}\t(\S+)\t(?!.*\[no tests to run\])/,
    covers: packages,
  },
  { starts: /^pytest(?= |$)/, passed: /^(\S+\.py)(?: [sxX]*\.|::\S+ PASSED)/, covers: modules },
];

/** Programs that start another one as it is, and those by which it is another program. */
const STARTERS = /^(?:npm|npx|pnpm|yarn|bunx)$/;
const INTERPRETERS = /^(?:uv|poetry|pipenv|hatch|python[\d.]*)$/;
/** What a package manager is told besides the name of a script is added to that; an option is not understood. */
const STARTS =
  /^(?:(?:npx|bunx|(?:npm|pnpm|yarn) exec) .*|npm(?: run)? [\w:.-]+(?: -- (.*))?|(?:pnpm|yarn)(?: run)? [\w:.-]+((?: [^- ]\S*)*))$/;

interface Start {
  readonly runner: Runner;
  /** Equal where the same runner is started in the same way. */
  readonly way: string;
  readonly folder: string;
  readonly selected: readonly string[];
}

/**
 * Tells from the output of one test that has passed whether the other has passed with it; `undefined`
 * where no output does.
 */
export function passedWith(part: SmokeTest, whole: SmokeTest, root: string) {
  const suite = startedBy(whole, root);
  const [, script, name] = MEMBER.exec(part.command) ?? [];
  if (name !== undefined) {
    const isOfAll = suite.commands.some((it) => MEMBERS.exec(it)?.[1] === script);
    if (!isOfAll || part.cwd !== whole.cwd) return undefined;
    return (output: string) => Number(testCount(sectionOf(output, name))) > 0;
  }
  const own = startedBy(part, root);
  const [one] = startsIn(own);
  if (one === undefined || own.others.length > 1 || one.selected.length === 0) return undefined;
  const hasAll = startsIn(suite).some(
    ({ way, selected }) => way === one.way && selected.every((it) => it === './...'),
  );
  const paths = one.selected.flatMap((word) => pathAt(one.folder, word) ?? []);
  if (!hasAll || paths.length !== one.selected.length) return undefined;
  const { passed, covers = filters } = one.runner;
  return (output: string) => {
    const reported = linesOf(output).flatMap((line) => passed.exec(line)?.[1] ?? []);
    return covers(reported, paths, one);
  };
}

/** npm fails if the script of one of the workspaces fails. */
const MEMBER = /^npm (?:run )?([\w:.-]+) (?:--workspace[= ]|-w )(\S+)$/;
const MEMBERS = /^npm (?:run )?([\w:.-]+) (?:--workspaces|-ws)(?: --if-present)?$/;

/** What is printed of a workspace, up to the next one. */
function sectionOf(output: string, name: string): string {
  const lines = linesOf(output);
  const from = lines.findIndex((it) => it.startsWith(`> ${name}@`));
  const to = lines.findIndex((it, at) => at > from && /^> \S+@\S+ /.test(it));
  return from === -1 ? '' : lines.slice(from, to === -1 ? undefined : to).join('\n');
}

/** The file or folder below the folder that a word names as it is: no pattern, nothing hidden, and no link. */
function pathAt(folder: string, word: string): string | undefined {
  const [, path] = NAMED.exec(word) ?? [];
  if (path === undefined) return undefined;
  const place = attempt(() => realpathSync(posix.join(folder, path)));
  return place === posix.join(realpathSync(folder), path) ? path : undefined;
}

const NAMED = /^(?:\.\/)?([\w@-][\w@.-]*(?:\/[\w@-][\w@.-]*)*)(?:\/|\/\.{3})?$/;

/** Options by which the whole suite is not all of it. */
const SELECTS = /^--?(?:.*(?:shard|chang|relat|fail|only).*|lf|ff|nf|sw|o|t|k|m|g)$/i;

function startedBy({ command, cwd }: SmokeTest, root: string) {
  const texts = [command];
  const started = startedPrograms(command, root, posix.join(root, cwd), (it) => texts.push(it));
  const named = (names: RegExp) =>
    started.filter(({ words: [name = ''] }) => names.test(posix.basename(name)));
  const [heads, through] = [named(STARTERS), named(INTERPRETERS)];
  const commands = texts.flatMap((it) => it.trim().split(' && '));
  const isPlain = commands.every((it) => PLAIN.test(it) && !UNCLEAR.test(it));
  return {
    /** Each of them has passed where the test has; none where that cannot be told. */
    commands: isPlain ? commands : [],
    heads,
    through,
    others: started.filter((it) => !heads.includes(it) && !through.includes(it)),
  };
}

function startsIn({ commands, heads, through, others }: ReturnType<typeof startedBy>) {
  const told = heads.map(({ words }) => STARTS.exec(words.join(' ')));
  const added = told.flatMap((it) => (it?.[1] ?? it?.[2] ?? '').split(' ').filter(Boolean));
  const isClear = added.length === 0 || (heads.length === 1 && others.length === 1);
  if (commands.length === 0 || told.includes(null) || !isClear) return [];
  return others.flatMap(({ words: [name = '', ...own], folder, inFile }) => {
    const words = inFile ? [...own, ...added] : own;
    const text = [posix.basename(name), ...words].join(' ');
    const runner = RUNNERS.find((it) => it.starts.test(text));
    if (runner === undefined || folder === undefined) return [];
    if (words.includes('') || words.some((it) => SELECTS.test(it))) return [];
    const [start = ''] = runner.starts.exec(text) ?? [];
    const rest = words.slice(start.split(' ').length - 1);
    const options = rest.filter((it) => it.startsWith('-'));
    const by = through.map((it) => it.words.slice(0, -1 - words.length));
    const selected = rest.filter((it) => !it.startsWith('-'));
    return [{ runner, way: JSON.stringify([start, options, folder, by]), folder, selected }];
  });
}

/** No shell goes on after a failure, turns it around or hides it; no variable is set, no recipe run. */
const PLAIN = /^[\w./@:=+,'"* -]+$/;
const UNCLEAR = /(?:^| )(?:\w+=|(?:\S*\/)?(?:g?make|just|task|rake)(?: |$))/;
