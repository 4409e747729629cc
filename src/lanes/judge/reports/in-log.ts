/** Tests in a log that is as reliable as data: TAP, `go test`, and the lines of `cargo test`. */
import { open } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod/mini';
import { attempt } from '../../../base/errors.ts';
import { comparableNames, joined } from './names.ts';
import { oneLine, type TestResult } from './read.ts';

interface LogReader {
  line(text: string): void;
  /** `undefined` if the log has no complete report of this kind. */
  results(): readonly TestResult[] | undefined;
}

/**
 * `failures` has the names of failed tests, comparable with those of another run; empty if the log is no report.
 * `results` has the named tests; `undefined` if there is no report that names them.
 *
 * @param roots folders in which the command ran; paths below them are made relative.
 * @param namesGo `go test` was asked for the names: a package without any has executed no test.
 */
export async function testsInLog(file: string, roots: readonly string[], namesGo = false) {
  const known = [goTests(namesGo), cargoTests()];
  const readers = [tap(), ...known];
  const log = await open(file);
  for await (const line of log.readLines()) {
    const text = stripVTControlCharacters(line.slice(0, MAX_LINE_CHARS)).trimEnd();
    for (const reader of readers) reader.line(text);
  }
  const all = readers.flatMap((reader) => reader.results() ?? []);
  const named = known.flatMap((reader) => reader.results() ?? []);
  const isNamed = known.some((reader) => reader.results());
  const names = all.flatMap(({ status, name }) =>
    status === 'failed' || status === 'not-loaded' ? name : [],
  );
  return {
    // With too many names, a part of them would excuse the others.
    failures: names.length > MAX_NAMES ? [] : comparableNames(names, roots),
    results: isNamed ? named : undefined,
  };
}

const MAX_NAMES = 5_000;
/** The rest of a longer line is ignored. */
const MAX_LINE_CHARS = 16_384;

const RESULT = /^( *)(not )?ok (\d+)(?: -)?(?: (.*))?$/;
const PLAN = /^1\.\.(\d+)/;
const DIRECTIVE = / # (?:todo|skip)\b/i;
const COMMENT = /(?:^| )# (?:todo\b|skip\b|time=).*$/i;
const LOCATION = /^ +location: '(.+?)(?::\d+:\d+)?'$/;

/**
 * Subtests are indented before the line of their parent, whose result either adds its name to the failed ones, or drops
 * them. A report that ends before its plan is fulfilled is none.
 *
 * @see https://testanything.org/tap-version-14-specification.html
 */
function tap(): LogReader {
  const failures: { depth: number; file: string; path: string[] }[] = [];
  let planned = 0;
  let reported = 0;
  /** The last failure is that of the last reported test: its location may follow. */
  let isFresh = false;

  const readResult = ([, indent = '', not, number, rest = '']: RegExpExecArray): void => {
    const depth = indent.length;
    if (depth === 0) reported += 1;
    const below = failures.splice(failures.findLastIndex((it) => it.depth <= depth) + 1);
    const isExcused = DIRECTIVE.test(` ${rest}`);
    isFresh = not !== undefined && !isExcused && below.length === 0;
    if (isExcused) return;
    const description = rest.replace(COMMENT, '').replaceAll('\\#', '#').trim();
    const name = description || `test ${number}`;
    const failing = isFresh ? [{ file: '', path: [] }] : below;
    for (const { file, path } of failing) failures.push({ depth, file, path: [name, ...path] });
  };
  return {
    line(text) {
      planned += Number(PLAN.exec(text)?.[1] ?? 0);
      const result = RESULT.exec(text);
      if (result !== null) return readResult(result);
      const file = LOCATION.exec(text)?.[1];
      const last = failures.at(-1);
      if (file === undefined || !isFresh || last === undefined) return;
      last.file = file;
      isFresh = false;
    },
    results() {
      if (planned === 0 || planned !== reported) return undefined;
      return failures.map(({ file, path }) => {
        const name = joined(...path);
        return { status: 'failed', name: file.endsWith(name) ? name : joined(file, name) };
      });
    },
  };
}

const OUTCOMES = { pass: 'passed', ok: 'passed', skip: 'skipped', ignored: 'skipped' } as const;
const statusOf = (word: string): TestResult['status'] =>
  OUTCOMES[word.toLowerCase() as keyof typeof OUTCOMES] ?? 'failed';

const GoEvent = z.object({
  Action: z.enum(['pass', 'fail', 'skip']),
  Package: z.string(),
  Test: z._default(z.string(), ''),
});
/** `=== RUN   TestAdds/twice`, `    --- FAIL: TestAdds/twice (0.00s)`, `    cart_test.go:9: no`, `ok  \tshop\t0.1s` */
const GO = {
  begins: /^=== (?:RUN|CONT|NAME) +(\S+)$/,
  ends: /^ *--- (PASS|FAIL|SKIP): (\S+) \(/,
  says: /^ +\S+\.go:\d+: (.+)$/,
  package: /^(ok {2}|FAIL)\t(\S+)(?:\t| \[)/,
};

/** Tests in events of `go test -json`, or in the output of `go test -v` before the line of their package. */
function goTests(namesAll: boolean): LogReader {
  const found: { status: TestResult['status']; pack: string; test: string; why?: string }[] = [];
  let open: { status: TestResult['status']; test: string }[] = [];
  const says = new Map<string, string>();
  let current = '';
  let hasPackage = false;

  /** A package that fails without a failed test could not be built, or its process has ended. */
  const endPackage = (pack: string, hasFailed: boolean): void => {
    hasPackage = true;
    const isKnown = found.some((it) => it.pack === pack && it.status === 'failed');
    if (hasFailed && !isKnown) found.push({ status: 'not-loaded', pack, test: '' });
  };
  const readEvent = (text: string): void => {
    const event = GoEvent.safeParse(attempt(() => JSON.parse(text)));
    if (!event.success) return;
    const { Action: action, Package: pack, Test: test } = event.data;
    if (test === '') endPackage(pack, action === 'fail');
    else found.push({ status: statusOf(action), pack, test });
  };
  return {
    line(text) {
      if (text.startsWith('{"')) return readEvent(text);
      current = GO.begins.exec(text)?.[1] ?? current;
      const [, word = '', test] = GO.ends.exec(text) ?? [];
      const [, result, pack] = GO.package.exec(text) ?? [];
      const said = GO.says.exec(text)?.[1];
      if (test !== undefined) {
        open.push({ status: statusOf(word), test });
        // Without `-v`, a test's output follows its result.
        current = test;
      } else if (pack !== undefined) {
        found.push(...open.map((it) => ({ ...it, pack, why: says.get(it.test) ?? '' })));
        open = [];
        says.clear();
        endPackage(pack, result === 'FAIL');
      } else if (said !== undefined) {
        says.set(current, `${says.get(current) ?? ''} ${said}`);
      }
    },
    results() {
      if (found.length === 0 && !(namesAll && hasPackage)) return undefined;
      const parents = new Set(
        found.flatMap(({ pack, test }) => {
          const levels = test.split('/');
          return levels.slice(1).map((_, at) => joined(pack, levels.slice(0, at + 1).join('/')));
        }),
      );
      return found.flatMap(({ status, pack, test, why = '' }) => {
        const name = joined(pack, test);
        const isFailed = status === 'failed' && why !== '';
        return parents.has(name) ? [] : { status, name, ...(isFailed && { why: oneLine(why) }) };
      });
    },
  };
}

const CARGO = {
  target: /^ +(?:Running (?:unittests )?(\S+) \(|Doc-tests (\S+)$)/,
  test: /^test (.+?)(?: \(line \d+\))?(?: - (?:should panic|compile(?: fail)?))? \.\.\. (ok|FAILED|ignored)\b/,
  section: /^---- (.+?)(?: \(line \d+\))? stdout ----$/,
  total: /^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored;/,
};

/** Tests of `cargo test`; a target that prints too much between their names has no report. */
function cargoTests(): LogReader {
  const found: (TestResult & { test: string; says: string[] })[] = [];
  let target = '';
  let since = 0;
  let isWhole = true;
  let says: string[] | undefined;
  let isSaying = false;

  const readTotal = (numbers: readonly string[]): void => {
    const ran = numbers.reduce((sum, it) => sum + Number(it), 0);
    isWhole &&= ran === found.length - since;
    since = found.length;
    isSaying = false;
  };
  const readFailure = (text: string): void => {
    const section = CARGO.section.exec(text)?.[1];
    if (section !== undefined) {
      says = found.slice(since).find((it) => it.test === section)?.says;
      isSaying = false;
    } else if (/^thread .* panicked at /.test(text)) {
      isSaying = true;
    } else if (isSaying) {
      isSaying = !/^(?:note: .*|stack backtrace:|)$/.test(text);
      if (isSaying) says?.push(text);
    }
  };
  return {
    line(text) {
      const [, program, doc] = CARGO.target.exec(text) ?? [];
      const [, test, word = ''] = CARGO.test.exec(text) ?? [];
      const [, ...numbers] = CARGO.total.exec(text) ?? [];
      if (program ?? doc) {
        target = program ?? doc ?? '';
      } else if (test !== undefined) {
        const name = joined(target, ...test.split('::'));
        found.push({ status: statusOf(word), name, test, says: [] });
      } else if (numbers.length > 0) {
        readTotal(numbers);
      } else {
        readFailure(text);
      }
    },
    results() {
      if (!isWhole || since !== found.length || found.length === 0) return undefined;
      return found.map(({ status, name, says }) => {
        const why = oneLine(says.join(' '));
        return { status, name, ...(why && { why }) };
      });
    },
  };
}
