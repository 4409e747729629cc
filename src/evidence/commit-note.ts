/** Evidence in the note of one commit: written to it in signed envelopes that others can check, and checked record by record. */
import { REGISTRY_FILE } from '../config/feature.ts';
import { type Assessed, assess, assessNamed } from '../features/assess.ts';
import { type Comparison, subjectRegistry } from '../features/comparison.ts';
import type { Workspace } from '../features/workspace.ts';
import type { Git } from '../git/git.ts';
import { addNoteLines, noteLines } from '../git/notes.ts';
import { type Evidence, evidenceStore } from '../store/evidence.ts';
import { envelopeLine, type Read, readEnvelope, refused, signedBytes } from './envelope.ts';
import { judge, type Reading } from './judge.ts';
import { type Signer, sign } from './signing.ts';
import {
  type Configuration,
  type NoteRecord,
  type NoteRecords,
  type PortableRecord,
  readNoteRecords,
  statementBytes,
} from './statement.ts';

export interface Sent {
  readonly feature: string;
  readonly kind: Evidence['kind'];
  /** False if the commit's note has it already. */
  readonly added: boolean;
}

interface Sending extends Omit<Reading, 'trust'> {
  readonly commit: string;
  readonly signer: Signer;
}

/** Only records of this machine: signing those of others would mean to vouch for them. */
export async function noteEvidence(
  workspace: Workspace,
  items: readonly Assessed[],
  { git, commit, signer, scratch, now }: Sending,
): Promise<Sent[]> {
  const configuration = await configurationAt(git, commit);
  const known = knownPayloads(await noteLines(git, commit));
  const lines: string[] = [];
  const sent: Sent[] = [];
  for (const item of items) {
    for (const record of speaking(workspace, item, now)) {
      const payload = statementBytes(record, configuration);
      const before = known.get(payload.toString('base64'));
      const added = before === undefined || (before === 'unsigned' && signer.kind !== 'none');
      sent.push({ feature: item.feature.name, kind: record.kind, added });
      if (!added) continue;
      lines.push(envelopeLine(payload, await sign(signedBytes(payload), signer, scratch)));
    }
  }
  if (lines.length > 0) await addNoteLines(git, commit, lines);
  return sent;
}

/** The record that decides about a content, and waivers that are newer; newest first. */
function speaking(
  { store, projectId }: Workspace,
  { fingerprint }: Assessed,
  now: Date,
): Evidence[] {
  const records = evidenceStore(store)
    .ofContent(projectId, fingerprint)
    .filter(({ source, expiresAt }) => source === null && (expiresAt === null || expiresAt > now));
  const decisive = records.findIndex(({ expiresAt }) => expiresAt === null);
  return decisive === -1 ? records : records.slice(0, decisive + 1);
}

async function configurationAt(git: Git, commit: string): Promise<Configuration[]> {
  const args = ['rev-parse', '--verify', '--quiet', `${commit}:${REGISTRY_FILE}`];
  const blob = await git.maybe(args, [1, 128]);
  return blob === undefined ? [] : [{ name: REGISTRY_FILE, digest: { gitBlob: blob.trim() } }];
}

/** Compares payloads, because signing the same bytes again may give another signature. */
function knownPayloads(lines: readonly string[]): ReadonlyMap<string, 'signed' | 'unsigned'> {
  const known = new Map<string, 'signed' | 'unsigned'>();
  for (const line of lines) {
    const envelope = readEnvelope(line);
    if (envelope.kind === 'refused') continue;
    const key = envelope.value.payload.toString('base64');
    if (envelope.value.signatures.length > 0) known.set(key, 'signed');
    else if (!known.has(key)) known.set(key, 'unsigned');
  }
  return known;
}

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
