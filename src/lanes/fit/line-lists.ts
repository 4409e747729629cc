/** Lists in files without code: packages, ignore patterns, sections of prose, lines of a changelog. Pure. */

export interface Item {
  /** Identifies the element in another version of the file. */
  readonly id: string;
  readonly from: number;
  readonly to: number;
  /** The names, or values, that it adds; absent if its place may matter. */
  readonly names?: readonly string[] | undefined;
  /** The text that the values are compared with: conditions on different texts may both hold. */
  readonly subject?: string | undefined;
  /** The variable or class whose member it is: code that iterates over it depends on the order. */
  readonly owner?: string | undefined;
}

/** The places of a file, each with its elements. */
export type Lists = ReadonlyMap<string, readonly Item[]>;

const CHANGES = /(?:^|\/)(?:CHANGELOG|CHANGES|HISTORY|NEWS)(?:\.\w+)?$/i;
const PROSE = /\.mdx?$/;
/** The element of a line. A line that begins with a sign refers to other lines, or is no element. */
const LINES: readonly (readonly [path: RegExp, line: RegExp])[] = [
  [/(?:^|\/)requirements[\w-]*\.txt$/, /^[a-z][^\s=<>~;[!]+/i],
  [/(?:^|\/)(?:\.\w*ignore|AUTHORS|CONTRIBUTORS)$/, /^[^!#].*/],
  [CHANGES, /^[-*+] .*/],
];
/** A heading without a number: versions and numbered steps have an order. */
const SECTION = /^#+ \D+$/;

interface Line {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  /** The depth of a heading; 0 for any other line. */
  readonly depth: number;
}

/** A list for each heading, and one for the lines above the first. */
export function listsOfLines(path: string, source: string): Lists | undefined {
  const rule = LINES.find(([name]) => name.test(path))?.[1];
  if (rule === undefined && !PROSE.test(path)) return undefined;
  const found = new Map<string, Item[]>();
  let trail: Line[] = [];
  for (const line of linesOf(source, rule === undefined || CHANGES.test(path))) {
    const isHeading = line.depth > 0;
    if (isHeading) trail = trail.filter(({ depth }) => depth < line.depth);
    const place = trail.map(({ id }) => id).join('\n');
    const items = found.get(place) ?? [];
    found.set(place, items);
    const brought = (isHeading ? SECTION : rule)?.exec(line.id);
    const names = brought?.map((it) => it.toLowerCase().replace(/[-_.]+/g, '-'));
    if (isHeading || rule !== undefined) items.push({ ...line, names });
    if (isHeading) trail.push(line);
  }
  return found;
}

function linesOf(source: string, hasHeadings: boolean): Line[] {
  const lines: Line[] = [];
  let at = 0;
  let isCode = false;
  for (const id of source.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(id)) isCode = !isCode;
    const depth = hasHeadings && !isCode ? (/^#+(?= )/.exec(id)?.[0].length ?? 0) : 0;
    if (/\S/.test(id)) lines.push({ id, from: at, to: at + id.length, depth });
    at += id.length + 1;
  }
  return lines.map((line, at) => {
    const end = lines.findIndex((it, n) => n > at && it.depth > 0 && it.depth <= line.depth);
    const last = end === -1 ? lines.at(-1) : lines[end - 1];
    return line.depth > 0 && last ? { ...line, to: last.to } : line;
  });
}
