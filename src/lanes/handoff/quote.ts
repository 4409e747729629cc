/**
 * Quotes text of people and agents in a document that a model reads, so that it cannot pass for a
 * heading, a table, a code block or a line of lanehold's.
 */
import { printable, printableLine } from '../../text/printable.ts';

const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/** Every line is marked as quoted; the number of characters cut off is said. */
export function quoted(text: string, maxChars = Number.POSITIVE_INFINITY): string {
  const kept = text.length > maxChars ? cut(text, maxChars) : text;
  const lines = kept.split(LINE_ENDS).map((line) => `> ${printable(line)}`.trimEnd());
  if (kept.length < text.length) lines.push(`> … (${text.length - kept.length} more characters)`);
  return lines.join('\n');
}

/** As inline code: on one line, in more backticks than the text contains. */
export function code(text: string, maxChars = 120): string {
  const line = printableLine(text, maxChars);
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line === '' ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Never within a surrogate pair. */
export function cut(text: string, maxChars: number): string {
  const end = Math.max(0, maxChars);
  const code = text.charCodeAt(end - 1);
  const splits = code >= 0xd800 && code <= 0xdbff && end < text.length;
  return text.slice(0, splits ? end - 1 : end);
}
