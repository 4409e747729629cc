import { count, type FormatReader, joined, nameList } from './format.ts';

const BROKEN_FILE = 'Test suite failed to run';

export function jest(): FormatReader {
  const list = nameList();
  let file: string | undefined;
  let repeating = false;
  let seen = false;
  let counted = 0;

  const onHeading = (text: string): void => {
    if (text.startsWith('PASS ')) file = undefined;
    else if (text.startsWith('FAIL ')) file = text.slice(5).replace(/ \([\d.]+ m?s\)$/, '');
    // After many tests, all failures are printed again.
    else if (text === 'Summary of all failing tests') repeating = true;
    else if (text.startsWith('Test Suites: ')) {
      seen = true;
      repeating = false;
      file = undefined;
    } else counted += count(/^Tests: +(\d+) failed/.exec(text)?.[1]);
  };

  return {
    line(text) {
      onHeading(text);
      if (file === undefined || repeating) return;
      const title = /^ {2}● (.+)$/.exec(text)?.[1];
      if (title === undefined || title === 'Console') return;
      if (title === BROKEN_FILE) {
        counted += 1;
        list.add(file);
      } else list.add(joined(file, title.replaceAll(' › ', ' > ')));
    },
    findings: () => (seen || list.total() > 0 ? list.findings(counted) : undefined),
  };
}
