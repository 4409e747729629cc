/** The formats of test tools that are known here. */
import { cargo, ctest, goTest } from './compiled.ts';
import { type Format, format } from './format.ts';
import { deno, jest, mocha, playwright, vitest } from './javascript.ts';
import { gradle, junitXml, surefire } from './jvm.ts';
import { minitest, phpunit, prove, pytest, rspec, unittest } from './scripting.ts';
import { nodeDot, nodeSpec, tap } from './tap.ts';

/** Tools that report each failure once, on one line: the groups of the expression are the levels of its name. */
function lines(...patterns: readonly RegExp[]): Format {
  return format((list) => (text) => {
    for (const pattern of patterns) list.failure(pattern, text);
  });
}

/** `src/cart.ts(3,5): error TS2322: Type …`, and `src/cart.ts:3:5 - error …` in colour. */
const typescript = lines(
  /^([^\s(][^(]*)\(\d+,\d+\): (error TS\d+: .+)$/,
  /^(\S+):\d+:\d+ - (error TS\d+: .+)$/,
);

/** Coverage below its threshold: the run fails although no test does. */
const coverage = lines(
  /^FAIL (Required test coverage) of /,
  /^Jest: "(.+?)" (coverage threshold for \w+)/,
  /^ERROR: (Coverage for \w+) \([\d.]+%\) does not meet (.*?threshold)/,
);

const bun = lines(/^\(fail\) (.+?)(?: \[[\d.]+m?s\])?$/);

const dotnet = lines(/^ {2}Failed (\S.*?) \[[^\]]+\]$/);

const xctest = lines(
  /^Test Case '-?\[?(.+?)\]?' failed \(/,
  /^✘ Test (.+?) failed after [\d.]+ seconds/,
);

const exunit = lines(/^ {2}\d+\) (test .+ \(\S+\))$/);

/** Failed scripts of a runner, also of tools that are unknown here. */
const runners = lines(
  /^npm (?:error|ERR!) (workspace \S+?)(?:@[\d.]+\S*)?$/,
  /^g?make(?:\[\d+\])?: \*\*\* \[(?:[^\s:]+:\d+: )?([^\]]+)\] Error \d+$/,
  /^ *(Failed): {4}(\S.*)$/,
);

const eslint = lines(/^✖ \d+ problems? \(([1-9]\d* errors?), \d+ warnings?\)$/);

/** Each reads every line, since one log may contain output of several tools. */
export const FORMATS: readonly Format[] = [
  tap,
  prove,
  nodeSpec,
  nodeDot,
  vitest,
  jest,
  mocha,
  pytest,
  unittest,
  goTest,
  cargo,
  rspec,
  minitest,
  phpunit,
  surefire,
  gradle,
  junitXml,
  ctest,
  playwright,
  deno,
  bun,
  dotnet,
  xctest,
  exunit,
  typescript,
  eslint,
  coverage,
  runners,
];
