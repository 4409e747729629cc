/**
 * Which smoke test has passed with another one: the same runner runs all of its tests there, and only
 * some of them here. What cannot be told from the two commands, and from what the runner has printed,
 * runs by itself.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import type { SmokeTest } from '../base/config/feature.ts';
import { attempt } from '../base/errors.ts';
import { matcher } from './match.ts';
import { type StartedProgram, startedPrograms } from './programs.ts';
import { linesOf, testCount } from './test-count.ts';

interface Runner {
  /** The words that it starts with; what follows and is no option selects tests. */
  readonly starts: RegExp;
  /** A line about a file of which a test has passed, and its path; without it each file is run. */
  readonly passed?: RegExp;
  /** The files that it runs when none are named; without it each word only filters these. */
  readonly tests?: RegExp;
  /** It runs all where this is named. */
  readonly all?: string;
}

const RUNNERS: readonly Runner[] = [
  { starts: /^vitest(?: run)?(?= |$)/, passed: /^ *✓ .*?(\S+\.[cm]?[jt]sx?) \(\d+ tests?\b/ },
  { starts: /^jest(?= |$)/, passed: /^PASS (?:\S+ )?(\S+\.[cm]?[jt]sx?)(?: |$)/ },
  { starts: /^go test(?= |$)/, passed: /^ok {2}\t(\S+)\t(?!.*\[no tests to run\])/, all: './...' },
  { starts: /^playwright test(?= |$)/, passed: /^ *✓ +\d+ (?:\[[^\]]*\] › )?(\S+?):\d+:\d+ › / },
  {
    starts: /^pytest(?= |$)/,
    passed: /^(\S+\.py)(?: [sxX]*\.|::\S+ PASSED)/,
    tests: /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/,
  },
  {
    starts: /^node --test(?= |$)/,
    tests: /(?:[._-]test|(?:^|\/)test(?:-[^/]*|\/.*)?)\.[cm]?js$/,
  },
];

/** Programs that start another one as it is, and those by which it is another program. */
const STARTERS = /^(?:npm|npx|pnpm|yarn|bunx)$/;
const INTERPRETERS = /^(?:uv|poetry|pipenv|hatch|python[\d.]*)$/;
/** What a package manager is told besides the name of a script is added to that; an option is not understood. */
const STARTS =
  /^(?:(?:npx|bunx|(?:npm|pnpm|yarn) exec) .*|npm(?: run)? [\w:.-]+(?: -- (.*))?|(?:pnpm|yarn)(?: run)? [\w:.-]+((?: [^- ]\S*)*))$/;
/** Their recipes can go on after a failure. */
const LENIENT = /^(?:g?make|just|task|rake)$/;

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
  for (const { member, members, begins, next } of WORKSPACES) {
    const [, script, name] = member.exec(part.command) ?? [];
    if (name === undefined) continue;
    const isOfAll = suite.commands.some((it) => members.exec(it)?.[1] === script);
    if (!isOfAll || part.cwd !== whole.cwd) return undefined;
    const isBegin = (line: string) => begins(line, name);
    return (output: string) => Number(testCount(sectionOf(output, isBegin, next))) > 0;
  }
  const own = startedBy(part, root);
  const [one, ...more] = startsIn(own);
  const isAlone = more.length === 0 && own.others.length === 1;
  if (one === undefined || !isAlone || one.selected.length === 0) return undefined;
  const hasAll = startsIn(suite).some(
    ({ way, selected, runner }) => way === one.way && selected.every((it) => it === runner.all),
  );
  return hasAll ? (output: string) => hasPassed(one, linesOf(output)) : undefined;
}

/** Which command tests one member of a workspace, which tests all, and what is printed before a member's tests. */
const WORKSPACES: readonly {
  readonly member: RegExp;
  readonly members: RegExp;
  readonly begins: (line: string, name: string) => boolean;
  readonly next: RegExp;
}[] = [
  {
    // npm fails if the script of one of them fails.
    member: /^npm (?:run )?([\w:.-]+) (?:--workspace[= ]|-w )(\S+)$/,
    members: /^npm (?:run )?([\w:.-]+) (?:--workspaces|-ws)(?: --if-present)?$/,
    begins: (line, name) => line.startsWith(`> ${name}@`),
    next: /^> \S+@\S+ /,
  },
  {
    member: /^cargo (test) -p ([\w-]+)$/,
    members: /^cargo (test)(?: --workspace)?$/,
    // The program with the tests of a crate has its name, with another character.
    begins: (line, name) =>
      /^ +Running .*[/\\](\S+)-[0-9a-f]+\)$/.exec(line)?.[1] === name.replaceAll('-', '_'),
    next: /^ +(?:Running|Doc-tests) /,
  },
];

/** What is printed of a member, up to the next one. */
function sectionOf(output: string, isBegin: (line: string) => boolean, next: RegExp): string {
  const lines = linesOf(output);
  const from = lines.findIndex(isBegin);
  const to = lines.findIndex((it, at) => at > from && next.test(it));
  return from === -1 ? '' : lines.slice(from, to === -1 ? undefined : to).join('\n');
}

function hasPassed({ runner, folder, selected }: Start, lines: readonly string[]): boolean {
  const { passed, tests } = runner;
  const reported = passed && lines.flatMap((line) => passed.exec(line)?.[1] ?? []);
  const paths = selected.map((it) => posix.normalize(it).replace(/(?:\/\.{3}|\/)$/, ''));
  // A filter that fits no file takes nothing from the others.
  if (tests === undefined) return paths.some((path) => reported?.some((it) => it.includes(path)));
  const files = paths.map((path) => filesAt(folder, path));
  // A folder is no file to Node; of one, pytest takes what is named as a test.
  const own = reported ? files.flat().filter((it) => tests.test(it)) : files.flat();
  const isThere = paths.every((path, at) => {
    const found = files[at] ?? [];
    return GLOB.test(path) || (reported ? found.length > 0 : found.includes(path));
  });
  const isRun = (file: string) => reported?.includes(file) ?? tests.test(file);
  return isThere && own.length > 0 && own.every(isRun);
}

const GLOB = /[*?{[]/;

/** The file itself, the files below a folder, or those that a glob matches. */
function filesAt(folder: string, path: string): readonly string[] {
  const { bases, matches } = matcher([path, `${path}/**`]);
  const [base = ''] = bases;
  const place = posix.join(folder, base);
  if (lstatSync(place, { throwIfNoEntry: false })?.isFile()) return [path];
  if (base === '') return [];
  const inside = attempt(() => readdirSync(place, { recursive: true, withFileTypes: true })) ?? [];
  return inside
    .filter((it) => it.isFile())
    .map((it) => posix.relative(folder, posix.join(it.parentPath, it.name)))
    .filter(matches);
}

/** Options by which the whole suite is not all of it. */
const SELECTS = /^--?(?:.*(?:shard|chang|relat|fail|only).*|lf|ff|nf|sw|o|t|k|m|g)$/i;

interface Started {
  /** Each of them has passed where the test has; none where that cannot be told. */
  readonly commands: readonly string[];
  readonly heads: readonly StartedProgram[];
  readonly through: readonly StartedProgram[];
  readonly others: readonly StartedProgram[];
}

function startedBy({ command, cwd }: SmokeTest, root: string): Started {
  const texts = [command];
  const started = startedPrograms(command, root, posix.join(root, cwd), (it) => texts.push(it));
  const named = (names: RegExp) =>
    started.filter(({ words: [name = ''] }) => names.test(posix.basename(name)));
  const [heads, through] = [named(STARTERS), named(INTERPRETERS)];
  const commands = texts.flatMap((it) => it.trim().split(' && '));
  const isPlain = commands.every(
    (it) => PLAIN.test(it.replaceAll(QUOTED, 'quoted')) && !ASSIGNMENT.test(it),
  );
  return {
    commands: isPlain && named(LENIENT).length === 0 ? commands : [],
    heads,
    through,
    others: started.filter((it) => !heads.includes(it) && !through.includes(it)),
  };
}

function startsIn({ commands, heads, through, others }: Started): readonly Start[] {
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

/** No shell goes on after a failure, turns it around or hides it, and no variable is set. */
const PLAIN = /^[\w./@:=+,'"* -]+$/;
/** Means only itself, and no command. */
const QUOTED = /'[\w./@()[\]*{},+-]+'/g;
const ASSIGNMENT = /(?:^| )\w+=/;
