/** Shared evidence from the notes of this repository, for a gate without a database. */
import { readNotes } from '../git/notes.ts';
import type { Evidence } from '../store/evidence.ts';
import { asEvidence, judge, type Reading } from './judge.ts';
import { byContent, keyOf, type NoteRecord, readNoteRecords } from './note-records.ts';
import type { SharedEvidence, Wanted } from './shared.ts';

/** Most records of one content that are judged: each check of a signature starts a program. */
const MAX_JUDGED = 50;

export interface Refusal {
  readonly feature: string;
  readonly commit: string;
  readonly reason: string;
}

export interface NotesEvidence extends SharedEvidence {
  /** Records about the contents in question that count. */
  readonly accepted: readonly Evidence[];
  /** Records about them that do not count, and why. */
  readonly refusals: readonly Refusal[];
  /** Number of notes that were not read because they are too large or too many. */
  readonly unread: number;
}

/** @param head the commit whose note is read first, should there be too many. */
export function evidenceInNotes(reading: Reading, head: string): NotesEvidence {
  const accepted: Evidence[] = [];
  const refusals: Refusal[] = [];
  let unread = 0;
  let groups: Promise<ReadonlyMap<string, readonly NoteRecord[]>> | undefined;
  async function read() {
    const found = await readNotes(reading.git, head);
    unread = found.unread;
    return byContent(readNoteRecords(found.notes).records);
  }
  return {
    accepted,
    refusals,
    get unread() {
      return unread;
    },
    async about(wanted) {
      groups ??= read();
      const known = await groups;
      const found = new Map<string, readonly Evidence[]>();
      for (const it of wanted) {
        const group = known.get(keyOf({ feature: it.feature.name, fingerprint: it.fingerprint }));
        if (group === undefined || found.has(it.fingerprint)) continue;
        const records = await judged(group, it, reading, refusals);
        accepted.push(...records);
        found.set(it.fingerprint, records);
      }
      return found;
    },
  };
}

/** Newest first, up to the record that decides. */
async function judged(
  group: readonly NoteRecord[],
  { feature }: Wanted,
  reading: Reading,
  refusals: Refusal[],
): Promise<Evidence[]> {
  const records: Evidence[] = [];
  for (const it of group.slice(0, MAX_JUDGED)) {
    const { record, commit } = it;
    const voucher = await judge(it, feature, reading);
    if (voucher.kind === 'refused') {
      refusals.push({ feature: feature.name, commit, reason: voucher.reason });
      continue;
    }
    records.push(asEvidence(record, voucher.value));
    if (record.expiresAt === null) break;
  }
  return records;
}
