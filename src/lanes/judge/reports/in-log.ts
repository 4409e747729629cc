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

interface Result {
  /** Larger for subtests. */
  readonly depth: number;
  readonly name: string;
  readonly failed: boolean;
  /** Marked `# TODO` or `# SKIP`: the test and its subtests do not count as failed. */
  readonly excused: boolean;
}

/**
 * Subtests are indented before their parent's line, or in braces after it. A report that ends before
 * its plan is fulfilled is none.
 *
 * @see https://testanything.org/tap-version-14-specification.html
 */
function tap(): LogReader {
  /** Failed tests with the levels of their names. Subtests are last until the result of their parent comes. */
  const failures: { depth: number; file: string; path: string[] }[] = [];
  /** Parents of subtests in braces, whose line comes first. */
  const open: Result[] = [];
  let planned = 0;
  let reported = 0;
  /** The last failure is of the test that was reported last: its location may follow. */
  let isFresh = false;

  /** The result of a parent adds its name to its failed subtests, or drops them. */
  const settle = ({ depth, name, failed, excused }: Result): void => {
    const below = failures.splice(failures.findLastIndex((it) => it.depth <= depth) + 1);
    isFresh = failed && !excused && below.length === 0;
    if (excused) return;
    const failing = isFresh ? [{ file: '', path: [] }] : below;
    for (const { file, path } of failing) failures.push({ depth, file, path: [name, ...path] });
  };
  const readOther = (text: string): void => {
    const file = LOCATION.exec(text)?.[1];
    const last = failures.at(-1);
    if (file !== undefined) {
      if (isFresh && last !== undefined) last.file = file;
      isFresh = false;
    } else if (/^ *\}$/.test(text)) {
      const parent = open.pop();
      if (parent !== undefined) settle(parent);
    } else if (text.startsWith('Bail out!')) {
      settle({ depth: 0, name: text, failed: true, excused: false });
    }
  };
  return {
    line(text) {
      planned += Number(PLAN.exec(text)?.[1] ?? 0);
      const match = RESULT.exec(text);
      if (match === null) return readOther(text);
      const result = resultOf(match);
      if (result.depth === 0) reported += 1;
      if (text.endsWith('{')) open.push(result);
      else settle(result);
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

function resultOf([, indent = '', not, number = '', rest = '']: RegExpExecArray): Result {
  const description = rest.replace(/ \{$/, '').replace(COMMENT, '').replaceAll('\\#', '#');
  return {
    depth: indent.length,
    name: description.trim() || `test ${number}`,
    failed: not !== undefined,
    excused: DIRECTIVE.test(` ${rest}`),
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
