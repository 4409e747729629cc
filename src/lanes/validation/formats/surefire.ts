/** Maven's Surefire and Failsafe. */
import { count, type FormatReader, joined, nameList } from './format.ts';

const FAILED =
  /^(?:\[ERROR\] )?(\S.*?)(?: -- Time elapsed: [\d.]+ s(?:ec)?| {2}Time elapsed: [\d.]+ s(?:ec)?)? +<<< (?:FAILURE|ERROR)!/;
const TOTALS =
  /^(?:\[(?:ERROR|WARNING|INFO)\] )?Tests run: \d+, Failures: (\d+), Errors: (\d+), Skipped: \d+$/;

export function surefire(): FormatReader {
  const list = nameList();
  let seen = false;
  let counted = 0;
  return {
    line(text) {
      const name = text.includes(' <<< ') ? FAILED.exec(text)?.[1] : undefined;
      if (name !== undefined && !name.startsWith('Tests run: ')) list.add(qualified(name));
      const plugin = /^\[ERROR\] Failed to execute goal (\S+) .* on project (\S+):/.exec(text);
      if (plugin !== null) list.add(joined(plugin[2] ?? '', goal(plugin[1] ?? '')));
      const totals = TOTALS.exec(text);
      if (totals === null) return;
      seen = true;
      counted += count(totals[1]) + count(totals[2]);
    },
    findings: () => (seen || list.total() > 0 ? list.findings(counted) : undefined),
  };
}

/** `adds(org.shop.CartTest)` of old versions becomes `org.shop.CartTest.adds`. */
function qualified(name: string): string {
  const [, test, owner] = /^([^\s(]+)\(([\w.$]+)\)$/.exec(name) ?? [];
  return owner === undefined ? name : `${owner}.${test}`;
}

/** `org.apache…:maven-surefire-plugin:3.2.5:test` without its version. */
function goal(coordinates: string): string {
  const [, plugin = coordinates, , task = ''] = coordinates.split(':');
  return `${plugin} ${task}`.trim();
}
