/** Brace expansion on the text of a word, before anything else is expanded: `pu{sh,ll}`, `{1..3}`, nested. */

const MOST_WORDS = 128;
/** A stretch in which braces are kept: escaped, quoted or substituted. */
const KEPT =
  /\\.|'[^']*'?|`[^`]*`?|"(?:\\.|[^"\\])*"?|\$\{(?:[^{}]|\{[^{}]*\})*\}?|\$\((?:[^()]|\([^()]*\))*\)?/gs;
/** A group with none inside. */
const GROUP = /\{(?:([^{}]*,[^{}]*)|(-?\d{1,9})\.\.(-?\d{1,9}))\}/;

/** The words that one word expands to; `undefined` if there are more than the limit. */
export function braceWords(text: string): readonly string[] | undefined {
  const kept: string[] = [];
  const found = new Set([text.replace(KEPT, (it) => `\uE010${kept.push(it) - 1}\uE011`)]);
  for (const word of found) {
    const [group, list, from, to] = GROUP.exec(word) ?? [];
    if (group === undefined) continue;
    found.delete(word);
    for (const it of list?.split(',') ?? sequence(Number(from), Number(to)))
      found.add(word.replace(group, () => it));
    if (found.size > MOST_WORDS) return undefined;
  }
  return [...found].map((it) =>
    it.replace(/\uE010(\d+)\uE011/g, (_, at: string) => kept[Number(at)] ?? ''),
  );
}

const sequence = (from: number, to: number): readonly string[] =>
  Array.from({ length: Math.min(Math.abs(to - from), MOST_WORDS) + 1 }, (_, at) =>
    String(from < to ? from + at : from - at),
  );
