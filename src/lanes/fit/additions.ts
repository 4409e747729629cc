/**
 * Keeps the additions of both sides to lists in which a new element may be at any place. git merges the rest of the
 * file: the additions are removed from both sides before, and inserted again afterwards. Pure.
 */
import type { Item, Lists } from './line-lists.ts';
import { listsOf } from './lists.ts';

/** A larger file was generated. */
const MAX_CHARS = 200_000;

type Versions<T> = readonly [base: T, ours: T, theirs: T];

/**
 * @param merge git's merge of the two sides of the file; `undefined` for a conflict.
 * @returns `owners`: variables whose value has new members, which count only if no code iterates over them.
 */
export async function withBothAdditions(
  path: string,
  texts: Versions<string>,
  merge: (ours: string, theirs: string) => Promise<string | undefined>,
) {
  if (texts.some((it) => it.length > MAX_CHARS)) return undefined;
  const [base, ours, theirs] = await Promise.all(texts.map((it) => listsOf(path, it)));
  if (!base || !ours || !theirs) return undefined;
  const additions = additionsTo([base, ours, theirs], texts);
  const rest = [texts[1], texts[2]].map((text, side) => {
    const own = additions.filter((it) => it.side === side);
    return own.reduceRight((all, { from, to }) => all.slice(0, from) + all.slice(to), text);
  }) as [string, string];
  const merged = await merge(...rest);
  const lists = merged === undefined ? undefined : await listsOf(path, merged);
  const text = lists && merged && putBack(merged, lists, additions);
  if (text === undefined || !(await listsOf(path, text))) return undefined;
  return { text, owners: additions.flatMap(({ item }) => item.owner ?? []) };
}

type Addition = ReturnType<typeof additionsTo>[number];

/** The additions in the order of the text, ours (side 0) first. `isTwin`: the other side has added the same. */
function additionsTo([base, ...sides]: Versions<Lists>, texts: Versions<string>) {
  const words = [texts[1], texts[2]].map((it) => new Set(it.match(/[\w$]+/g)));
  const all = [...base].flatMap(([place, old]) => {
    const added = sides.map((lists) => addedTo(old, lists.get(place) ?? []));
    const [ours, theirs] = added.map((it, side) =>
      it?.map((item) => textOf(item, texts[side + 1])),
    );
    if (!ours || !theirs) return [];
    const found = added.flatMap((items = [], side) =>
      items.map((item) => {
        const isTwin = (side === 0 ? theirs : ours).includes(textOf(item, texts[side + 1]));
        const there = { old, items: sides[side]?.get(place) ?? [], source: texts[side + 1] ?? '' };
        return { side, place, item, isTwin, ...spanOf(item, there) };
      }),
    );
    return areFree(found, words) ? found : [];
  });
  return all.toSorted((a, b) => a.side - b.side || a.from - b.from);
}

const textOf = ({ from, to }: Item, source = ''): string => source.slice(from, to);

interface There {
  readonly old: readonly Item[];
  readonly items: readonly Item[];
  readonly source: string;
}

/**
 * The text between it and the element before belongs to it; for a first element, the text before the next. `next`: the
 * element of the base that comes next; `undefined` at the end.
 */
function spanOf(item: Item, { old, items, source }: There) {
  const at = items.indexOf(item);
  const isOld = ({ id }: Item) => old.some((it) => it.id === id);
  const isFirst = !items.slice(0, at).some(isOld);
  const from = (isFirst ? undefined : items[at - 1]?.to) ?? item.from;
  const to = (isFirst ? items[at + 1]?.from : undefined) ?? item.to;
  const next = items.slice(at).find(isOld)?.id;
  return { from, to, text: source.slice(from, to), next, isFirst };
}

/** The elements that a side has added; `undefined` if it has moved or removed any, or added one twice. */
function addedTo(old: readonly Item[], items: readonly Item[]): Item[] | undefined {
  let next = 0;
  const added: Item[] = [];
  for (const item of items) {
    if (item.id === old[next]?.id) next += 1;
    else added.push(item);
  }
  const ids = new Set([...old, ...added].map(({ id }) => id));
  const isWhole = old.length > 0 && next === old.length && ids.size === next + added.length;
  return isWhole ? added : undefined;
}

/** True if the additions have different names, and neither side uses a name that the other one adds. */
function areFree(
  found: readonly Readonly<{ item: Item; side: number; isTwin: boolean }>[],
  words: readonly ReadonlySet<string>[],
): boolean {
  const own = found.filter(({ isTwin }) => !isTwin);
  const names = own.flatMap(({ item }) => item.names ?? []);
  return (
    found.every(({ item }) => item.names && item.subject === found[0]?.item.subject) &&
    new Set(names).size === names.length &&
    // The name may have meant something else: a global, or a member of a base class.
    own.every(({ item, side }) => !item.names?.some((name) => words[1 - side]?.has(name)))
  );
}

function putBack(merged: string, lists: Lists, additions: readonly Addition[]): string | undefined {
  const wanted = additions.filter(({ side, isTwin }) => side === 0 || !isTwin);
  const inserts = wanted.map(({ place, next, isFirst, text }) => {
    const items = lists.get(place) ?? [];
    const index = next === undefined ? items.length : items.findIndex(({ id }) => id === next);
    return { at: isFirst ? items[index]?.from : items[index - 1]?.to, place, text };
  });
  if (inserts.some(({ at }) => at === undefined)) return undefined;
  // If two lists end at one place, the inner one ends first.
  return inserts
    .toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0) || b.place.length - a.place.length)
    .reduceRight((all, { at, text }) => all.slice(0, at) + text + all.slice(at), merged);
}
