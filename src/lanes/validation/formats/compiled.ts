/** Cargo, CTest and Go. */
import {
  type FormatReader,
  format,
  joined,
  type NameList,
  nameList,
  summarised,
} from './format.ts';

/** `cargo test` and `cargo nextest`. */
export const cargo = format((list) => {
  const again = new Set<string>();
  let target = '';
  let inList = false;
  let listed: string[] = [];

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
  const onResult = (): void => {
    for (const name of listed) list.add(joined(target, name.replace(/ \(line \d+\)$/, '')));
    listed = [];
  };

  return (text) => {
    const running = /^ +(?:Running (?:unittests )?(\S+) \(|Doc-tests (\S+)$)/.exec(text);
    if (running !== null) target = running[1] ?? `doc-tests ${running[2]}`;
    onList(text);
    if (list.summary(/^test result: \w+\. \d+ passed; (\d+) failed;/, text)) onResult();
    list.failure(/^error: (could not compile .+?) due to /, text);
    const next = /^ +(?:FAIL|TIMEOUT|SIG[A-Z]+) \[ *[\d.]+s\] (?:\( *\d+\/\d+\) )?(.+)$/.exec(
      text,
    )?.[1];
    // nextest prints each failure when it happens, and all again at the end.
    if (next !== undefined && !again.has(next)) {
      again.add(next);
      list.add(next);
    }
  };
});

export const ctest = summarised((list) => {
  let inList = false;
  return (text) => {
    list.summary(/^\d+% tests passed, (\d+) tests? failed out of \d+$/, text);
    const isListed = inList && list.failure(/^\t *\d+ - (.+) \([^()]+\)(?: +\S.*)?$/, text);
    inList = isListed || text === 'The following tests FAILED:';
  };
});

/** `go test`, as text and with `-json`, and `gotestsum`. */
export function goTest(): FormatReader {
  const list = nameList();
  const text = goText(list);
  const json = goJson(list);
  let seen = false;
  return {
    line(line) {
      if (line.startsWith('{')) json(line);
      else text.line(line);
      list.failure(/^=== FAIL: (\S+) (\S+) \(/, line);
      seen ||= /^(?:ok {2}\t|FAIL\t|--- (?:PASS|FAIL|SKIP): )/.test(line);
    },
    findings() {
      text.flush();
      return seen || list.total() > 0 ? list.findings() : undefined;
    },
  };
}

/** A test is listed before its subtests, each with `--- FAIL`, and the package after them. */
function goText(list: NameList) {
  let failed: string[] = [];
  const flush = (pack = ''): void => {
    const parents = new Set(failed.flatMap(parentsOf));
    for (const name of failed) if (!parents.has(name)) list.add(joined(pack, name));
    failed = [];
  };
  return {
    flush,
    line(text: string): void {
      const name = /^ *--- FAIL: (\S+) \([\d.]+s\)$/.exec(text)?.[1];
      if (name !== undefined) failed.push(name);
      const pack = /^FAIL\t(\S+)(?:\t[\d.]+s| \[(?:build|setup) failed\])?$/.exec(text)?.[1];
      // No failed test has a name: it did not build, it panicked, or `TestMain` gave up.
      if (pack !== undefined && failed.length === 0) list.add(pack);
      else if (pack !== undefined) flush(pack);
    },
  };
}

/** One event a line: a test fails after its subtests, and a package after its tests. */
function goJson(list: NameList): (text: string) => void {
  const parents = new Set<string>();
  return (text) => {
    if (!text.includes('"Action":"fail"')) return;
    const { pack, test } = eventOf(text);
    if (pack === '') return;
    if (!parents.has(joined(pack, test))) list.add(joined(pack, test));
    if (test === '') return;
    for (const parent of ['', ...parentsOf(test)]) parents.add(joined(pack, parent));
  };
}

/** `TestA` and `TestA/b` for `TestA/b/c`. */
function parentsOf(test: string): string[] {
  const levels = test.split('/');
  return levels.slice(1).map((_, at) => levels.slice(0, at + 1).join('/'));
}

function eventOf(text: string): { readonly pack: string; readonly test: string } {
  try {
    const event: Readonly<Record<string, unknown>> = JSON.parse(text);
    const field = (name: string) => (typeof event[name] === 'string' ? event[name] : '');
    return { pack: field('Package'), test: field('Test') };
  } catch (error) {
    // Other output that begins with a brace, or a truncated line.
    if (error instanceof SyntaxError) return { pack: '', test: '' };
    throw error;
  }
}
