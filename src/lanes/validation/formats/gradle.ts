import { count, type FormatReader, joined, nameList } from './format.ts';

export function gradle(): FormatReader {
  const list = nameList();
  let task = '';
  let named = 0;
  let seen = false;
  let unnamed = 0;
  return {
    line(text) {
      const [, started, failed] = /^> Task (:\S+)( FAILED)?/.exec(text) ?? [];
      if (started !== undefined) {
        seen = true;
        if (started !== task) named = 0;
        task = started;
      }
      if (failed !== undefined) list.add(`task ${task}`);
      if (seen && text.endsWith(' FAILED') && text.includes(' > ') && /^[^\s>]/.test(text)) {
        named += 1;
        list.add(joined(task, text.slice(0, -' FAILED'.length)));
      }
      const total = /^\d+ tests? completed, (\d+) failed/.exec(text)?.[1];
      if (total !== undefined) {
        unnamed += Math.max(0, count(total) - named);
        named = 0;
      }
    },
    findings: () => (seen ? list.findings(list.total() + unnamed) : undefined),
  };
}
