/** RSpec and Minitest. */
import { count, type FormatReader, joined, nameList } from './format.ts';

export function rspec(): FormatReader {
  const list = nameList();
  let seen = false;
  let counted = 0;
  return {
    line(text) {
      const loading = /^An error occurred while loading (\S+?)\.$/.exec(text)?.[1];
      if (loading !== undefined) list.add(loading);
      const [, file, title] = /^rspec '?(\S+?)(?::\d+|\[[\d:]+\])?'? # (.+)$/.exec(text) ?? [];
      if (file !== undefined && title !== undefined) list.add(joined(file, title));
      const summary = /^\d+ examples?, (\d+) failures?(?:.*, (\d+) errors? occurred outside)?/;
      const [ended, failures, errors] = summary.exec(text) ?? [];
      if (ended === undefined) return;
      seen = true;
      counted += count(failures) + count(errors);
    },
    findings: () => (seen ? list.findings(counted) : undefined),
  };
}

export function minitest(): FormatReader {
  const list = nameList();
  let seen = false;
  let heading = false;
  let counted = 0;
  return {
    line(text) {
      const failed = heading ? /^ *(\S+#.+?)(?: \[.*\])?:$/.exec(text)?.[1] : undefined;
      if (failed !== undefined) list.add(failed);
      heading = /^ *\d+\) (?:Failure|Error):$/.test(text);
      const summary = /^\d+ (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors/.exec(
        text,
      );
      if (summary === null) return;
      seen = true;
      counted += count(summary[1]) + count(summary[2]);
    },
    findings: () => (seen ? list.findings(counted) : undefined),
  };
}
