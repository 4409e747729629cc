/** Exchanges evidence with the board. Records are what is to be sent, and the board says which of them it lacks. */
import { createHash } from 'node:crypto';
import { attempt, explained } from '../base/errors.ts';
import type { Git } from '../base/git/git.ts';
import { commitOfHead } from '../base/git/refs.ts';
import { enumerated } from '../base/text/printable.ts';
import { envelopeLine, readEnvelope, signedBytes } from '../evidence/envelope.ts';
import { configurationAt } from '../evidence/notes.ts';
import {
  configuredSigner,
  type Scratch,
  type Signer,
  sign,
  withScratch,
} from '../evidence/signing.ts';
import {
  type NoteRecord,
  readNoteRecords,
  readStatement,
  statementBytes,
} from '../evidence/statement.ts';
import { lackingIn } from '../features/besides.ts';
import { lookAt } from '../features/comparison.ts';
import type { Wanted } from '../features/evidence-status.ts';
import { worktreeRegistry } from '../features/registry.ts';
import type { Workspace } from '../features/workspace.ts';
import { type Evidence, evidenceStore } from '../store/evidence.ts';
import type { Store } from '../store/open.ts';
import { type TeamProject, teamStore } from '../store/team.ts';
import { withBoard } from './board/board.ts';
import { keyOf, type Member } from './credentials.ts';
import { seal, subjectOf, unseal } from './seal.ts';
import { shareOf } from './settings.ts';

/** A project in a team, on this machine. */
export interface Team {
  readonly member: Member;
  readonly project: TeamProject;
}

/** Older records are not sent. */
const RECENT_MS = 30 * 24 * 60 * 60_000;

/** The most contents that are asked for, and records that are sent, in one exchange. */
const MOST_ROWS = 500;

const recentSince = (now: Date): Date => new Date(now.getTime() - RECENT_MS);

/** How many records of all projects the board has not, as far as is known here. */
export const waitingRecords = (store: Store, now: Date): number =>
  teamStore(store).waiting(recentSince(now)) ?? 0;

/** The place of an envelope on the board. */
export const placeOfEvidence = (repo: string, subject: Buffer): string =>
  `evidence|${repo}|${subject.toString('hex')}`;

/**
 * The records about some contents, not judged yet. Those that cannot be decrypted or read, or are about another
 * content, are left out, because anybody may have put them there.
 *
 * @throws {ExplainedError}
 */
export async function recordsOnBoard(
  { member, project: { repo } }: Team,
  wanted: readonly Wanted[],
  limitMs: number,
): Promise<NoteRecord[]> {
  const key = keyOf(member);
  const subjects = wanted
    .slice(0, MOST_ROWS)
    .map(({ feature, fingerprint }) => subjectOf(key, { feature: feature.name, fingerprint }));
  if (subjects.length === 0) return [];
  const rows = await withBoard(member, limitMs, (it) => it.getEvidence({ repo, subjects }));
  return rows.flatMap(({ subject, body }) => {
    const line = unseal(key, placeOfEvidence(repo, subject), body) ?? '';
    const { records } = readNoteRecords([{ commit: '', lines: [line] }]);
    return records.filter(({ record }) => subjectOf(key, record).equals(subject));
  });
}

/**
 * Sends the records of this machine that the board lacks, also because it was restored to an earlier state.
 *
 * @returns how many were sent, why others were not, as clauses, and whether there is a key to sign with.
 * @throws {ExplainedError} what could not be sent is sent by the next call.
 */
export async function sendEvidence(
  workspace: Workspace,
  { member, project: { repo, projectId } }: Team,
  { env, now }: { readonly env: NodeJS.ProcessEnv; readonly now: () => Date },
  limitMs: number,
) {
  const { store } = workspace;
  if (shareOf(workspace).evidence === 'off') return { sent: 0, why: [], signs: true };
  const team = teamStore(store);
  const key = keyOf(member);
  // A signature may differ each time, so a record is known by its place on this machine.
  const digestOf = ({ id, at }: Pick<Evidence, 'id' | 'at'>): Buffer =>
    createHash('sha256').update(`${member.host} ${id} ${at.getTime()}`).digest();
  const recent = team.recent(projectId, recentSince(now()));
  const kept = await withBoard(member, limitMs, (it) =>
    it.keptEvidence({ digests: recent.map(digestOf) }),
  );
  const isKept = (it: (typeof recent)[number]) => kept.has(digestOf(it).toString('hex'));
  store.write(() => {
    for (const it of recent) (isKept(it) ? team.addSent : team.dropSent)(it.id);
  });
  const missing = recent
    .filter((it) => !isKept(it))
    .slice(0, MOST_ROWS)
    .reverse();
  const records = missing.flatMap(({ id }) => evidenceStore(store).find(id) ?? []);
  // Signing may need a touch of a key, and no connection should be open meanwhile.
  const { lines, ...signed } = await withScratch(env, (it) => signAll(workspace, records, it));
  if (lines.size === 0) return { sent: 0, ...signed };
  await withBoard(member, limitMs, async (board) => {
    for (const [record, line] of lines) {
      const subject = subjectOf(key, record);
      const sealed = seal(key, placeOfEvidence(repo, subject), line);
      await board.putEvidence({ repo, subject, digest: digestOf(record), body: sealed });
      store.write(() => team.addSent(record.id));
    }
  });
  return { sent: lines.size, ...signed };
}

/** Signs records, and notes that those need not be sent which must never leave this machine. */
async function signAll(workspace: Workspace, records: readonly Evidence[], scratch: Scratch) {
  const lines = new Map<Evidence, string>();
  const { git, place, store } = workspace;
  const oid = git && (await commitOfHead(git));
  if (records.length === 0 || git === undefined || oid === undefined)
    return { lines, why: [], signs: true };
  const signer = await configuredSigner(git, place.root, scratch);
  const { local } = await worktreeRegistry(workspace);
  // Names of files that are in no commit are not sent. Whether the content that leaves contains the named files is
  // decided by the gate of the other machine.
  const newFiles = ({ besides }: Evidence) => besides.filter(({ oid }) => oid === '');
  const lacking = await lackingIn(
    lookAt(workspace),
    { kind: 'revision', oid },
    records.flatMap(newFiles),
  );
  const why = new Set<string>();
  for (const record of records) {
    const files = lacking({ besides: newFiles(record) });
    const line = local.has(record.feature)
      ? undefined
      : files.length > 0
        ? { why: `${enumerated(files, 3)} is not committed` }
        : await signedLine(record, git, signer, scratch);
    if (line === undefined) store.write(() => teamStore(store).addSent(record.id));
    else if (typeof line === 'string') lines.set(record, line);
    else why.add(line.why);
  }
  return { lines, why: [...why], signs: signer.kind !== 'none' };
}

/** The envelope as docs/evidence.md describes it, or why there is none now; `undefined`: it would be too large. */
async function signedLine(record: Evidence, git: Git, signer: Signer, scratch: Scratch) {
  if (signer.kind === 'none') return { why: signer.why };
  const payload = statementBytes(record, await configurationAt(git, record.revision ?? 'HEAD'));
  try {
    const line = envelopeLine(payload, await sign(signedBytes(payload), signer, scratch));
    // The board takes 64 KiB, and readers accept no longer texts than their limits allow.
    const isReadable = attempt(() => readStatement(readEnvelope(line).payload)) !== undefined;
    return isReadable && Buffer.byteLength(line) < 64_000 ? line : undefined;
  } catch (error) {
    return { why: explained(error).message };
  }
}
