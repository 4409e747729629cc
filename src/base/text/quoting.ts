/**
 * Quotes text of people and agents in Markdown that a model reads, so that it cannot pass for a heading,
 * a code block, a line of lanehold's, or a part of the prompt.
 */
import { printable, printableLine } from './printable.ts';

export interface CodeBlock {
  /** A word or two for what the text is. */
  readonly label: string;
  readonly text: string;
  readonly maxChars: number;
  /** The end that is kept: the end of a log shows what went wrong. */
  readonly keep?: 'start' | 'end';
  /** The command or file with which the rest can be read. */
  readonly more?: string;
}

/** The fence is longer than every run of backticks in the text, so that the text cannot close it. */
export function codeBlock({ label, text, maxChars, keep = 'start', more }: CodeBlock): string {
  const clean = printable(text.replaceAll('\r\n', '\n')).replace(/\n+$/, '');
  const shown =
    keep === 'start'
      ? cut(clean, maxChars)
      : clean.slice(-maxChars).replace(/^[\uDC00-\uDFFF]/, '');
  const fence = '`'.repeat(Math.max(3, longestRun(shown) + 1));
  const block = `${fence}text ${label}\n${shown}\n${fence}`;
  if (shown.length === clean.length) return block;
  const what = keep === 'start' ? 'The end' : 'The beginning';
  const where = more === undefined ? '' : ` Read all of it with ${more}.`;
  return `${block}\n(${what} is left out: ${clean.length - shown.length} of ${clean.length} characters.${where})`;
}

const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/** Marks every line as quoted, and adds the number of characters that were cut off. */
export function quotedLines(text: string, maxChars = Number.POSITIVE_INFINITY): string {
  const kept = cut(text, maxChars);
  const lines = kept.split(LINE_ENDS).map((line) => `> ${printable(line)}`.trimEnd());
  if (kept.length < text.length) lines.push(`> … (${text.length - kept.length} more characters)`);
  return lines.join('\n');
}

/** A text as inline code, on one line and shortened. */
export function code(text: string, maxChars = 120): string {
  return inBackticks(printableLine(text, maxChars));
}

/** A text as complete inline code, for values that are used as they are: a path, a branch, a command. */
export function wholeCode(text: string): string {
  return inBackticks(printable(text).replaceAll('\n', '\\n'));
}

function inBackticks(line: string): string {
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line === '' ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}

/** The first characters of a text; never cuts within a surrogate pair. */
export function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return text.slice(0, Math.max(0, maxChars)).replace(/[\uD800-\uDBFF]$/, '');
}

/** The first characters with a mark that the text was cut. */
export const shortened = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${cut(text, maxChars - 1)}…`;
