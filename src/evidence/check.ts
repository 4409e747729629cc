/** What is noted at one commit, record by record: who vouches, and does it count there? */

import type { Assessed } from '../features/assess.ts';
import { noteLines } from '../git/notes.ts';
import { judge, type Reading } from './from-notes.ts';
import { type Carried, unload } from './note-records.ts';
import { type Read, refused } from './refusal.ts';
import type { PortableRecord } from './statement.ts';

export interface CheckedRecord {
  readonly record: PortableRecord;
  /** Who vouches, as a clause; `null` if it does not count. */
  readonly by: string | null;
  /** Why it does not count, as a clause. */
  readonly refusal: string | null;
}

export interface Checked {
  readonly records: readonly CheckedRecord[];
  /** Why each line that is no record is none. */
  readonly unreadable: readonly string[];
}

/** @param items every content that evidence at the commit can be about. */
export async function checkNote(
  items: readonly Assessed[],
  reading: Reading,
  commit: string,
): Promise<Checked> {
  const lines = await noteLines(reading.git, commit);
  const { carried, unreadable } = unload([{ commit, lines }]);
  const records: CheckedRecord[] = [];
  for (const it of carried) {
    const answer = await answerFor(it, items, reading);
    records.push({
      record: it.record,
      by: answer.kind === 'read' ? answer.value : null,
      refusal: answer.kind === 'refused' ? answer.reason : null,
    });
  }
  return { records, unreadable: unreadable.map(({ reason }) => reason) };
}

async function answerFor(
  carried: Carried,
  items: readonly Assessed[],
  reading: Reading,
): Promise<Read<string>> {
  const { feature, fingerprint, expiresAt } = carried.record;
  const content = items.find((it) => it.feature.name === feature && it.fingerprint === fingerprint);
  if (content === undefined) return refused('it is about other content than the commit has');
  if (expiresAt !== null && expiresAt <= reading.now) return refused('it has expired');
  return judge(carried, content.feature, reading);
}
