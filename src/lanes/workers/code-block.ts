/** Quotes text of other people in a prompt, so that it cannot pass for a part of the prompt. */
import { printable } from '../../text/printable.ts';

export interface CodeBlock {
  /** What the text is, in a word or two. */
  readonly label: string;
  readonly text: string;
  readonly maxChars: number;
  /** Which end to keep: the end of a log says what went wrong. */
  readonly keep?: 'start' | 'end';
  /** Where the rest can be read. */
  readonly more?: string;
}

/** The fence is longer than every run of backticks in the text, so that the text cannot close it. */
export function codeBlock({ label, text, maxChars, keep = 'start', more }: CodeBlock): string {
  const clean = printable(text.replaceAll('\r\n', '\n')).replace(/\n+$/, '');
  const shown = clipped(clean, maxChars, keep);
  const fence = '`'.repeat(Math.max(3, longestRun(shown) + 1));
  const block = `${fence}text ${label}\n${shown}\n${fence}`;
  if (shown.length === clean.length) return block;
  const what = keep === 'start' ? 'The end' : 'The beginning';
  const where = more === undefined ? '' : ` Read all of it with ${more}.`;
  return `${block}\n(${what} is left out: ${clean.length - shown.length} of ${clean.length} characters.${where})`;
}

/** Never within a surrogate pair. */
function clipped(text: string, maxChars: number, keep: 'start' | 'end'): string {
  if (text.length <= maxChars) return text;
  return keep === 'start'
    ? text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '')
    : text.slice(-maxChars).replace(/^[\uDC00-\uDFFF]/, '');
}

/** Inline code for a short value such as a path or a branch. */
export function quoted(text: string): string {
  const clean = printable(text).replaceAll('\n', '\\n');
  const ticks = '`'.repeat(longestRun(clean) + 1);
  const pad = clean.startsWith('`') || clean.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${clean}${pad}${ticks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}
