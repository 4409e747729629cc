import { count, type FormatReader, joined, nameList } from './format.ts';

/** `deno test`: all failures with their locations under a heading at the end. */
export function deno(): FormatReader {
  const list = nameList();
  let inList = false;
  let seen = false;
  let counted = 0;
  return {
    line(text) {
      if (text.trim() === 'FAILURES') inList = true;
      const entry = inList ? /^(\S.*) => (\S+?):\d+:\d+$/.exec(text) : null;
      if (entry !== null) list.add(joined(entry[2] ?? '', entry[1] ?? ''));
      const end = /^(?:ok|FAILED) \| \d+ passed (?:\(.+?\) )?\| (\d+) failed\b/.exec(text)?.[1];
      if (end === undefined) return;
      seen = true;
      inList = false;
      counted += count(end);
    },
    findings: () => (seen ? list.findings(counted) : undefined),
  };
}
