/** Text of other people, set apart in a prompt so that it cannot pretend to be a part of it. */
import { printable } from '../../text/printable.ts';

export interface CodeBlock {
  /** What the text is, in a word or two of ours. */
  readonly label: string;
  readonly text: string;
  readonly maxChars: number;
  /** Which end counts: a log says at its end what went wrong. */
  readonly keep?: 'start' | 'end';
  /** Where the rest can be read. */
  readonly more?: string;
}

/** A fence is longer than every run of its own sign in the text, which so cannot close it. */
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

/** Never half of a character outside the basic plane. */
function clipped(text: string, maxChars: number, keep: 'start' | 'end'): string {
  if (text.length <= maxChars) return text;
  return keep === 'start'
    ? text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '')
    : text.slice(-maxChars).replace(/^[\uDC00-\uDFFF]/, '');
}

/** Our own words around a short value: a path, a branch. */
export function quoted(text: string): string {
  const clean = printable(text).replaceAll('\n', '\\n');
  const ticks = '`'.repeat(longestRun(clean) + 1);
  const pad = clean.startsWith('`') || clean.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${clean}${pad}${ticks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}
