/** Reads the records in notes and groups them by content. Whether they count is judged elsewhere. */
import type { Note } from '../git/notes.ts';
import { type Envelope, type Read, read, readEnvelope } from './envelope.ts';
import { type PortableRecord, readStatement } from './statement.ts';

/** A record with its envelope, and the commit whose note it was found in. */
export interface NoteRecord {
  readonly record: PortableRecord;
  readonly envelope: Envelope;
  readonly commit: string;
}

export interface NoteRecords {
  readonly records: readonly NoteRecord[];
  /** Why each line that is no record is none. */
  readonly unreadable: readonly string[];
}

/** Most lines of one note that are read; a commit has about as many records as features. */
const MAX_LINES = 5_000;

export function readNoteRecords(notes: readonly Note[]): NoteRecords {
  const records: NoteRecord[] = [];
  const unreadable: string[] = [];
  const seen = new Set<string>();
  for (const { commit, lines } of notes) {
    if (lines.length > MAX_LINES) {
      unreadable.push(`only ${MAX_LINES} of its ${lines.length} lines are read`);
    }
    for (const line of lines.slice(0, MAX_LINES)) {
      if (seen.has(line)) continue;
      seen.add(line);
      const it = readLine(line, commit);
      if (it.kind === 'read') records.push(it.value);
      else unreadable.push(it.reason);
    }
  }
  return { records, unreadable };
}

function readLine(line: string, commit: string): Read<NoteRecord> {
  const envelope = readEnvelope(line);
  if (envelope.kind === 'refused') return envelope;
  const record = readStatement(envelope.value.payload);
  if (record.kind === 'refused') return record;
  return read({ record: record.value, envelope: envelope.value, commit });
}

/** By feature and fingerprint; newest first. */
export function byContent(
  records: readonly NoteRecord[],
): ReadonlyMap<string, readonly NoteRecord[]> {
  const groups = Map.groupBy(records, ({ record }) => keyOf(record));
  for (const group of groups.values()) {
    group.sort((a, b) => b.record.at.getTime() - a.record.at.getTime());
  }
  return groups;
}

/** With the name, because a forged subject may combine a fingerprint with another feature. */
export function keyOf(it: Pick<PortableRecord, 'feature' | 'fingerprint'>): string {
  return `${it.fingerprint} ${it.feature}`;
}
