/** The known test runners: how each is started, which files it tests, and what it reports. */
import { posix } from 'node:path';

export interface TestRunner {
  /** The words that start it, unless `starts` has them; the words after these that are no options select tests. */
  readonly name: string;
  readonly starts?: RegExp;
  readonly tests?: RegExp;
  /** The word before one test file, in place of the paths that a command names. */
  readonly before?: string;
  /** It reads each changed file, needed or not, and keeps what it learns from it. */
  readonly readsChanges?: true;
  /** A line of its summary, and the numbers in it: of executed tests, and of skipped ones, which are subtracted. */
  readonly counts: readonly [line: RegExp, executed: RegExp, skipped?: RegExp];
  /** The line that reports that there was nothing to run, whatever the exit code is. */
  readonly nothing?: RegExp;
  /** A line about a file or package in which a test has passed, with its path. */
  readonly passed?: RegExp;
  /** A line that is printed once for each of those, and the line of the summary with their number. */
  readonly sum?: readonly [each: RegExp, total: RegExp];
}

const OUTCOMES = /(\d+) (?:x?passed|x?failed|errors?|flaky|passing|failing|pass|fail)\b/g;
const ALL = /(\d+) (?:examples?|runs|tests?)\b/g;
const SKIPPED = /(\d+) (?:pending|skips|skipped|excluded)\b|\b[Ss]kipped[=:] *(\d+)/g;

export const MARKED = /[._-](?:test|spec)\.[cm]?[jt]sx?$/;
export const PYTHON_TEST = /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/;

/** Each row has its examples in the test of how tests are counted. */
export const TEST_RUNNERS: readonly TestRunner[] = [
  {
    name: 'vitest',
    starts: /^vitest(?: run)?(?= |$)/,
    tests: MARKED,
    counts: [/^ *Tests {2}(?:\d|no tests)/, OUTCOMES],
    nothing: /^No test files found, exiting/,
    passed: /^ ✓ +(?:\|[^|]+\| +)?(\S+\.[cm]?[jt]sx?) +\(\d+ tests?\b/,
    sum: [/^ ✓ .* \(\d+ tests?\b/g, /^ Test Files .*?(\d+) passed/],
  },
  {
    name: 'jest',
    tests: new RegExp(`${MARKED.source}|(?:^|/)__tests__/.*\\.[cm]?[jt]sx?$`),
    before: '--runTestsByPath',
    readsChanges: true,
    counts: [/^Tests: +.*\d+ total$/, OUTCOMES],
    nothing: /^No tests found, exiting/,
    passed: /^PASS (?:\S+ )?(\S+\.[cm]?[jt]sx?)(?: |$)/,
    sum: [/^PASS /g, /^Test Suites: .*?(\d+) passed/],
  },
  {
    name: 'node',
    starts:
      /^(?:node|tsx) (?:(?:--(?:import|require|loader|env-file)|-r) \S+ |-\S+ )*?--test(?= |$)/,
    tests: /(?:[._-]test|(?:^|\/)test(?:-[^/]*|\/.*)?)\.[cm]?[jt]s$/,
    counts: [/^[ℹ#] (?:pass|fail) \d+$/, /(\d+)/g],
    nothing: /^Could not find '/,
  },
  {
    name: 'pytest',
    tests: PYTHON_TEST,
    counts: [/^=* ?\d+ \w+(?:, \d+ \w+)* in [\d.]+s/, OUTCOMES],
    nothing: /^=* ?no tests (?:ran|collected)\b/,
    passed: /^(\S+\.py)(?: [sxX]*\.|::\S+ PASSED)/,
    sum: [
      /(?<=^(?:\S+\.py )?[.sxX]*)\.(?=[.sxX]*(?: +\[|$))|(?<=^\S+\.py::\S+ )PASSED/g,
      /^=* ?(?:\d+ \w+, )*?(\d+) passed\b.* in [\d.]+s/,
    ],
  },
  {
    name: 'go test',
    counts: [/^ok {2}\t|\[no test files\]$/, /^(?!.*\[no tests to run\])ok {2}\t/g],
    passed: /^ok {2}\t(\S+)\t(?!.*\[no tests to run\])/,
  },
  {
    name: 'ava',
    tests: MARKED,
    counts: [/^ {2}\d+ tests? (?:passed|failed|skipped)$/, /(\d+) tests? (?:passed|failed)/g],
  },
  {
    name: 'mocha',
    counts: [/^ +\d+ (?:pass|fail)ing\b/, OUTCOMES],
    nothing: /^Error: No test file/,
  },
  {
    name: 'playwright test',
    counts: [/^ +\d+ (?:passed|failed|skipped|flaky)\b/, OUTCOMES],
    nothing: /^Error: No tests found/,
    passed: /^ +✓ +\d+ (?:\[[^\]]+\] › )?(\S+\.[cm]?[jt]sx?):\d+:\d+ › /,
    sum: [/^ +✓ +\d+ /g, /^ +(\d+) passed \(/],
  },
  {
    name: 'unittest',
    counts: [/^(?:Ran \d+ tests? in |OK \(skipped=\d+)/, ALL, SKIPPED],
    nothing: /^NO TESTS RAN/,
  },
  {
    name: 'cargo test',
    counts: [/^test result: /, OUTCOMES],
  },
  {
    name: 'cargo nextest',
    counts: [/^ +Summary \[/, /(\d+) tests? run/g],
    nothing: /^error: no tests to run/,
  },
  {
    name: 'rspec',
    counts: [/^\d+ examples?, /, ALL, SKIPPED],
  },
  {
    name: 'minitest',
    counts: [/^\d+ runs, /, ALL, SKIPPED],
  },
  {
    name: 'phpunit',
    counts: [/^(?:OK \(|Tests: )\d+(?: tests?)?, /, /^OK \((\d+)|^Tests: (\d+)/g, SKIPPED],
    nothing: /^No tests executed!/,
  },
  {
    name: 'mix test',
    counts: [/^\d+ tests?, \d+ failures?/, ALL, SKIPPED],
    nothing: /^There are no tests to run/,
  },
  {
    name: 'maven',
    counts: [
      /^\[\w+\] +Tests run: .*\d$|^\[INFO\] No tests to run\.$/,
      /Tests run: (\d+)/g,
      SKIPPED,
    ],
  },
  {
    name: 'dotnet test',
    counts: [/\bTotal: +\d+, Duration:/, /(?:Passed|Failed): +(\d+)/g],
    nothing: /^No test (?:is available in|matches the given)/,
  },
  { name: 'deno test', counts: [/^(?:ok|FAILED) \| \d+ passed/, OUTCOMES] },
  { name: 'bun test', counts: [/^ \d+ (?:pass|fail)$/, OUTCOMES] },
  {
    name: 'ctest',
    counts: [/tests failed out of \d+$/, /out of (\d+)/g],
    nothing: /^No tests were found!!!/,
  },
  { name: 'prove', counts: [/^Files=\d+, Tests=\d+/, /Tests=(\d+)/g] },
  {
    name: 'bats',
    counts: [/^(?:not )?ok \d+\b(?!.* # skip\b)/, /^/g],
    nothing: /^1\.\.0\b/,
  },
  {
    name: 'junit',
    counts: [/^\s*<testsuite\b.* tests="\d+"/, / tests="(\d+)"/g, / skipped="(\d+)"/g],
  },
  { name: 'swift test', counts: [/^\s*Executed \d+ tests?, /, ALL] },
];

/** The runner that words start, and how many of the words start it. */
export function runnerOf([program = '', ...words]: readonly string[]) {
  const text = [posix.basename(program), ...words].join(' ');
  for (const runner of TEST_RUNNERS) {
    const { name, starts } = runner;
    const start =
      starts === undefined ? `${text} `.startsWith(`${name} `) && name : starts.exec(text)?.[0];
    if (start) return { runner, count: start.split(' ').length };
  }
  return undefined;
}

/** Options whose next word is their value. */
const WITH_VALUE =
  /^(?:-[crptkmnoC]|--(?:import|require|(?:experimental-)?loader|test-reporter|test-name-pattern|env-file|env|conditions|project|config|root|rootdir|reporter|mode|environment|pool|dir|maxfail|timeout|confcutdir))$/;

/** The words of a runner without the files, folders, globs and filters among them. */
export function withoutPaths(words: readonly string[], start: number): readonly string[] {
  return words.filter(
    (word, at) => at < start || word.startsWith('-') || WITH_VALUE.test(words[at - 1] ?? ''),
  );
}

/** Programs that only start another one, by its name or as a module. */
export const STARTER = /^(?:npm|npx|pnpm|yarn|bunx|env|cross-env)$/;
export const INTERPRETER = /^(?:uv|poetry|pipenv|hatch|python[\d.]*)$/;
