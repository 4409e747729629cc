import { count, type FormatReader, nameList } from './format.ts';

export function unittest(): FormatReader {
  const list = nameList();
  let afterRule = false;
  let seen = false;
  let counted = 0;
  return {
    line(text) {
      const failed = /^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (.+)$/.exec(text)?.[1];
      if (afterRule && failed !== undefined) list.add(failed);
      afterRule = /^={70}$/.test(text);
      seen ||= /^Ran \d+ tests? in /.test(text);
      const summary = seen ? /^FAILED \((.+)\)$/.exec(text)?.[1] : undefined;
      for (const [, number] of (summary ?? '').matchAll(FAILURES)) counted += count(number);
    },
    findings: () => (seen ? list.findings(counted) : undefined),
  };
}

const FAILURES = /(?:failures|errors|unexpected successes)=(\d+)/g;
