/**
 * Which smoke test has passed with another one: the same runner runs all of its tests there, and only
 * some of them here. What cannot be told from the two commands, and from what the runner has printed,
 * runs by itself.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import type { SmokeTest } from '../base/config/feature.ts';
import { attempt } from '../base/errors.ts';
import { type StartedProgram, startedPrograms } from './programs.ts';
import { linesOf } from './test-count.ts';

interface Runner {
  /** The words that it starts with; what follows and is no option selects tests. */
  readonly starts: RegExp;
  /** A line about a file of which a test has passed, and its path; without it each file is run. */
  readonly passed?: RegExp;
  /** The files that it runs when none are named; without it each word only filters these. */
  readonly tests?: RegExp;
}

const RUNNERS: readonly Runner[] = [
  { starts: /^vitest(?: run)?(?= |$)/, passed: /^ *✓ .*?(\S+\.[cm]?[jt]sx?) \(\d+ tests?\b/ },
  { starts: /^jest(?= |$)/, passed: /^PASS (?:\S+ )?(\S+\.[cm]?[jt]sx?)(?: |$)/ },
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
/** What follows the name of a script is no part of it: one that is told less, or more, is another one. */
const STARTS = /^(?:npx|bunx|(?:npm|pnpm|yarn) exec|(?:npm|pnpm|yarn)(?: run)? [\w:.-]+$)/;
const INTERPRETERS = /^(?:uv|poetry|pipenv|hatch|python[\d.]*)$/;
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
  const [one, ...more] = startsIn(part, root, true);
  if (one === undefined || more.length > 0 || one.selected.length === 0) return undefined;
  const hasAll = startsIn(whole, root, false).some(
    ({ way, selected }) => way === one.way && selected.length === 0,
  );
  return hasAll ? (output: string) => hasPassed(one, linesOf(output)) : undefined;
}

function hasPassed({ runner, folder, selected }: Start, lines: readonly string[]): boolean {
  const { passed, tests } = runner;
  const reported = passed && lines.flatMap((line) => passed.exec(line)?.[1] ?? []);
  return selected.every((word) => {
    const path = posix.normalize(word).replace(/\/$/, '');
    if (tests === undefined) return reported?.some((it) => it.includes(path));
    const files = filesIn(folder, path).filter((it) => tests.test(it));
    const isRun = (file: string) => reported?.includes(file) ?? file === path;
    return files.length > 0 && files.every(isRun);
  });
}

/** The file itself, or all files below a folder. */
function filesIn(folder: string, path: string): readonly string[] {
  const place = posix.join(folder, path);
  if (lstatSync(place, { throwIfNoEntry: false })?.isFile()) return [path];
  const inside = attempt(() => readdirSync(place, { recursive: true, encoding: 'utf8' })) ?? [];
  return inside.map((it) => posix.join(path, it));
}

/** The runners that a test starts; none where it may pass although one of them has failed. */
function startsIn({ command, cwd }: SmokeTest, root: string, isAlone: boolean): readonly Start[] {
  const texts = [command];
  const started = startedPrograms(command, root, posix.join(root, cwd), (it) => texts.push(it));
  const parts = texts.flatMap((it) => it.trim().split(isAlone ? '\n' : ' && '));
  if (!parts.every((it) => PLAIN.test(it) && !ASSIGNMENT.test(it))) return [];
  const nameOf = ({ words: [name = ''] }: StartedProgram) => posix.basename(name);
  const heads = started.filter((it) => STARTERS.test(nameOf(it))).map(({ words }) => words);
  const [added = [], ...more] = heads.flatMap((it) =>
    it.includes('--') ? [it.slice(it.indexOf('--') + 1)] : [],
  );
  const isKnown = heads.every((it) => STARTS.test(it.join(' ').replace(/ -- .*/, '')));
  if (!isKnown || more.length > 0 || (added.length > 0 && !(isAlone && heads.length === 1)))
    return [];
  const through = started.filter((it) => INTERPRETERS.test(nameOf(it)));
  const others = started.filter((it) => !STARTERS.test(nameOf(it)) && !through.includes(it));
  const starts = others.flatMap(({ words: [name = '', ...own], folder, inFile }) => {
    const words = inFile ? [...own, ...added] : own;
    const text = [posix.basename(name), ...words].join(' ');
    const runner = RUNNERS.find((it) => it.starts.test(text));
    if (runner === undefined || folder === undefined || words.includes('')) return [];
    const [start = ''] = runner.starts.exec(text) ?? [];
    const rest = words.slice(start.split(' ').length - 1);
    const options = rest.filter((it) => it.startsWith('-'));
    const by = through.map((it) => it.words.slice(0, -1 - words.length));
    const selected = rest.filter((it) => !it.startsWith('-'));
    return [{ runner, way: JSON.stringify([start, options, folder, by]), folder, selected }];
  });
  const isStrict = isAlone
    ? starts.length === others.length
    : !others.some((it) => LENIENT.test(nameOf(it)));
  return isStrict ? starts : [];
}

/** No shell goes on after a failure, turns it around or hides it, and no variable is set. */
const PLAIN = /^[\w./@:=+,'"* -]+$/;
const ASSIGNMENT = /(?:^| )\w+=/;
