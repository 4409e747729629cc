/** Maven's Surefire and Failsafe, Gradle, and printed reports in JUnit's XML format. */
import { count, format, joined, summarised } from './format.ts';

const FAILED =
  /^(?:\[ERROR\] )?(\S.*?)(?: -- Time elapsed: [\d.]+ s(?:ec)?| {2}Time elapsed: [\d.]+ s(?:ec)?)? +<<< (?:FAILURE|ERROR)!/;
const TOTALS =
  /^(?:\[(?:ERROR|WARNING|INFO)\] )?Tests run: \d+, Failures: (\d+), Errors: (\d+), Skipped: \d+$/;

export const surefire = format((list) => {
  return (text) => {
    const name = text.includes(' <<< ') ? FAILED.exec(text)?.[1] : undefined;
    if (name !== undefined && !name.startsWith('Tests run: ')) list.add(qualified(name));
    const plugin = /^\[ERROR\] Failed to execute goal (\S+) .* on project (\S+):/.exec(text);
    if (plugin !== null) list.add(joined(plugin[2] ?? '', goal(plugin[1] ?? '')));
    list.summary(TOTALS, text);
  };
});

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

export const gradle = summarised((list) => {
  let task = '';
  let named = 0;
  let unnamed = 0;
  return (text) => {
    const [, started, failed] = /^> Task (:\S+)( FAILED)?/.exec(text) ?? [];
    if (started !== undefined) {
      list.seen = true;
      if (started !== task) named = 0;
      task = started;
    }
    if (failed !== undefined) list.add(`task ${task}`);
    if (list.seen && text.endsWith(' FAILED') && text.includes(' > ') && /^[^\s>]/.test(text)) {
      named += 1;
      list.add(joined(task, text.slice(0, -' FAILED'.length)));
    }
    const total = /^\d+ tests? completed, (\d+) failed/.exec(text)?.[1];
    if (total !== undefined) {
      unnamed += Math.max(0, count(total) - named);
      named = 0;
    }
    list.counted = list.total() + unnamed;
  };
});

const TAG = /<(testcase|failure|error|\/testcase)\b((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>/g;

/** Tags are found one by one, on any lines. */
export const junitXml = summarised((list) => {
  let test: string | undefined;

  const onTag = (tag: string | undefined, attributes: string): void => {
    if (tag === 'testcase') {
      list.seen = true;
      test = attributes.endsWith('/') ? undefined : nameOf(attributes);
      return;
    }
    if (tag !== '/testcase' && test !== undefined) list.add(test);
    // A test may have several failures.
    test = undefined;
  };

  return (text) => {
    if (!text.includes('<')) return;
    for (const [, tag, attributes = ''] of text.matchAll(TAG)) onTag(tag, attributes);
  };
});

function nameOf(attributes: string): string {
  const owner = attribute(attributes, 'classname') || attribute(attributes, 'file');
  return joined(owner, attribute(attributes, 'name'));
}

function attribute(attributes: string, name: string): string {
  const [, double, single] =
    new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes) ?? [];
  return unescaped(double ?? single ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text
    .replaceAll(/&(lt|gt|quot|apos);/g, (all, name: string) => ENTITIES[name] ?? all)
    .replaceAll('&amp;', '&');
}
