/** `cargo test` and `cargo nextest`. */
import { count, type FormatReader, joined, nameList } from './format.ts';

export function cargo(): FormatReader {
  const list = nameList();
  const again = new Set<string>();
  let target = '';
  let inList = false;
  let listed: string[] = [];
  let seen = false;
  let counted = 0;

  const onList = (text: string): void => {
    if (text === 'failures:') {
      // A test may print the same heading; the last list before the result counts.
      inList = true;
      listed = [];
    } else if (inList) {
      const name = /^ {4}(\S.*)$/.exec(text)?.[1];
      if (name !== undefined) listed.push(name);
      else inList = false;
    }
  };
  const onResult = (failed: string): void => {
    seen = true;
    counted += count(failed);
    for (const name of listed) list.add(joined(target, name.replace(/ \(line \d+\)$/, '')));
    listed = [];
  };

  return {
    line(text) {
      const running = /^ +(?:Running (?:unittests )?(\S+) \(|Doc-tests (\S+)$)/.exec(text);
      if (running !== null) target = running[1] ?? `doc-tests ${running[2]}`;
      onList(text);
      const failed = /^test result: \w+\. \d+ passed; (\d+) failed;/.exec(text)?.[1];
      if (failed !== undefined) onResult(failed);
      const broken = /^error: could not compile (.+?) due to /.exec(text)?.[1];
      if (broken !== undefined) list.add(`could not compile ${broken}`);
      const next = /^ +(?:FAIL|TIMEOUT|SIG[A-Z]+) \[ *[\d.]+s\] (?:\( *\d+\/\d+\) )?(.+)$/.exec(
        text,
      )?.[1];
      // nextest prints each failure when it happens, and all again at the end.
      if (next !== undefined && !again.has(next)) {
        again.add(next);
        list.add(next);
      }
    },
    findings: () => (seen || list.total() > 0 ? list.findings(counted) : undefined),
  };
}
