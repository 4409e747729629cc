/**
 * Revisions of a shared note: a set that only grows. Machines with equal sets have equal heads, in whatever order the
 * revisions came. Nothing is merged: two heads are two versions, until somebody writes a revision of both.
 */
import { sha256 } from '../../base/text/sha256.ts';
import { type Payload, redacted } from '../payload.ts';

export interface Revision {
  /** Who has signed it; `null`: it was made here. */
  readonly by: string | null;
  readonly said: Payload<'note'>;
  /** The JSON of `said`: what is signed, and what its digest is of. */
  readonly body: string;
}

/** The revisions of one note, by their digests. */
export type Revisions = ReadonlyMap<string, Revision>;

/** A revision that is made here. */
export function revisionOf(it: Omit<Payload<'note'>, 'v' | 'kind'>) {
  const said = redacted({ v: 1, kind: 'note', ...it } as const);
  const body = JSON.stringify(said);
  return { digest: sha256(body), by: null, said, body };
}

/** Revisions that no other one names, sorted. */
export function headsOf(revisions: Revisions): string[] {
  const named = new Set([...revisions.values()].flatMap(({ said }) => said.parents));
  return [...revisions.keys()].filter((it) => !named.has(it)).sort();
}

/** Some revisions and all that they come from. */
export function historyOf(revisions: Revisions, digests: readonly string[]): ReadonlySet<string> {
  const found = new Set(digests);
  for (const it of found)
    for (const parent of revisions.get(it)?.said.parents ?? []) found.add(parent);
  return found;
}

/**
 * Heads that go on from the revisions of a document, the first to be taken over first. An edit wins over a removal that
 * did not know it.
 */
export function successors(revisions: Revisions, base: readonly string[]): string[] {
  const isRemoval = (digest: string) => revisions.get(digest)?.said.note === null;
  const atOf = (digest: string): number => revisions.get(digest)?.said.at ?? 0;
  const isGone = base.length > 0 && base.every(isRemoval);
  const from = base.flatMap((it) => (isGone ? (revisions.get(it)?.said.parents ?? []) : it));
  return headsOf(revisions)
    .filter((head) => {
      const history = historyOf(revisions, [head]);
      const isNew = !base.includes(head) && !(isGone && isRemoval(head));
      return isNew && from.every((it) => history.has(it));
    })
    .sort(
      (one, other) => Number(isRemoval(one)) - Number(isRemoval(other)) || atOf(other) - atOf(one),
    );
}
