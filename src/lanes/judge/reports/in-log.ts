/** Failed tests in a log that is data itself: TAP, and the events of `go test -json`. */
import { open } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod/mini';
import { attempt } from '../../../base/errors.ts';
import { comparableNames, joined } from './names.ts';

interface LogReader {
  line(text: string): void;
  /** `undefined` if the log has no complete report of this kind. */
  failures(): readonly string[] | undefined;
}

/**
 * Names of the tests that failed, comparable with those of another run; none if the log is no report.
 *
 * @param roots folders that the command ran in; paths below them are made relative.
 */
export async function failuresInLog(file: string, roots: readonly string[]): Promise<string[]> {
  const readers = [tap(), goEvents()];
  const log = await open(file);
  for await (const line of log.readLines()) {
    const text = stripVTControlCharacters(line.slice(0, MAX_LINE_CHARS)).trimEnd();
    for (const reader of readers) reader.line(text);
  }
  const names = readers.flatMap((reader) => reader.failures() ?? []);
  // Some of so many would excuse the others.
  return names.length > MAX_NAMES ? [] : comparableNames(names, roots);
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
 * Subtests are indented before the line of their parent, whose result adds its name to those that failed,
 * or drops them. A report that ends before its plan is fulfilled is none.
 *
 * @see https://testanything.org/tap-version-14-specification.html
 */
function tap(): LogReader {
  const failures: { depth: number; file: string; path: string[] }[] = [];
  let planned = 0;
  let reported = 0;
  /** The last failure is of the test that was reported last: its location may follow. */
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
    failures() {
      if (planned === 0 || planned !== reported) return undefined;
      return failures.map(({ file, path }) => {
        const name = joined(...path);
        return file.endsWith(name) ? name : joined(file, name);
      });
    },
  };
}

const GoEvent = z.object({
  Action: z.literal('fail'),
  Package: z.string(),
  Test: z._default(z.string(), ''),
});

/** A test fails after its subtests, and a package after its tests. */
function goEvents(): LogReader {
  const failures: string[] = [];
  const parents = new Set<string>();
  return {
    line(text) {
      if (!text.includes('"Action":"fail"')) return;
      const event = GoEvent.safeParse(attempt(() => JSON.parse(text)));
      if (!event.success) return;
      const { Package: pack, Test: test } = event.data;
      const name = joined(pack, test);
      if (!parents.has(name)) failures.push(name);
      const levels = test.split('/');
      if (test !== '') parents.add(pack);
      for (const at of levels.keys()) parents.add(joined(pack, levels.slice(0, at).join('/')));
    },
    failures: () => failures,
  };
}
