import { count, type FormatReader, nameList } from './format.ts';

export function ctest(): FormatReader {
  const list = nameList();
  let inList = false;
  let seen = false;
  let counted = 0;
  return {
    line(text) {
      const failed = /^\d+% tests passed, (\d+) tests? failed out of \d+$/.exec(text)?.[1];
      if (failed !== undefined) {
        seen = true;
        counted += count(failed);
      }
      const name = inList ? /^\t *\d+ - (.+) \([^()]+\)(?: +\S.*)?$/.exec(text)?.[1] : undefined;
      if (name !== undefined) list.add(name);
      else inList = text === 'The following tests FAILED:';
    },
    findings: () => (seen ? list.findings(counted) : undefined),
  };
}
