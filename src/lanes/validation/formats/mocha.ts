import { count, type FormatReader, joined, nameList } from './format.ts';

/** A title takes several lines, one for each level of `describe`. */
const MAX_TITLE_LINES = 20;

export function mocha(): FormatReader {
  const list = nameList();
  let seen = false;
  let counted = 0;
  let inList = false;
  let title: string[] | undefined;

  const onTitle = (text: string): void => {
    const entry = /^ {2}\d+\) (.+)$/.exec(text)?.[1];
    if (entry !== undefined) title = [];
    if (title === undefined) return;
    const level = entry ?? text.trim();
    title.push(level.replace(/:$/, ''));
    const ends = level.endsWith(':');
    if (ends) list.add(joined(...title));
    if (ends || level === '' || title.length > MAX_TITLE_LINES) title = undefined;
  };

  return {
    line(text) {
      if (/^ {2}\d+ passing \(/.test(text)) {
        seen = true;
        inList = false;
      }
      const failing = /^ {2}(\d+) failing$/.exec(text)?.[1];
      if (failing !== undefined) inList = seen;
      if (inList) {
        counted += count(failing);
        onTitle(text);
      }
    },
    findings: () => (seen ? list.findings(counted) : undefined),
  };
}
