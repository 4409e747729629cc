import { count, type FormatReader, joined, nameList } from './format.ts';

export function vitest(): FormatReader {
  const list = nameList();
  let seen = false;
  let counted = 0;
  return {
    line(text) {
      const failed = /^ FAIL {2}(\S.*)$/.exec(text)?.[1];
      // A file that could not be loaded is followed by its path in brackets.
      if (failed !== undefined) list.add(failed.replace(/ \[ .+ \]$/, ''));
      const origin = /^This error originated in "(.+?)" test file/.exec(text)?.[1];
      if (origin !== undefined) list.add(joined(origin, 'unhandled error'));
      counted += count(/^⎯+ Failed (?:Suites|Tests|Benchmarks) (\d+) ⎯/.exec(text)?.[1]);
      counted += count(/^ +Errors {2}(\d+) errors?$/.exec(text)?.[1]);
      seen ||= /^ +Test Files {2}\d+ /.test(text);
    },
    findings: () => (seen || list.total() > 0 ? list.findings(counted) : undefined),
  };
}
