/** Perl's `prove`: its report of the TAP it has read, and the diagnostics that it passes through. */
import { type FormatReader, joined, nameList } from './format.ts';

export function prove(): FormatReader {
  const list = nameList();
  let inReport = false;
  let seen = false;
  let title: string | undefined;
  return {
    line(text) {
      if (text.startsWith('#   Failed test ')) title = /'(.*)'$/.exec(text)?.[1] ?? 'a test';
      const place = /^# {3}(?:Failed test )?at (.+) line \d+\.$/.exec(text)?.[1];
      if (place !== undefined && title !== undefined) {
        list.add(joined(place, title));
        title = undefined;
      }
      if (text === 'Test Summary Report') {
        inReport = true;
        seen = true;
      }
      const file = inReport ? /^(.+?) +\(Wstat: [1-9]/.exec(text)?.[1] : undefined;
      if (file !== undefined) list.add(joined(file, 'ended with an error'));
      if (text.startsWith('Result: ')) inReport = false;
    },
    // Without the report the output is TAP, which the reader of TAP has read.
    findings: () => (seen ? list.findings() : undefined),
  };
}
