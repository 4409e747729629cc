/** Checks the note of one commit, record by record: who vouches for it, and whether it counts there. */
import { type Assessed, assess, assessNamed } from '../features/assess.ts';
import { type Comparison, subjectRegistry } from '../features/comparison.ts';
import type { Workspace } from '../features/workspace.ts';
import { noteLines } from '../git/notes.ts';
import { type Read, refused } from './envelope.ts';
import { judge, type Reading } from './judge.ts';
import { type NoteRecord, type NoteRecords, readNoteRecords } from './note-records.ts';
import type { PortableRecord } from './statement.ts';

export interface CheckedRecord {
  readonly record: PortableRecord;
  /** Who vouches, as a clause; `null` if it does not count. */
  readonly by: string | null;
  /** Why it does not count, as a clause. */
  readonly refusal: string | null;
}

export interface Checked extends Pick<NoteRecords, 'unreadable'> {
  readonly records: readonly CheckedRecord[];
}

/** @param items every content that evidence at the commit can be about. */
export async function checkNote(
  items: readonly Assessed[],
  reading: Reading,
  commit: string,
): Promise<Checked> {
  const lines = await noteLines(reading.git, commit);
  const { records, unreadable } = readNoteRecords([{ commit, lines }]);
  const checked: CheckedRecord[] = [];
  for (const it of records) {
    const answer = await answerFor(it, items, reading);
    checked.push({
      record: it.record,
      by: answer.kind === 'read' ? answer.value : null,
      refusal: answer.kind === 'refused' ? answer.reason : null,
    });
  }
  return { records: checked, unreadable };
}

async function answerFor(
  it: NoteRecord,
  items: readonly Assessed[],
  reading: Reading,
): Promise<Read<string>> {
  const { feature, fingerprint, expiresAt } = it.record;
  const content = items.find((it) => it.feature.name === feature && it.fingerprint === fingerprint);
  if (content === undefined) return refused('it is about other content than the commit has');
  if (expiresAt !== null && expiresAt <= reading.now) return refused('it has expired');
  return judge(it, content.feature, reading);
}

/**
 * Every content that evidence at a commit can be about: the shared features by the definition in the
 * commit, and by each earlier definition that the commit narrows, because a gate may compare it with
 * its own branch or with the default one. Private features are left out: no other machine knows them.
 */
export async function contentsAt(
  workspace: Workspace,
  { subject, base, published }: Comparison,
  now: Date,
): Promise<Assessed[]> {
  const { features, local } = await subjectRegistry(workspace, subject);
  const limit = { now, maxAgeMs: Number.POSITIVE_INFINITY };
  const all = { names: features.keys(), features };
  const contents = await assessNamed(workspace, subject, all, limit);
  for (const before of new Set([base, ...published])) {
    const { affected } = await assess(workspace, { subject, base: before, published: [] }, now);
    contents.push(...affected.filter(({ definedBy }) => definedBy === 'base'));
  }
  const byFingerprint = new Map(contents.map((it) => [it.fingerprint, it]));
  return [...byFingerprint.values()].filter(({ feature }) => !local.has(feature.name));
}
