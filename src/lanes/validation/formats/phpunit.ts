import { count, type FormatReader, joined, nameList } from './format.ts';

export function phpunit(): FormatReader {
  const list = nameList();
  let inList = false;
  let seen = false;
  let counted = 0;
  return {
    line(text) {
      const heading = /^There (?:was|were) \d+ (.+):$/.exec(text)?.[1];
      // Warnings, risky and skipped tests are listed alike.
      if (heading !== undefined) inList = /^(?:failure|error)s?$/.test(heading);
      const entry = inList
        ? /^\d+\) (\S+::\S+)(?: with data set (#\d+|"[^"]*"))?/.exec(text)
        : null;
      if (entry !== null) list.add(joined(entry[1] ?? '', entry[2] ?? ''));
      if (/^OK \(\d+ tests?, /.test(text)) seen = true;
      if (!/^Tests: \d+, Assertions: /.test(text)) return;
      seen = true;
      inList = false;
      for (const [, number] of text.matchAll(/, (?:Failures|Errors): (\d+)/g))
        counted += count(number);
    },
    findings: () => (seen ? list.findings(counted) : undefined),
  };
}
