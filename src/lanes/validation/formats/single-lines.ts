/** Tools that report each failure once, on one line. */
import { type Format, joined, nameList } from './format.ts';

/** The groups of the expression are the levels of the name. */
function lines(...patterns: readonly RegExp[]): Format {
  return () => {
    const list = nameList();
    return {
      line(text) {
        for (const pattern of patterns) {
          const levels = pattern.exec(text)?.slice(1);
          if (levels !== undefined) list.add(joined(...levels.map((it) => it ?? '')));
        }
      },
      findings: () => (list.total() > 0 ? list.findings() : undefined),
    };
  };
}

/** `src/cart.ts(3,5): error TS2322: Type …`, and `src/cart.ts:3:5 - error …` in colour. */
export const typescript = lines(
  /^([^\s(][^(]*)\(\d+,\d+\): (error TS\d+: .+)$/,
  /^(\S+):\d+:\d+ - (error TS\d+: .+)$/,
);

/** Coverage below its threshold: the run fails although no test does. */
export const coverage = lines(
  /^FAIL (Required test coverage) of /,
  /^Jest: "(.+?)" (coverage threshold for \w+)/,
  /^ERROR: (Coverage for \w+) \([\d.]+%\) does not meet (.*?threshold)/,
);

export const bun = lines(/^\(fail\) (.+?)(?: \[[\d.]+m?s\])?$/);

export const dotnet = lines(/^ {2}Failed (\S.*?) \[[^\]]+\]$/);

export const xctest = lines(
  /^Test Case '-?\[?(.+?)\]?' failed \(/,
  /^✘ Test (.+?) failed after [\d.]+ seconds/,
);

export const exunit = lines(/^ {2}\d+\) (test .+ \(\S+\))$/);

/** Failed scripts of a runner, also of tools that are unknown here. */
export const runners = lines(
  /^npm (?:error|ERR!) (workspace \S+?)(?:@[\d.]+\S*)?$/,
  /^g?make(?:\[\d+\])?: \*\*\* \[(?:[^\s:]+:\d+: )?([^\]]+)\] Error \d+$/,
  /^ *(Failed): {4}(\S.*)$/,
);

export const eslint = lines(/^✖ \d+ problems? \(([1-9]\d* errors?), \d+ warnings?\)$/);
