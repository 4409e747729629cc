/**
 * Text of people and agents inside of a document that a model reads: it has to look like what it
 * is, and cannot become a heading, a table, a code fence or a line of ours.
 */
import { printable, printableLine } from '../../text/printable.ts';

const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/** Every line is marked as quoted; what is cut away is counted. */
export function quoted(text: string, maxChars = Number.POSITIVE_INFINITY): string {
  const kept = text.length > maxChars ? cut(text, maxChars) : text;
  const lines = kept.split(LINE_ENDS).map((line) => `> ${printable(line)}`.trimEnd());
  if (kept.length < text.length) lines.push(`> … (${text.length - kept.length} more characters)`);
  return lines.join('\n');
}

/** Inside a line of ours: on one line, in more backticks than it has itself. */
export function code(text: string, maxChars = 120): string {
  const line = printableLine(text, maxChars);
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line === '' ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Never between the two halves of one character. */
export function cut(text: string, maxChars: number): string {
  const end = Math.max(0, maxChars);
  const code = text.charCodeAt(end - 1);
  const splits = code >= 0xd800 && code <= 0xdbff && end < text.length;
  return text.slice(0, splits ? end - 1 : end);
}
