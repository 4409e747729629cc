/**
 * Proposals without a model: what several sessions said becomes a note or a rule, equal notes are merged, of two
 * contradicting ones the later stays, and notes about nothing are archived.
 *
 * Pure. The same record gives the same proposals.
 */

import type { Guard } from '../../store/guards.ts';
import type { Operation } from '../../store/operations.ts';
import type { Quote } from '../../store/proposals.ts';
import { isNote, type NoteKind, type RecallItem } from '../../store/recall.ts';
import type { Drift } from '../anchors.ts';
import { wordsOf } from '../words.ts';

/** A proposal before it has an id and a diff. */
export interface ProposalDraft {
  readonly operation: Operation;
  readonly why: string;
  readonly evidence: readonly Quote[];
}

/** A sentence of a session that may be worth a note. */
export interface SessionQuote extends Quote {
  readonly kind: NoteKind;
  /** Files that were edited in that session. */
  readonly files: readonly string[];
}

export interface Record {
  /** Items of the project and of all projects, whatever their status. */
  readonly items: readonly RecallItem[];
  /** The oldest first. */
  readonly said: readonly SessionQuote[];
  readonly drift: (item: RecallItem) => Drift;
  /** Ids of items that sessions were shown. */
  readonly told: ReadonlySet<string>;
  readonly exists: (path: string) => boolean;
  readonly guards: readonly Guard[];
  /** Ids of rules, with the time at which a session last met them, in milliseconds. */
  readonly met: ReadonlyMap<string, number>;
  readonly now: Date;
}

export function findByRules(record: Record): ProposalDraft[] {
  const notes = record.items.filter(
    (it) => it.status === 'active' && it.path !== null && it.projectId !== null && isNote(it),
  );
  const { pairs, left } = comparedPairs(notes);
  const stay = notes.filter(({ uid }) => !left.has(uid));
  return [
    ...saidOften(record),
    ...pairs,
    ...outlived(record, stay),
    ...guardRules(record),
    ...unmet(record),
  ];
}

/** Sentences from two sessions that none contradicts later and no note contains, not even a rejected one. */
function saidOften({ items, said, exists }: Record): ProposalDraft[] {
  const groups: SessionQuote[][] = [];
  for (const it of said) {
    const group = groups.find(
      ([first]) => first?.kind === it.kind && saysSame(first.quote, it.quote),
    );
    if (group === undefined) groups.push([it]);
    else group.push(it);
  }
  const isKnown = (quote: string) =>
    items.some((it) => isNote(it) && it.status !== 'suggested' && saysSame(it.title, quote));
  return groups.flatMap((group) => {
    const sessions = new Set(group.map(({ session }) => session));
    // The last sentence has the best wording.
    const last = group.at(-1);
    if (last === undefined || sessions.size < 2 || isKnown(last.quote)) return [];
    const later = said.slice(said.indexOf(last));
    if (later.some(({ quote }) => likeness(matterOf(quote), matterOf(last.quote)) === 'opposite'))
      return [];
    const from = items.filter(
      (it) => it.status === 'suggested' && it.path === null && saysSame(it.title, last.quote),
    );
    const files = group
      .reduce((shared, it) => shared.filter((path) => it.files.includes(path)), [...last.files])
      .filter((path) => last.quote.includes(path) && exists(path));
    return {
      operation: {
        op: 'create',
        kind: last.kind,
        title: last.quote.slice(0, 200),
        body: '',
        files,
        from: from.map(({ uid }) => uid).sort(),
      },
      why: `${sessions.size} sessions said so`,
      evidence: group.map(({ session, quote }) => ({ session, quote })),
    };
  });
}

/** Each pair of notes that say the same, or opposite things about the same matter. */
function comparedPairs(notes: readonly RecallItem[]) {
  const oldestFirst = notes
    .toSorted((a, b) => +a.at - +b.at || (a.uid < b.uid ? -1 : 1))
    .map((note) => ({ note, matter: matterOf(`${note.title} ${note.body}`) }));
  const pairs: ProposalDraft[] = [];
  /** The notes that another one replaces. */
  const left = new Set<string>();
  for (const [at, { note: older, matter }] of oldestFirst.entries()) {
    for (const { note: newer, matter: other } of oldestFirst.slice(at + 1)) {
      if (left.has(older.uid) || left.has(newer.uid)) continue;
      const how = likeness(matter, other);
      if (how === 'different') continue;
      left.add(older.uid);
      pairs.push(how === 'same' ? merging(older, newer) : superseding(older, newer));
    }
  }
  return { pairs, left };
}

const merging = (older: RecallItem, newer: RecallItem): ProposalDraft => ({
  operation: { op: 'merge', into: newer.uid, notes: [older.uid] },
  why: `${newer.uid} says the same as ${older.uid}`,
  evidence: [],
});

const superseding = (older: RecallItem, newer: RecallItem): ProposalDraft => ({
  operation: { op: 'supersede', note: older.uid, by: newer.uid },
  why: `${newer.uid} disagrees with ${older.uid}, which is no later: reject it if that is right`,
  evidence: [],
});

const LONG_UNTOLD_MS = 180 * 86_400_000;

function outlived({ drift, told, now }: Record, notes: readonly RecallItem[]): ProposalDraft[] {
  return notes.flatMap((note) => {
    const { uid, anchors, at, checkedAt } = note;
    const { gone } = drift(note);
    const bound = Object.keys(anchors ?? {}).length;
    const operation = { op: 'archive', note: uid } as const;
    if (bound > 0 && gone.length === bound) {
      return { operation, why: `what it is about is gone: ${gone.join(', ')}`, evidence: [] };
    }
    const since = Math.max(+at, +(checkedAt ?? at));
    if (told.has(uid) || +now - since < LONG_UNTOLD_MS) return [];
    return { operation, why: 'told to no session for half a year', evidence: [] };
  });
}

/** Files that the user said in two sessions are not to be edited. */
function guardRules({ said, guards, exists }: Record): ProposalDraft[] {
  const guarded = guards.map(({ files }) => files);
  const rules = said.flatMap((it) => {
    const forbids = it.kind === 'instruction' && DENIES.test(it.quote) && CHANGES.test(it.quote);
    const named = forbids ? (it.quote.match(/[\w.@*-]+(?:\/[\w.@*-]*)*/g) ?? []) : [];
    const isPath = (path: string) => /\*.*[./]|[./].*\*/.test(path) || exists(path);
    const paths = named
      .map((path) => path.replace(/^\.\//, '').replace(/\.$/, ''))
      .filter((path) => /\w/.test(path) && isPath(path));
    // A sentence about several files may forbid one and name another one in its place.
    const files = paths.length === 1 ? paths[0]?.replace(/\/$/, '/**') : undefined;
    return files === undefined || guarded.includes(files) ? [] : [{ ...it, files }];
  });
  return [...Map.groupBy(rules, ({ files }) => files)].flatMap(([files, group]) => {
    const sessions = new Set(group.map(({ session }) => session));
    const last = group.at(-1);
    if (last === undefined || sessions.size < 2) return [];
    return {
      operation: { op: 'guard', files, rule: last.quote, deny: false },
      why: `the user said so in ${sessions.size} sessions`,
      evidence: group.map(({ session, quote }) => ({ session, quote })),
    };
  });
}

const LONG_UNMET_DAYS = 90;

/** Rules that were proposed, and that no session has met for a long time. */
function unmet({ guards, met, now }: Record): ProposalDraft[] {
  const since = +now - LONG_UNMET_DAYS * 86_400_000;
  return guards
    .filter(
      ({ uid, at, reason }) =>
        reason?.startsWith(PROPOSED) && Math.max(+at, met.get(uid) ?? 0) < since,
    )
    .map(({ uid: guard, files }) => ({
      operation: { op: 'unguard', guard },
      why: `no session on record has met the rule about ${files} in ${LONG_UNMET_DAYS} days`,
      evidence: [],
    }));
}

/** The reason of a proposed rule begins with this. */
export const PROPOSED = 'proposed as ';

/** What a rule about files forbids. */
const CHANGES =
  /\b(?:edit|touch|chang|modif|rewrit|delet|bearbeit|lösch|édit|supprim|toqu|cambi|borr|elimin)|änder|rühr|[修更]改|改动|编辑|删除|編集|変更|修正|削除/i;

/** The least share of common words of two sentences that count as equal. */
const SAME = 0.7;
const SAME_MATTER = 0.6;
const FEWEST_WORDS = 3;

const saysSame = (one: string, other: string): boolean =>
  likeness(matterOf(one), matterOf(other)) === 'same';

/** Whether two texts say the same, or the opposite, by their words. */
function likeness(a: Matter, b: Matter) {
  const shared = [...a.words].filter((it) => b.words.has(it)).length;
  const all = new Set([...a.words, ...b.words]).size;
  const fewest = Math.min(a.words.size, b.words.size);
  // Of two words each counts: `the metrics port is 9100`.
  if (fewest < FEWEST_WORDS && !(fewest === 2 && all === 2))
    return a.text === b.text ? 'same' : 'different';
  // Each has a word or a name that the other lacks: they are about different things.
  const isOther = shared < fewest;
  if (isOther || !isSame(a.names, b.names)) return 'different';
  const share = shared / all;
  const sameValues = isSame(a.values, b.values);
  if (share >= SAME && a.denies === b.denies && sameValues) return 'same';
  if (share < SAME_MATTER) return 'different';
  const otherValue = a.values.size > 0 && b.values.size > 0 && !sameValues;
  return a.denies !== b.denies || otherValue ? 'opposite' : 'different';
}

const isSame = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((it) => other.has(it));

/** Paths, files, identifiers of code, and the letter of `module b`. */
const NAMED =
  /[\w@.-]*\/[\w@./*-]+|\b[\w-]+\.[a-z]{1,4}\b|\b[a-z]+[A-Z]\w*|\b\w+_\w+|--[a-z][\w-]*|(?<![\w\u00c0-\u024f\u2019'.-])[b-hj-xzB-HJ-XZ](?![\w\u00c0-\u024f\u2019'.-])/g;

/** A longer run without spaces is a blob, over which the search for names would take its length squared. */
const BLOB = /\S{300,}/g;

type Matter = ReturnType<typeof matterOf>;

/** The words of a text, its names, its numbers (limits, versions), and whether it denies. */
function matterOf(text: string) {
  const plain = text.replaceAll(BLOB, ' ').replaceAll(/[\u2019']t\b/gi, 't');
  const words = wordsOf(plain.replaceAll(DEMANDS, ' ')).filter(
    (it) => it.length > 1 && !STOP.has(it),
  );
  const names = plain.match(NAMED) ?? [];
  const values = plain.replaceAll(NAMED, ' ').match(/\b\d[\d.]*\b/g) ?? [];
  const isValue = /^\d+$/;
  return {
    text: text.trim().toLowerCase(),
    words: new Set(words.filter((it) => !isValue.test(it))),
    names: new Set(names.map((it) => it.replace(/[./]+$/, ''))),
    values: new Set(values.map((it) => it.replace(/\.$/, ''))),
    denies: DENIES.test(plain),
  };
}

const DENIES =
  /\b(?:not|never|no|dont|doesnt|isnt|cannot|cant|avoid|without|nicht|nie|niemals|kein\w*|jamais|pas|sans|nunca|sin)\b|不|勿|别|禁|ない|ません/i;
/** What demands or denies in scripts without spaces, where it would be a part of other words. */
const DEMANDS = /不要|切勿|不得|禁止|必须|务必|请|ないでください|ないこと|必ず|絶対に|こと/g;
/** Words without a meaning of their own, as `wordsOf` writes them. */
const STOP = new Set(
  wordsOf(
    'the a an and or of to in on at for with by from is are was were be been it its this that these those there here we you i they our your my not never no dont do does doesnt isnt cannot cant must should has have had will would can may always only please careful note gotcha caution beware nicht nie niemals immer ne jamais pas toujours nunca siempre so as if then than when',
  ),
);
