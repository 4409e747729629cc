/**
 * Text for people: counts and lists, and text of unknown origin (a name, a path, a line of output)
 * made safe to print, since it may contain control sequences that a terminal would execute.
 */

/**
 * Characters that move the cursor, change colours or the direction of writing, and invisible ones.
 * Joiners have a meaning after emoji and in some scripts. Hooks load it, and few of them print such a text.
 */
const unshown = () =>
  /(?<=[\0-\u024f]|^)[\u200c\u200d]|(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Colours, which test tools print even to a file, and which a model would read as noise. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const COLOURS = /\x1b\[[\d;]*m/g;

/** Text of several lines: commands to the terminal become escapes (`\x1b[2J`), new lines and tabs stay. */
export function printable(text: string): string {
  return plain(text, (it) => (it === '\n' || it === '\t' ? it : escaped(it)));
}

/** Data as JSON: what a terminal would obey, or a reader would not see, is written as an escape. */
export const printableJson = (data: unknown, indent?: number): string =>
  JSON.stringify(data, null, indent).replaceAll(unshown(), (it) =>
    it === '\n' ? it : it.replaceAll(/[\d\D]/g, unitEscape),
  );

const unitEscape = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

const plain = (text: string, shown: (character: string) => string): string =>
  text.replaceAll(COLOURS, '').replaceAll(unshown(), shown);

/** Text for use within a line: without line breaks, and cut to a length. */
export function printableLine(text: string, maxChars = 120): string {
  const clean = plain(text, escaped);
  if (clean.length <= maxChars) return clean;
  const half = Math.floor((maxChars - 1) / 2);
  const [start, end] = [clean.slice(0, half), clean.slice(clean.length - half)];
  // A surrogate pair is not cut in half.
  return `${start.replace(/[\ud800-\udbff]$/, '')}…${end.replace(/^[\udc00-\udfff]/, '')}`;
}

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  if (hex.length <= 2) return NAMED[character] ?? `\\x${hex.padStart(2, '0')}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}

/** `1 file`, `3 files`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `a, b, c and 4 more`, on one line whatever the items are. */
export function enumerated(items: readonly string[], most: number): string {
  const shown = items.slice(0, most).map((item) => printableLine(item));
  const more = items.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}

/** `950`, `340K`, `1.2M`. */
export function compactCount(count: number): string {
  return count.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 });
}

/** A branch, a tag or a commit as people name it. */
export function shortRef(ref: string): string {
  const name = ref.replace(/^refs\/(?:heads|tags)\//, '');
  return printableLine(/^[0-9a-f]{40,64}$/.test(name) ? name.slice(0, 12) : name, 80);
}

type Line = string | false | null | undefined;

/** One text with a line for each text and each text of a list; what is no text is left out. */
export const inLines = (parts: readonly (Line | readonly Line[])[]): string =>
  parts
    .flat()
    .filter((it) => typeof it === 'string')
    .join('\n');
