/** Which tests failed, read from the log of any of the known test tools. */

import { createReadStream } from 'node:fs';
import { type FormatReader, joined } from './formats/format.ts';
import { FORMATS } from './formats/known.ts';

export interface LogFailures {
  /** Names comparable with those of another run of the same command. */
  readonly failures: readonly string[];
  /** Failures that the log counts without naming them. */
  readonly unnamed: number;
}

/**
 * Which tests failed; `undefined` if the log is of no known tool.
 *
 * @param roots folders that the command ran in; paths below them are made relative.
 */
export async function failuresInLog(
  file: string,
  roots: readonly string[],
): Promise<LogFailures | undefined> {
  const reader = logReader(roots);
  for await (const piece of createReadStream(file, { encoding: 'utf8' })) reader.push(piece);
  return reader.end();
}

/** Reads a log in pieces. Each line goes to all readers, and to those of the task in its prefix. */
export function logReader(roots: readonly string[] = []) {
  const whole = newReaders();
  const tasks = new Map<string, FormatReader[]>();
  const lines = lineSplitter((text) => {
    for (const reader of whole) reader.line(text);
    const [prefix, task] = TASK.exec(text) ?? [];
    if (prefix === undefined || task === undefined) return;
    if (!tasks.has(task) && tasks.size < MAX_TASKS) tasks.set(task, newReaders());
    for (const reader of tasks.get(task) ?? []) reader.line(text.slice(prefix.length));
  });
  return {
    push: lines.push,
    end(): LogFailures | undefined {
      lines.end();
      const found = whole.flatMap((reader) => reader.findings() ?? []);
      for (const [task, readers] of tasks) {
        for (const { failures, counted } of readers.flatMap((it) => it.findings() ?? [])) {
          found.push({ failures: failures.map((name) => joined(task, name)), counted });
        }
      }
      if (found.length === 0) return undefined;
      const names = found.flatMap(({ failures }) => failures);
      const unnamed = found.map(({ failures, counted }) => Math.max(0, counted - failures.length));
      return {
        failures: comparableNames(names, roots),
        unnamed: unnamed.reduce((total, count) => total + count, 0),
      };
    },
  };
}

/**
 * The task prefix that runners of many packages put before each line of output: `web:test: …` (turbo),
 * `packages/web test: …` (pnpm), `@shop/web: …` (lerna), `[@shop/web]: …`.
 */
const TASK =
  /^((?:@[\w.-]+\/)?[A-Za-z][\w.-]*[:#][A-Za-z][\w:.-]*|[A-Za-z@][\w.-]*(?:\/[\w.-]+)+ [A-Za-z][\w:.-]*|@[\w.-]+\/[\w.-]+|\[@?[\w./-]+\]): /;
const MAX_TASKS = 64;

const newReaders = (): FormatReader[] => FORMATS.map((format) => format());

/**
 * Makes names of failed tests comparable: the baseline ran in another folder, at another time, on
 * files with other line numbers. Removes what differs between two runs of one test, and nothing else,
 * so that two tests never get the same name.
 */
const DURATION = /\s*[([]\s*\d+(?:\.\d+)?\s*(?:ms|s|sec|seconds|m|min)\s*[)\]]$/;
/** `cart.test.ts:12:5`, `cart_test.py:12`, but not `10:30`. */
const LINE = /(\.[A-Za-z]\w{0,9}):\d+(?::\d+)?(?!\d)/g;
const ADDRESS = /\b0x[0-9a-f]{6,16}\b/gi;
const TEMPORARY = /(?:\/private)?\/(?:tmp|var\/folders\/\w+\/\w+\/T)\/[\w.-]+/g;

/** @param roots folders that the tests ran in; paths below them become relative. */
export function comparableNames(names: readonly string[], roots: readonly string[]): string[] {
  const longestFirst = roots.filter((it) => it.length > 1).toSorted((a, b) => b.length - a.length);
  const seen = new Map<string, number>();
  return names.map((name) => {
    const comparable = withoutVolatileParts(name, longestFirst);
    const times = (seen.get(comparable) ?? 0) + 1;
    seen.set(comparable, times);
    // Two tests may have one name: one more of them than before is one more failure.
    return times === 1 ? comparable : `${comparable} (${times})`;
  });
}

function withoutVolatileParts(name: string, roots: readonly string[]): string {
  let result = name.replaceAll('file://', '');
  for (const root of roots) result = result.replaceAll(`${root}/`, '').replaceAll(root, '.');
  return result
    .replaceAll(TEMPORARY, '/tmp')
    .replaceAll(LINE, '$1')
    .replaceAll(ADDRESS, '0x…')
    .replace(DURATION, '')
    .trim();
}

/** The rest of a longer line is ignored. */
const MAX_LINE_CHARS = 16_384;

/** Cursor and colour commands, titles and links of a terminal. */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;

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
  const plain = line.includes('\u001b') ? line.replaceAll(ESCAPES, '') : line;
  const visible = plain.trimEnd();
  return visible.slice(visible.lastIndexOf('\r') + 1);
}
