/**
 * Imports shared evidence into the store. Hooks have no time to read notes and check signatures, so
 * the records are judged once, when they are pulled, and stored with who vouches for them.
 */
import type { Registry } from '../features/fingerprint.ts';
import type { Workspace } from '../features/workspace.ts';
import { readNotes } from '../git/notes.ts';
import { type Evidence, evidenceStore } from '../store/evidence.ts';
import type { Refusal } from './from-notes.ts';
import { asEvidence, judge, type Reading } from './judge.ts';
import { byContent, keyOf, type NoteRecord, readNoteRecords } from './note-records.ts';

/** Most records that are judged: each starts one or two programs. Older ones are rarely needed. */
const MAX_JUDGED = 500;

export interface ImportedEvidence {
  readonly records: readonly Evidence[];
  readonly refusals: readonly Refusal[];
  readonly unreadable: number;
}

/** @param head the commit whose note is read first. */
export async function importEvidence(
  workspace: Workspace,
  registry: Registry,
  reading: Reading,
  head: string,
): Promise<ImportedEvidence> {
  const { notes, unread } = await readNotes(reading.git, head);
  const { records: found, unreadable } = readNoteRecords(notes);
  const records: Evidence[] = [];
  const refusals: Refusal[] = [];
  const decided = new Set<string>();
  const news = [...byContent(found).values()].flatMap((group) =>
    newerThanKnown(workspace, group, reading.now),
  );
  for (const it of news.slice(0, MAX_JUDGED)) {
    const { record, commit } = it;
    const feature = registry.get(record.feature);
    if (feature === undefined || decided.has(keyOf(record))) continue;
    // The definition at that content is only known at the gate.
    const voucher = await judge(it, feature, reading, 'unknown');
    if (voucher.kind === 'refused') {
      refusals.push({ feature: feature.name, commit, reason: voucher.reason });
      continue;
    }
    records.push(asEvidence(record, voucher.value));
    if (record.expiresAt === null) decided.add(keyOf(record));
  }
  keep(workspace, records);
  return { records, refusals, unreadable: unread + unreadable.length };
}

/**
 * In the store a later row supersedes an earlier one. So a record that is older than the deciding
 * one of a content must not be added after it.
 */
function newerThanKnown(
  { store, projectId }: Workspace,
  group: readonly NoteRecord[],
  now: Date,
): NoteRecord[] {
  const [first] = group;
  if (first === undefined) return [];
  const lasts = (expiresAt: Date | null) => expiresAt === null || expiresAt > now;
  const known = evidenceStore(store)
    .ofContent(projectId, first.record.fingerprint)
    .find(({ expiresAt }) => lasts(expiresAt));
  return group.filter(
    ({ record }) => lasts(record.expiresAt) && (known === undefined || record.at > known.at),
  );
}

function keep({ store, projectId }: Workspace, records: readonly Evidence[]): void {
  if (records.length === 0) return;
  const evidence = evidenceStore(store);
  store.write(() => {
    for (const { id: _, at, ...record } of records.toReversed()) {
      evidence.add({ ...record, projectId }, at);
    }
  });
}
