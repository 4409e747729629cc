/** Shared evidence from the notes of this repository: for a gate without a database, and imported into the store. */

import type { Registry } from '../features/fingerprint.ts';
import type { Workspace } from '../features/workspace.ts';
import { readNotes } from '../git/notes.ts';
import { type Evidence, evidenceStore } from '../store/evidence.ts';
import { asEvidence, judge, type Reading } from './judge.ts';
import { byContent, keyOf, type NoteRecord, readNoteRecords } from './statement.ts';
import type { SharedEvidence, Wanted } from './status.ts';

/** Most records of one content that are judged: each check of a signature starts a program. */
const MAX_JUDGED = 50;

export interface Refusal {
  readonly feature: string;
  readonly commit: string;
  readonly reason: string;
}

interface NotesEvidence extends SharedEvidence {
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

/** Most records that are judged: each starts one or two programs. Older ones are rarely needed. */
const MAX_IMPORTED = 500;

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
  for (const it of news.slice(0, MAX_IMPORTED)) {
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
