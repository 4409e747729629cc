/** Failed tests in a log that is data itself: TAP, and the events of `go test -json`. */
import { createReadStream } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod/mini';
import { comparableNames, joined } from './names.ts';

/** Reads every line of a log in turn. */
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
  const lines = lineSplitter((text) => {
    for (const reader of readers) reader.line(text);
  });
  for await (const piece of createReadStream(file, { encoding: 'utf8' })) lines.push(piece);
  lines.end();
  const names = readers.flatMap((reader) => reader.failures() ?? []);
  // Some of so many would excuse the others.
  return names.length > MAX_NAMES ? [] : comparableNames(names, roots);
}

const MAX_NAMES = 5_000;

const RESULT = /^( *)(not )?ok (\d+)(?: -)?(?: (.*))?$/;
const PLAN = /^1\.\.(\d+)/;
const DIRECTIVE = / # (?:todo|skip)\b/i;
const COMMENT = /(?:^| )# (?:todo\b|skip\b|time=).*$/i;
const LOCATION = /^ +location: '(.+?)(?::\d+:\d+)?'$/;

/**
 * Subtests are indented before their parent's line, or in braces after it. A report that ends before
 * its plan is fulfilled is none.
 *
 * @see https://testanything.org/tap-version-14-specification.html
 */
function tap(): LogReader {
  const failures = failureTree();
  /** Parents of subtests in braces, whose line comes first. */
  const open: Result[] = [];
  let planned = 0;
  let reported = 0;
  return {
    line(text) {
      planned += Number(PLAN.exec(text)?.[1] ?? 0);
      const match = RESULT.exec(text);
      if (match !== null) {
        const result = resultOf(match);
        if (result.depth === 0) reported += 1;
        if (text.endsWith('{')) open.push(result);
        else failures.settle(result);
        return;
      }
      const file = LOCATION.exec(text)?.[1];
      if (file !== undefined) failures.locate(file);
      else if (/^ *\}$/.test(text)) {
        const parent = open.pop();
        if (parent !== undefined) failures.settle(parent);
      } else if (text.startsWith('Bail out!')) {
        failures.settle({ depth: 0, name: text, failed: true, excused: false });
      }
    },
    failures() {
      if (planned === 0 || planned !== reported) return undefined;
      return failures.all().map(({ file, path }) => {
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

interface Failure {
  readonly depth: number;
  readonly file: string;
  /** Levels of its name, outermost first. */
  readonly path: readonly string[];
}

interface Result {
  /** Larger for subtests; in any unit. */
  readonly depth: number;
  readonly name: string;
  readonly failed: boolean;
  /** Marked `# TODO` or `# SKIP`: the test and its subtests do not count as failed. */
  readonly excused: boolean;
}

/**
 * Collects failures of tests with subtests, whose own result comes after those of their subtests. The result of a parent adds its name to those of its subtests, or drops them.
 */
function failureTree() {
  /** Ordered by depth, so that the subtests of a parent are at the end. */
  const failures: Failure[] = [];
  let fresh = false;

  const takeBelow = (depth: number): Failure[] => {
    let from = failures.length;
    while ((failures[from - 1]?.depth ?? 0) > depth) from -= 1;
    return failures.splice(from);
  };

  return {
    all: (): readonly Failure[] => failures,
    settle({ depth, name, failed, excused }: Result): void {
      const below = takeBelow(depth);
      fresh = failed && !excused && below.length === 0;
      if (excused) return;
      for (const it of below) failures.push({ ...it, depth, path: [name, ...it.path] });
      if (fresh) failures.push({ depth, file: '', path: [name] });
    },
    /** Sets the file of the failure that was settled last, if it was one. */
    locate(file: string): void {
      const last = fresh ? failures.pop() : undefined;
      if (last !== undefined) failures.push({ ...last, file });
      fresh = false;
    },
  };
}

const GoEvent = z.object({
  Action: z.string(),
  Package: z.string(),
  Test: z.optional(z.string()),
});

/** A test fails after its subtests, and a package after its tests. */
function goEvents(): LogReader {
  const failures: string[] = [];
  const parents = new Set<string>();
  return {
    line(text) {
      if (!text.includes('"Action":"fail"')) return;
      const { Package: pack, Test: test = '' } = goEvent(text) ?? {};
      if (pack === undefined) return;
      const name = joined(pack, test);
      if (!parents.has(name)) failures.push(name);
      const levels = test.split('/');
      if (test !== '') parents.add(pack);
      for (const at of levels.keys()) parents.add(joined(pack, levels.slice(0, at).join('/')));
    },
    failures: () => failures,
  };
}

/** `undefined` for other output that begins with a brace, and a truncated line. */
function goEvent(text: string): z.infer<typeof GoEvent> | undefined {
  try {
    return GoEvent.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The rest of a longer line is ignored. */
const MAX_LINE_CHARS = 16_384;

/** Holds one line in memory. */
function lineSplitter(onLine: (text: string) => void) {
  let rest = '';
  const keep = (text: string): void => {
    if (rest.length < MAX_LINE_CHARS) rest += text.slice(0, MAX_LINE_CHARS - rest.length);
  };
  const emit = (): void => {
    onLine(shown(rest));
    rest = '';
  };
  return {
    push(piece: string): void {
      let start = 0;
      for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', start)) {
        keep(piece.slice(start, end));
        emit();
        start = end + 1;
      }
      keep(piece.slice(start));
    },
    end(): void {
      if (rest !== '') emit();
    },
  };
}

/** A line as shown on a screen: without colours and overwritten text. */
function shown(line: string): string {
  const visible = stripVTControlCharacters(line).trimEnd();
  return visible.slice(visible.lastIndexOf('\r') + 1);
}
