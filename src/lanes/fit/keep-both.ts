/** The commonest conflict: both have added something at the same place of a list, of prose or of a file of tests. Pure. */

/** Files in which what is added stands beside what was there: in code it may have to come before or after it. */
export const isListOrProse = (path: string): boolean =>
  /(?:^|\/)(?:AUTHORS|CONTRIBUTORS|CHANGES|CHANGELOG|HISTORY|NEWS|README|\.\w+ignore|\.gitattributes|requirements[\w-]*\.txt)$/i.test(
    path,
  ) || /\.(?:md|mdx|rst|adoc|ya?ml|toml|ini|cfg|conf|properties|csv|tsv)$/i.test(path);

/** As no line of a file begins. */
export const MARKER_CHARS = 43;
const marker = (sign: string): string => sign.repeat(MARKER_CHARS);

/**
 * Each place of a conflict with the lines of both sides, ours first; what both begin or end with is there once.
 *
 * @param merged what `git merge-file --diff3` prints with markers of that length.
 * @returns `undefined` if something stood there before, or both say something of one thing.
 */
export function keptBoth(merged: string, isProse: boolean): string | undefined {
  const parts = merged.split(new RegExp(`^(?:<|\\||=|>){${MARKER_CHARS}}.*\n`, 'm'));
  const kept: string[] = [];
  for (const [at, part] of parts.entries()) {
    // What is common, ours, before, theirs, and again.
    if (at % 4 === 2 && part !== '') return undefined;
    if (at % 4 === 0) kept.push(part);
    if (at % 4 !== 3) continue;
    const both = bothOf(linesOf(parts[at - 2] ?? ''), linesOf(part), isProse);
    if (both === undefined) return undefined;
    kept.push(both.join(''));
  }
  return merged.includes(marker('<')) ? kept.join('') : undefined;
}

const linesOf = (text: string): string[] => text.match(/.*\n|.+$/g) ?? [];

function bothOf(ours: string[], theirs: string[], isProse: boolean): string[] | undefined {
  // Without an end of its own, a last line would run into the next.
  if (!ours.at(-1)?.endsWith('\n') || !theirs.at(-1)?.endsWith('\n')) return undefined;
  const shorter = Math.min(ours.length, theirs.length);
  let head = 0;
  while (isProse && head < shorter && ours[head] === theirs[head]) head += 1;
  let tail = 0;
  while (isProse && head + tail < shorter && ours.at(-1 - tail) === theirs.at(-1 - tail)) tail += 1;
  const [o, t] = [ours, theirs].map((it) => it.slice(head, it.length - tail)) as [
    string[],
    string[],
  ];
  if (isProse && (!subjectsOf(o).isDisjointFrom(subjectsOf(t)) || !stayWhereTheyAre(o, t)))
    return undefined;
  return [...ours.slice(0, head), ...o, ...t, ...ours.slice(ours.length - tail)];
}

/** Whether what comes second is no part of what the first one has opened: a section, or what is indented below it. */
function stayWhereTheyAre(first: readonly string[], second: readonly string[]): boolean {
  const written = [first, second].map((lines) => lines.filter((line) => line.trim() !== ''));
  const [one = [], other = []] = written;
  const depths = written.map((lines) => Math.min(...lines.map(indentOf)));
  if (depths[0] !== depths[1]) return false;
  const opens = (line: string | undefined) => line !== undefined && OPENING.test(line);
  return !one.some(opens) || (opens(other[0]) && indentOf(other[0] ?? '') === depths[1]);
}

/** A section of TOML or of settings, a heading, or a key whose value is below it. */
const OPENING = /^\s*(?:\[[^\]]+\]\s*$|#{1,6}\s|[\w"'./-]+:\s*$)/;
const indentOf = (line: string): number => line.search(/\S/);

/** What the outermost of these lines speak of: a key, a number, or a version. */
function subjectsOf(lines: readonly string[]): Set<string> {
  const written = lines.filter((line) => line.trim() !== '');
  const least = Math.min(...written.map(indentOf));
  const outer = written.filter((line) => indentOf(line) === least);
  return new Set(
    outer.flatMap((line) => SUBJECT.exec(line)?.slice(1).find(Boolean) ?? versionIn(line)),
  );
}

const SUBJECT =
  /^\s*(?:[-*+]\s+)?["']?(?:([\w.@/[\]-]+?)["']?\s*(?:[:=]|[<>~!]=|@)|(\d+[.)])\s|\|\s*([^|]+?)\s*\|)/;
/** Of two headings with a version each, the newer one comes first. */
const versionIn = (line: string): string[] =>
  /^\s*(?:#+\s|v?\d+\.\d+).*\d|^\s*#+\s*\[?unreleased/i.test(line) ? ['a version'] : [];
