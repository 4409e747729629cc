/** Maven's Surefire and Failsafe, and Gradle. */
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
