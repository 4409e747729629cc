/**
 * Revisions of a shared note: a set that only grows. Machines with equal sets have equal heads, in whatever order the
 * revisions came, because a merge has the same bytes wherever it is made.
 */
import { sha256 } from '../../base/text/sha256.ts';
import { type Payload, redacted } from '../payload.ts';

export type Content = NonNullable<Payload<'note'>['note']>;

export interface Revision {
  /** Who has signed it; `null`: it was made here. */
  readonly by: string | null;
  readonly said: Payload<'note'>;
  /** The JSON of `said`: what is signed, and what its digest is of. */
  readonly body: string;
}

/** The revisions of one note, by their digests. */
export type Revisions = ReadonlyMap<string, Revision>;

/** `undefined`: it cannot be merged. */
export type MergeText = (base: string, one: string, other: string) => Promise<string | undefined>;

type Said = Pick<Payload<'note'>, 'at' | 'repo' | 'path' | 'note' | 'parents'>;

/** A revision that is made here. */
export function revisionOf({ at, repo, path, note, parents }: Said) {
  const sorted = parents.toSorted();
  const said = redacted({ v: 1, kind: 'note', at, repo, path, note, parents: sorted } as const);
  const body = JSON.stringify(said);
  return { digest: sha256(body), by: null, said, body };
}

/** Revisions that no other one names, sorted. Those with a parent that has not come yet do not count. */
export function headsOf(revisions: Revisions): string[] {
  const known = new Set<string>();
  for (let before = -1; before !== known.size; ) {
    before = known.size;
    for (const [digest, { said }] of revisions)
      if (said.parents.every((it) => known.has(it))) known.add(digest);
  }
  const named = new Set([...known].flatMap((it) => revisions.get(it)?.said.parents ?? []));
  return [...known].filter((it) => !named.has(it)).sort();
}

/** Some revisions and all that they come from. */
export function historyOf(revisions: Revisions, digests: readonly string[]): ReadonlySet<string> {
  const found = new Set(digests);
  for (const it of found)
    for (const parent of revisions.get(it)?.said.parents ?? []) found.add(parent);
  return found;
}

/** Merges heads as far as they can be. @returns the merges; heads that are left contradict each other. */
export async function settle(revisions: Map<string, Revision>, mergeText: MergeText) {
  const made: ReturnType<typeof revisionOf>[] = [];
  for (;;) {
    const merged = await firstMerge(revisions, mergeText);
    if (merged === undefined) return made;
    revisions.set(merged.digest, merged);
    made.push(merged);
  }
}

async function firstMerge(revisions: Revisions, mergeText: MergeText) {
  const heads = headsOf(revisions);
  for (const [at, one] of heads.entries()) {
    for (const other of heads.slice(at + 1)) {
      const merged = await mergeOf(revisions, [one, other], mergeText);
      if (merged !== undefined) return merged;
    }
  }
  return undefined;
}

/** True if it says nothing that its parents do not say: whoever has signed it, its parents count. */
export async function isMerge(revisions: Revisions, digest: string, mergeText: MergeText) {
  const [one = '', other, ...more] = revisions.get(digest)?.said.parents ?? [];
  if (other === undefined || more.length > 0) return false;
  return (await mergeOf(revisions, [one, other], mergeText))?.digest === digest;
}

async function mergeOf(
  revisions: Revisions,
  parents: readonly [string, string],
  mergeText: MergeText,
) {
  const [one, other] = parents.toSorted().map((it) => revisions.get(it)?.said);
  if (one === undefined || other === undefined) return undefined;
  const later = one.at > other.at ? one : other;
  const base = revisions.get(nearest(revisions, parents))?.said.note;
  // An edit wins over a removal that did not know it.
  const note =
    one.note === null || other.note === null
      ? (one.note ?? other.note)
      : await mergeContent(
          { base: base ?? EMPTY, one: one.note, other: other.note },
          later.note,
          mergeText,
        );
  const { repo, path, at } = later;
  return note === undefined
    ? undefined
    : revisionOf({ at, repo, path, note, parents: [...parents] });
}

/** The nearest common ancestor; of several the first by name, and none is ''. */
function nearest(revisions: Revisions, [one, other]: readonly [string, string]): string {
  const others = historyOf(revisions, [other]);
  const common = [...historyOf(revisions, [one])].filter((it) => others.has(it));
  const above = common.flatMap((it) => revisions.get(it)?.said.parents ?? []);
  const farther = historyOf(revisions, above);
  return common.filter((it) => !farther.has(it)).sort()[0] ?? '';
}

type Sides<T> = Readonly<Record<'base' | 'one' | 'other', T>>;

const EMPTY: Partial<Content> = {};

/** `undefined`: title, occasion or text were changed in two ways. */
async function mergeContent(
  sides: Readonly<{ base: Partial<Content>; one: Content; other: Content }>,
  later: Content | null,
  mergeText: MergeText,
): Promise<Content | undefined> {
  const { base, one, other } = sides;
  const side = <Name extends keyof Content>(name: Name): Sides<Content[Name] | undefined> => ({
    base: base[name],
    one: one[name],
    other: other[name],
  });
  const title = changedOnce(side('title'));
  const when = changedOnce(side('when'));
  const once = changedOnce(side('body'));
  const body = once === TWICE ? await mergeText(base.body ?? '', one.body, other.body) : once;
  if (title === TWICE || title === undefined || when === TWICE || body === undefined)
    return undefined;
  const either = <Name extends keyof Content>(name: Name) => {
    const found = changedOnce(side(name));
    return (found === TWICE ? later?.[name] : found) as Content[Name];
  };
  const both = (name: 'files' | 'commands' | 'links'): string[] => {
    const found = changedOnce(side(name));
    return found === TWICE ? [...new Set([...one[name], ...other[name]])].sort() : (found ?? []);
  };
  return {
    id: either('id'),
    kind: either('kind'),
    title,
    when: when ?? '',
    files: both('files'),
    commands: both('commands'),
    links: both('links'),
    created: either('created'),
    source: either('source'),
    body,
  };
}

const TWICE = Symbol('changed in two ways');

function changedOnce<T>({ base, one, other }: Sides<T>): T | typeof TWICE {
  const [was, first, second] = [base, one, other].map((it) => JSON.stringify(it));
  if (first === second || second === was) return one;
  return first === was ? other : TWICE;
}
