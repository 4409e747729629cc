import { count, type FormatReader, nameList } from './format.ts';

/** Playwright: the number of failures, then their names, then other outcomes in the same form. */
export function playwright(): FormatReader {
  const list = nameList();
  let inList = false;
  let counted = 0;
  return {
    line(text) {
      const failed = /^ {2}(\d+) failed$/.exec(text)?.[1];
      const name = inList ? /^ {4}(\S.* › .+?)[ ─]*$/.exec(text)?.[1] : undefined;
      counted += count(failed);
      if (name !== undefined) list.add(name.replaceAll(' › ', ' > '));
      inList = failed !== undefined || name !== undefined;
    },
    findings: () => (list.total() > 0 ? list.findings(counted) : undefined),
  };
}
