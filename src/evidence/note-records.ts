/** The records that notes carry, read and sorted by what they are about; not judged yet. */
import type { Note } from '../git/notes.ts';
import { type Envelope, readEnvelope } from './envelope.ts';
import { type Read, read } from './refusal.ts';
import { type PortableRecord, readStatement } from './statement.ts';

/** A record with the envelope that it came in, and the commit that this was found at. */
export interface Carried {
  readonly record: PortableRecord;
  readonly envelope: Envelope;
  readonly commit: string;
}

export interface Unreadable {
  readonly commit: string;
  readonly reason: string;
}

export interface Load {
  readonly carried: readonly Carried[];
  readonly unreadable: readonly Unreadable[];
}

/** Lines of one note that are read; a commit has as many records as its features, or some more. */
const MAX_LINES = 5_000;

export function unload(notes: readonly Note[]): Load {
  const carried: Carried[] = [];
  const unreadable: Unreadable[] = [];
  const seen = new Set<string>();
  for (const { commit, lines } of notes) {
    if (lines.length > MAX_LINES) {
      unreadable.push({
        commit,
        reason: `only ${MAX_LINES} of its ${lines.length} lines are read`,
      });
    }
    for (const line of lines.slice(0, MAX_LINES)) {
      if (seen.has(line)) continue;
      seen.add(line);
      const it = readLine(line, commit);
      if (it.kind === 'read') carried.push(it.value);
      else unreadable.push({ commit, reason: it.reason });
    }
  }
  return { carried, unreadable };
}

function readLine(line: string, commit: string): Read<Carried> {
  const envelope = readEnvelope(line);
  if (envelope.kind === 'refused') return envelope;
  const record = readStatement(envelope.value.payload);
  if (record.kind === 'refused') return record;
  return read({ record: record.value, envelope: envelope.value, commit });
}

/** By what they are about: the feature and exactly one content of it; newest first. */
export function byContent(carried: readonly Carried[]): ReadonlyMap<string, readonly Carried[]> {
  const groups = Map.groupBy(carried, ({ record }) => keyOf(record));
  for (const group of groups.values()) {
    group.sort((a, b) => b.record.at.getTime() - a.record.at.getTime());
  }
  return groups;
}

/** The name counts as well: a fingerprint has one feature, and a subject that says another lies. */
export function keyOf({
  feature,
  fingerprint,
}: {
  readonly feature: string;
  readonly fingerprint: string;
}): string {
  return `${fingerprint} ${feature}`;
}
