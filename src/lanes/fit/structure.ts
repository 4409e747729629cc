/**
 * Merges the text of a file by its syntax: declarations, members, arguments and statements are matched by name, each is
 * merged by itself, and what both sides add at one place is kept where its order says nothing. Whatever is
 * doubtful is left a conflict. Pure.
 */
import { diffArrays } from 'diff';
import {
  type Item,
  type Kind,
  type List,
  listOf,
  type Part,
  parserFor,
  Undecided,
} from './syntax.ts';

/** A larger file is written by a program. */
const MAX_CHARS = 500_000;

/** Says that what one side has taken out of the file is in another one, where it can be changed as the other side did. */
export type Elsewhere = (side: 'ours' | 'theirs', before: string, after: string) => boolean;

/** @returns `undefined` where the sides cannot be merged so. */
export async function mergedByStructure(
  path: string,
  texts: readonly [base: string, ours: string, theirs: string],
  elsewhere: Elsewhere,
): Promise<string | undefined> {
  if (texts.some((it) => it.length > MAX_CHARS)) return undefined;
  const parse = await parserFor(path);
  if (parse === undefined) return undefined;
  try {
    const [base, ours, theirs] = texts.map(parse) as [Part, Part, Part];
    const text = mergedPart({ path, owner: '', elsewhere }, base, ours, theirs);
    parse(text);
    return text;
  } catch (error) {
    if (error instanceof Undecided || error instanceof RangeError) return undefined;
    throw error;
  }
}

interface Place {
  readonly path: string;
  /** The name of what it is in. */
  readonly owner: string;
  readonly elsewhere: Elsewhere;
}

type Sides<T> = readonly [base: T | undefined, ours: T, theirs: T];

/** The side that has changed it, if only one has. */
function onlyChange(...[base, ours, theirs]: Sides<string>): string | undefined {
  if (ours === theirs || theirs === base) return ours;
  return ours === base ? theirs : undefined;
}

function mergedGap(...[base, ours, theirs]: Sides<string>): string {
  const only = onlyChange(base, ours, theirs);
  if (only !== undefined) return only;
  if (`${ours}${theirs}`.trim() === '' || ours.trim() === theirs.trim()) return ours;
  throw new Undecided();
}

/** Indentation means something there. */
const BY_INDENTATION = /\.pyi?$/;

function mergedPart(place: Place, ...[base, ours, theirs]: Sides<Part>): string {
  const only = onlyChange(base?.text, ours.text, theirs.text);
  if (only !== undefined) return only;
  if (base && !BY_INDENTATION.test(place.path)) {
    const [b, o, t] = [base, ours, theirs].map((it) => `${tokensOf(it)}`);
    if (o === b) return theirs.text;
    if (t === b) return ours.text;
  }
  const [b, o, t] = [base && listOf(base), listOf(ours), listOf(theirs)];
  const isOne = (it: Part | undefined) => it === undefined || it.type === ours.type;
  if (!isOne(theirs) || !isOne(base) || o.kind !== t.kind || (b && b.kind !== o.kind)) {
    throw new Undecided();
  }
  if (o.items.length === 0 || t.items.length === 0) throw new Undecided();
  return mergedList({ ...place, type: ours.type }, b, o, t);
}

/** Words of the text with its comments, so that a changed comment is a change. */
const tokensOf = (part: Part): readonly string[] => part.text.split(/\s+/);

type ListPlace = Place & { readonly type: string };

/** One list of both sides' items in the making. */
interface Merging {
  readonly place: ListPlace;
  readonly before: readonly Item[];
  /** Whose order counts, and the other. */
  readonly first: Numbered;
  readonly second: Numbered;
  readonly entries: Entry[];
  /** Where items of the second are, by their position in it. */
  readonly placed: Map<number, Entry>;
}

interface Numbered {
  readonly list: List;
  /** Which item of the base each of it is; -1 for a new one. */
  readonly old: readonly number[];
  readonly side: 'ours' | 'theirs';
}

interface Entry {
  item: Item;
  readonly isAdded: boolean;
}

function mergedList(place: ListPlace, ...[base, ours, theirs]: Sides<List>): string {
  if (base === undefined && ours.kind === 'fixed') return mergedTwins(place, ours, theirs);
  const before = base?.items ?? [];
  const o = { list: ours, old: matches(before, ours), side: 'ours' } as const;
  const t = { list: theirs, old: matches(before, theirs), side: 'theirs' } as const;
  const isMoved = ({ old }: Numbered) =>
    old.filter((at) => at >= 0).some((at, n, all) => n > 0 && at < (all[n - 1] ?? 0));
  if (isMoved(o) && isMoved(t)) throw new Undecided();
  if (ours.kind === 'fixed') assertOneChange(place, before, o, t);
  // What one side has put in another order keeps that.
  const [first, second] = isMoved(t) ? [t, o] : [o, t];
  const merging = { place, before, first, second, entries: [], placed: new Map<number, Entry>() };
  takeFirst(merging);
  addSecond(merging);
  assertNotNamed(before, o, t);
  assertNotNamed(before, t, o);
  const head = mergedGap(base?.head, ours.head, theirs.head);
  return head + joined(merging) + mergedGap(base?.tail, ours.tail, theirs.tail);
}

/** What one side has taken away is not what the other one has begun to use. */
function assertNotNamed(before: readonly Item[], one: Numbered, other: Numbered): void {
  const gone = before.flatMap(({ key }, at) => (key && !one.old.includes(at) ? key : []));
  const added = other.list.items.filter((_, at) => other.old[at] === -1);
  const words = new Set(added.flatMap(({ text }) => text.match(/[\w$]+/g) ?? []));
  if (gone.some((it) => words.has(it))) throw new Undecided();
}

function takeFirst({ place, before, first, second, entries, placed }: Merging): void {
  for (const [at, item] of first.list.items.entries()) {
    const old = first.old[at] ?? -1;
    const previous = before[old];
    const there = previous === undefined ? -1 : second.old.indexOf(old);
    const other = second.list.items[there];
    if (previous !== undefined && other === undefined)
      assertGone(place, second.side, previous, item);
    else if (previous === undefined || other === undefined) entries.push({ item, isAdded: true });
    else {
      const [ours, theirs] = first.side === 'ours' ? [item, other] : [other, item];
      const entry = { item: mergedItem(place, previous, ours, theirs), isAdded: false };
      entries.push(entry);
      placed.set(there, entry);
    }
  }
}

/** After what it comes after in its own side, and after what the other side has added there. */
function addSecond(merging: Merging): void {
  const { place, before, first, second, entries, placed } = merging;
  const own = new Set<Entry>();
  for (const [at, item] of second.list.items.entries()) {
    const old = before[second.old[at] ?? -1];
    if (placed.has(at)) continue;
    if (old !== undefined) assertGone(place, first.side, old, item);
    else {
      const entry = twinOf(merging, item, own) ?? { item, isAdded: true };
      placed.set(at, entry);
      if (entries.includes(entry)) continue;
      own.add(entry);
      entries.splice(positionFor(merging, at, own), 0, entry);
    }
  }
}

/** The same addition of the other side. Two things of one name are one only where a name says all. */
function twinOf({ place, entries }: Merging, item: Item, own: ReadonlySet<Entry>) {
  const isSame = (it: Item) =>
    it.text === item.text || (it.key !== undefined && it.key === item.key);
  const found = entries.find((it) => it.isAdded && !own.has(it) && isSame(it.item));
  if (found === undefined || found.item.text === item.text) return found;
  if (!place.path.endsWith('.json') && !item.key?.startsWith('import ')) throw new Undecided();
  found.item = mergedItem(place, undefined, found.item, item);
  return found;
}

/** @throws {Undecided} if its order to what the other side has added there may matter. */
function positionFor(merging: Merging, at: number, own: ReadonlySet<Entry>): number {
  const { place, before, first, second, entries, placed } = merging;
  const item = second.list.items[at] as Item;
  const previous = placed.get(Math.max(-1, ...[...placed.keys()].filter((it) => it < at)));
  const start = previous === undefined ? 0 : entries.indexOf(previous) + 1;
  const stop = entries.findIndex((it, n) => n >= start && !it.isAdded);
  const run = entries.slice(start, stop === -1 ? undefined : stop);
  for (const { item: other } of run.filter((it) => !own.has(it))) {
    const isFree = FREE[first.list.kind](other, item, place, before);
    if (!isFree || countsOn(other, item, before)) throw new Undecided();
  }
  const isSorted = ({ list: { kind, items } }: Numbered) =>
    (kind === 'list' || kind === 'members') &&
    items.length > 1 &&
    items.every((it, n) => n === 0 || (items[n - 1]?.text ?? '') < it.text);
  const after = run.findIndex((it) => it.item.text > item.text);
  return start + (isSorted(first) && isSorted(second) && after >= 0 ? after : run.length);
}

/** Both have added the same, but for what is in a list of it. */
function mergedTwins(place: Place, ours: List, theirs: List): string {
  if (ours.items.length !== theirs.items.length) throw new Undecided();
  const items = ours.items.map((it, at) => {
    const { lead, text } = mergedItem(place, undefined, it, theirs.items[at] as Item);
    return lead + text;
  });
  return ours.head + items.join('') + ours.tail;
}

/** Both have changed something else of one expression: each was right with the rest as it was. */
function assertOneChange(
  { type }: ListPlace,
  before: readonly Item[],
  ...sides: readonly Numbered[]
): void {
  if (!/Expr|^Call|^Macro/.test(type) || /Function|Arrow|Statement|^Match|^Closure/.test(type))
    return;
  const [one, other] = sides.map(({ list: { items }, old }) =>
    items.flatMap((it, at) => (it.text === before[old[at] ?? -1]?.text ? [] : at)),
  );
  if (`${one}` !== `${other}`) throw new Undecided();
}

/** One side has taken it out: the other has to have left it as it was, or it is in another file now. */
function assertGone(place: Place, side: 'ours' | 'theirs', before: Item, after: Item): void {
  if (before.text === after.text) return;
  if (!isDeclaration(before) || !place.elsewhere(side, before.text, after.text))
    throw new Undecided();
}

function mergedItem(place: Place, base: Item | undefined, ours: Item, theirs: Item): Item {
  const owner = ours.key ?? place.owner;
  const only = onlyChange(base?.text, ours.text, theirs.text);
  const part = (it: Item): Part => {
    const [one] = it.parts as [Part];
    if (it.parts.length === 1) return one;
    const type = /^(?:Case|Default)/.test(one.type) ? 'Block' : 'Group';
    return { type, text: it.text, from: one.from, children: it.parts };
  };
  const text =
    only ?? mergedPart({ ...place, owner }, base && part(base), part(ours), part(theirs));
  const lead = mergedGap(base?.lead, ours.lead, theirs.lead);
  return { ...ours, text, lead, after: mergedGap(base?.after, ours.after, theirs.after) };
}

/** Both go on counting where the base has stopped: each number is given once. */
function countsOn(one: Item, other: Item, before: readonly Item[]): boolean {
  const numberOf = ({ text }: Item) => /[=:]\s*(-?\d+)[,;]?$/.exec(text)?.[1];
  const number = numberOf(one);
  if (number === undefined || number !== numberOf(other)) return false;
  const known = before.flatMap((it) => numberOf(it) ?? []);
  return known.length > 0 && known.every((it) => Number(it) < Number(number));
}

type IsFree = (ours: Item, theirs: Item, place: ListPlace, before: readonly Item[]) => boolean;

const haveNames: IsFree = (o, t) => o.key !== undefined && t.key !== undefined;
const JAVASCRIPT = /\.[cm]?[jt]sx?$/;
/** What is first in such a list comes first elsewhere, too. */
const RANKS =
  /order|priorit|rank|level|step|stage|pipeline|middleware|sequence|phase|precedence|chain|queue|layer|migration|transform|arg|path|plugin|preset|extends|command|position|coord|version|range|column|header|row|format|histor|sort/i;
/** Such operands are true or false; of others the first that is something counts. */
const TRUTH = /^(?:Binary|Call|Unary|Not)/;
/** Coordinates, weights, the parts of a version. */
const NUMBER = /^(?:Number|Integer|Float|Unary\w*)$/;
const has = ({ parts }: Item, types: RegExp): boolean => parts.some(({ type }) => types.test(type));

/** Whether two additions at one place may stand in either order. */
const FREE: Readonly<Record<Kind, IsFree>> = {
  fixed: () => false,
  members: haveNames,
  parameters: (o, t, { path }) =>
    BY_INDENTATION.test(path) && has(o, /^AssignOp$/) && has(t, /^AssignOp$/),
  list(o, t, place, before) {
    const isNamed = has(o, /^AssignOp$/) && has(t, /^AssignOp$/);
    if (isNamed || RANKS.test(place.owner)) return isNamed;
    const isCall = /^Arg/.test(place.type);
    const areWords = before.length > 1 && [...before, o, t].every((it) => has(it, /^String$/));
    const isNumber = has(o, NUMBER) || has(t, NUMBER);
    return isCall ? areWords && !isClass(place) : !isNumber && haveNames(o, t, place, before);
  },
  chain(o, t, { type }) {
    if (o.text.startsWith('.') || t.text.startsWith('.')) return isCallOf(o) && isCallOf(t);
    return type.startsWith('Union') || (has(o, TRUTH) && has(t, TRUTH));
  },
  cases: (o, t, { path }) =>
    [o, t].every((it) => isPlainCase(it) && (!JAVASCRIPT.test(path) || has(it, EXIT))),
  branches: areApart,
  sequence: (o, t) =>
    isDeclaration(o) && isDeclaration(t)
      ? haveNames(o, t, {} as ListPlace, [])
      : areIndependent(o, t),
};

/** Of one value: of two conditions both may hold. */
const isPlainCase = ({ text }: Item): boolean =>
  /^case\s+(?:["'`][^"'`]*["'`]|-?[\d.]+|[\w.]+)\s*[,:]/.test(text) &&
  !/^case\s+(?:true|false)\b/.test(text);

const isClass = ({ owner }: Place): boolean => owner.startsWith('class ');
const EXIT = /^(?:Return|Break|Throw|Continue|Raise)/;

/** Conditions of which at most one holds: one thing is equal to different literals. */
function areApart(ours: Item, theirs: Item): boolean {
  const [o, t] = [ours, theirs].map(({ text }) => EQUALITY.exec(text));
  return o?.[1] !== undefined && o[1] === t?.[1] && o[2] !== t[2];
}

const EQUALITY =
  /^(?:else\s+if|elif|if)\s*\(?\s*([\w.]+)\s*={2,3}\s*('[^']*'|"[^"]*"|\d+)\s*(?:\)|:|\{)/;

const DECLARATION =
  /^(?:Function|Method|Class|Interface|Enum|Struct|Trait|Impl|Type|Import|Use|Property|Field|Const|Mod|Decorated|Attribute)\w*$/;
const isDeclaration = ({ parts: [first] }: Item): boolean =>
  first !== undefined &&
  (DECLARATION.test(first.type) ||
    (first.type === 'ExportDeclaration' &&
      first.children.some(({ type }) => DECLARATION.test(type))));

/** Whether neither reads what the other writes, and neither keeps the other from being reached. */
function areIndependent(ours: Item, theirs: Item): boolean {
  const [o, t] = [ours, theirs];
  if (o.key && t.key && isCallOf(o) && isCallOf(t)) return true;
  if (has(o, /^Match/) || has(t, /^Match/)) return isPlainArm(o) && isPlainArm(t);
  if (areApart(o, t)) return true;
  const ends = [o, t].filter(({ text }) =>
    /\b(?:return|break|continue|throw|raise|defer|panic)\b/.test(text),
  );
  const isGuard = ({ text, parts }: Item) =>
    /^If/.test(parts[0]?.type ?? '') &&
    /\b(?:throw|raise)\b/.test(text) &&
    !/\b(?:return|break|continue|else|elif)\b/.test(text);
  if (ends.length === 2 && ends.every(isGuard)) return true;
  if (!ends.every((it) => isDeclared(it) || isGuard(it))) return false;
  const areCalls = [o, t].every(({ parts: [it] }) => /^Call/.test(it?.children[0]?.type ?? ''));
  if (areCalls) return false;
  const wordsOf = ({ text }: Item) => new Set(text.match(/[\w$]+/g));
  const writtenBy = ({ parts, key }: Item) =>
    new Set([...parts.flatMap(written), ...(key?.match(/\w+$/) ?? [])]);
  return writtenBy(o).isDisjointFrom(wordsOf(t)) && writtenBy(t).isDisjointFrom(wordsOf(o));
}

/** Calls that declare a test, an option or a command: each is found by its name. Others may count in their order. */
const isCallOf = ({ key }: Item): boolean =>
  /(?:^|\.)(?:test|it|describe|suite|specify|bench|add_?(?:argument|option|command|parser)|option|command|argument|flag)\(['"`]/i.test(
    key ?? '',
  );
/** `const f = () => { … }`: what ends the function does not end what comes after. */
const isDeclared = ({ parts, text }: Item): boolean =>
  /^(?:Export|Variable|Assign)/.test(parts[0]?.type ?? '') &&
  /=\s*(?:async\b\s*)?(?:\(|function\b|\w+\s*=>|lambda\b)/.test(text);

/** A pattern that stands for one value or variant, without a condition. */
const isPlainArm = ({ text, key }: Item): boolean =>
  key !== undefined &&
  !/^[^=]*\bif\b/.test(text) &&
  /^(?:case\s+)?(?:["'\d-]|(?:\w+(?:::|\.))*[A-Z]\w*)/.test(text);

/** What is declared, assigned or handed to a function, which may change it. */
function written(part: Part): string[] {
  const { type, text, children } = part;
  if (/^(?:Arrow|Function|Lambda|Closure|Method|Class)/.test(type)) return [];
  if (/^(?:VariableDefinition|DefName|BoundIdentifier)$/.test(type)) return [text];
  const isWrite = /^(?:Assign|Update|CompoundAssign|IncDec|Postfix|Call)/.test(type);
  const place = isWrite ? (/^Call/.test(type) ? text : text.split('=', 1)[0]) : undefined;
  const names = place?.match(/(?!(?:this|self)\b)\b[A-Za-z_$][\w$]*/g) ?? [];
  return [...names, ...children.flatMap(written)];
}

/** The text of the entries, with space and separators as their place needs them. */
function joined({ first, second, entries }: Merging): string {
  const [{ kind, items }, { items: others }] = [first.list, second.list];
  const later = [...items.slice(1), ...others.slice(1)].map(({ lead }) => lead);
  const operator = /\S+/.exec(later.find((it) => it.trim() !== '') ?? '')?.[0];
  const leadOf = ({ lead, text }: Item, at: number): string => {
    if (at === 0) return lead.trim() === '' || kind === 'chain' ? (items[0]?.lead ?? lead) : lead;
    const isLacking = lead === '' || (kind === 'chain' && operator && !lead.includes(operator));
    const isFree = kind !== 'fixed' && isLacking && !text.startsWith('.');
    return isFree ? (later.find((it) => it !== '') ?? lead) : lead;
  };
  const hasSeparators = kind === 'list' || kind === 'members' || kind === 'parameters';
  const separator = [...items, ...others]
    .map(({ after }) => SEPARATOR.exec(after)?.[0])
    .find(Boolean);
  const usual = separator ?? (later.length > 0 ? '' : ',');
  const isTrailing = [items, others].some((it) => SEPARATOR.test(it.at(-1)?.after ?? ''));
  const afterOf = ({ after }: Item, at: number): string => {
    if (!hasSeparators) return after;
    const hasOne = at < entries.length - 1 || isTrailing;
    return hasOne && !SEPARATOR.test(after)
      ? usual + after
      : hasOne
        ? after
        : after.replace(SEPARATOR, '');
  };
  let text = '';
  for (const [at, { item }] of entries.entries()) {
    const lead = leadOf(item, at);
    // What follows a comment on its line would be part of it.
    if (/\/\/|#/.test(entries[at - 1]?.item.after ?? '') && !lead.includes('\n'))
      throw new Undecided();
    text += lead + item.text + afterOf(item, at);
  }
  return text;
}

const SEPARATOR = /^\s*[,;]/;

/** For each item of a side, which of the base it is; -1 where it is new. */
function matches(before: readonly Item[], { items, kind }: List): number[] {
  const found: number[] = Array(items.length).fill(-1);
  const typeOf = ({ parts }: Item) => parts[0]?.type;
  const countOf = (all: readonly Item[], it: Item) =>
    all.filter((other) => typeOf(other) === typeOf(it)).length;
  /** Each looks at what lies between the matches of the one before. */
  const levels: readonly ((b: readonly Item[], s: readonly Item[]) => IsEqual)[] = [
    () => (one, other) => one.text === other.text,
    () => (one, other) => one.key !== undefined && one.key === other.key,
    // By its type alone a thing is another one's successor only where there are as many of it.
    (b, s) => (one, other) =>
      typeOf(one) === typeOf(other) && (kind === 'fixed' || countOf(b, one) === countOf(s, one)),
  ];
  const within = (b: Range, s: Range, level: number): void => {
    const [old, own] = [before.slice(...b), items.slice(...s)];
    const equal = levels[level]?.(old, own);
    if (equal === undefined || old.length === 0 || own.length === 0) return;
    let [atB, atS] = [b[0], s[0]];
    for (const [x, y] of [...commonOf(old, own, [atB, atS], equal), [b[1], s[1]] as const]) {
      within([atB, x], [atS, y], level + 1);
      if (x < b[1]) found[y] = x;
      [atB, atS] = [x + 1, y + 1];
    }
  };
  within([0, before.length], [0, items.length], 0);
  if (kind === 'sequence' || kind === 'members') followMoved(before, items, found);
  return found;
}

/** Declarations may have come to another place of their list. */
function followMoved(before: readonly Item[], items: readonly Item[], found: number[]): void {
  for (const [at, item] of items.entries()) {
    if (found[at] !== -1 || item.key === undefined || !isDeclaration(item)) continue;
    const isIt = ({ key }: Item) => key === item.key;
    const old = before.findIndex(isIt);
    const isOnly = items.filter(isIt).length === 1 && before.filter(isIt).length === 1;
    if (isOnly && !found.includes(old)) found[at] = old;
  }
}

/** A comparison of larger lists is given up. */
const MOST_MS = 2_000;

type Range = readonly [from: number, to: number];
type IsEqual = (one: Item, other: Item) => boolean;

/** The longest common subsequence, as pairs of positions. */
function* commonOf(a: readonly Item[], b: readonly Item[], [x, y]: Range, equal: IsEqual) {
  const found = diffArrays([...a], [...b], { comparator: equal, timeout: MOST_MS });
  if (found === undefined) throw new Undecided();
  let [atA, atB] = [x, y];
  for (const { count, added, removed } of found) {
    for (let n = 0; n < count && !added && !removed; n += 1) yield [atA + n, atB + n] as const;
    if (!added) atA += count;
    if (!removed) atB += count;
  }
}
