/** What others have said of contents on the board. */
import { type NoteRecord, readNoteRecords } from '../evidence/statement.ts';
import type { Wanted } from '../features/evidence-status.ts';
import { MOST_SUBJECTS, withBoard } from './board/calls.ts';
import { keyOf } from './credentials.ts';
import type { Team } from './membership.ts';
import { subjectOf, unseal } from './seal.ts';

/** Where an envelope belongs on the board. */
export const placeOfEvidence = (repo: string, subject: Buffer): string =>
  `evidence|${repo}|${subject.toString('hex')}`;

/**
 * The records about some contents, not judged yet. What does not open, cannot be read or is about another content is
 * left out: anybody may have put it there.
 *
 * @throws {BoardUnreachableError | BoardRefusedError}
 */
export async function recordsOnBoard(
  { member, project: { repo } }: Team,
  wanted: readonly Wanted[],
  limitMs: number,
): Promise<NoteRecord[]> {
  const key = keyOf(member);
  const subjects = new Map<string, Buffer>();
  for (const { feature, fingerprint } of wanted) {
    const subject = subjectOf(key, { feature: feature.name, fingerprint });
    subjects.set(subject.toString('hex'), subject);
  }
  if (subjects.size === 0) return [];
  const all = [...subjects.values()];
  const rows = await withBoard(member, limitMs, async (board) => {
    const found: Awaited<ReturnType<typeof board.getEvidence>> = [];
    for (let at = 0; at < all.length; at += MOST_SUBJECTS) {
      found.push(...(await board.getEvidence(repo, all.slice(at, at + MOST_SUBJECTS))));
    }
    return found;
  });
  return rows.flatMap(({ subject, body }) => {
    const line = unseal(key, placeOfEvidence(repo, subject), body);
    if (line === undefined || !subjects.has(subject.toString('hex'))) return [];
    const { records } = readNoteRecords([{ commit: '', lines: [line] }]);
    return records.flatMap((it) =>
      subjectOf(key, it.record).equals(subject)
        ? [{ ...it, commit: it.record.revision ?? '' }]
        : [],
    );
  });
}
