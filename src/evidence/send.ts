/** Writes the evidence of a commit to its note, in signed envelopes that others can check. */
import { REGISTRY_FILE } from '../config/feature.ts';
import type { Assessed } from '../features/assess.ts';
import type { Workspace } from '../features/workspace.ts';
import type { Git } from '../git/git.ts';
import { addNoteLines, noteLines } from '../git/notes.ts';
import { type Evidence, evidenceStore } from '../store/evidence.ts';
import { envelopeLine, readEnvelope, signedBytes } from './envelope.ts';
import type { Reading } from './judge.ts';
import { type Signer, sign } from './signing.ts';
import { type Configuration, statementBytes } from './statement.ts';

export interface Sent {
  readonly feature: string;
  readonly kind: Evidence['kind'];
  /** False if the commit's note has it already. */
  readonly added: boolean;
}

export interface Sending extends Omit<Reading, 'trust'> {
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
