/**
 * Exchanges evidence with the board. A record is put into the outbox in the transaction that makes it, is signed once,
 * and stays there until the board has answered.
 */
import { createHash } from 'node:crypto';
import type { Environment } from '../base/environment.ts';
import { attempt, explained } from '../base/errors.ts';
import type { Git } from '../base/git/git.ts';
import { commitOfHead } from '../base/git/refs.ts';
import { enumerated } from '../base/text/count.ts';
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
import { type OutboxRow, type TeamProject, teamStore } from '../store/team.ts';
import { type Board, withBoard } from './board/board.ts';
import { keyOf, type Member } from './credentials.ts';
import { seal, subjectOf, unseal } from './seal.ts';
import { teamSettings } from './settings.ts';

/** A project in a team, on this machine. */
export interface Team {
  readonly member: Member;
  readonly project: TeamProject;
}

/** The age up to which found evidence is sent again. */
export const RECENT_MS = 30 * 24 * 60 * 60_000;

/** The most rows of one round. */
export const MOST_ROWS = 500;

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
 * Sends waiting records, and those that the board has lost, because it may have been restored to an earlier state.
 *
 * @returns how many were sent, how many wait and why, as clauses, and whether there is a key to sign with.
 * @throws {ExplainedError} what could not be sent waits.
 */
export async function sendOutbox(
  workspace: Workspace,
  { member, project: { repo, projectId } }: Team,
  { env, now }: { readonly env: Environment; readonly now: () => Date },
  limitMs: number,
) {
  const { store } = workspace;
  const outbox = teamStore(store);
  const key = keyOf(member);
  const nothing = { sent: 0, waiting: 0, why: [], signs: true };
  if (teamSettings(store.home).share.evidence === 'off') return nothing;
  // Signing may need a touch of a key, and no connection should be open meanwhile.
  const waiting = outbox.toSend(projectId, MOST_ROWS);
  const signs = await withScratch(env, (it) => signRows(workspace, waiting, it, now()));
  const sent = await withBoard(member, limitMs, async (board) => {
    const lost = await lostOf(board, outbox.taken(projectId, MOST_ROWS));
    for (const row of lost)
      store.write(() => outbox.note({ ...row, answer: null, answeredAt: null }));
    const ready = outbox.toSend(projectId, MOST_ROWS).filter(({ body }) => body !== null);
    for (const row of ready) {
      const line = row.body ?? '';
      const subject = subjectOf(key, readStatement(readEnvelope(line).payload));
      const sealed = seal(key, placeOfEvidence(repo, subject), line);
      const answer = await board.putEvidence({
        repo,
        subject,
        digest: digestOf(row),
        body: sealed,
      });
      store.write(() => outbox.note({ ...row, answer, answeredAt: now(), why: null }));
    }
    return ready.length;
  });
  store.write(() => outbox.prune(projectId, new Date(now().getTime() - RECENT_MS)));
  const left = outbox.toSend(projectId, MOST_ROWS);
  const why = [...new Set(left.flatMap((it) => it.why ?? []))];
  return { sent, waiting: left.length, why, signs };
}

const digestOf = ({ body }: OutboxRow): Buffer =>
  createHash('sha256')
    .update(body ?? '')
    .digest();

async function lostOf(board: Board, taken: readonly OutboxRow[]): Promise<readonly OutboxRow[]> {
  const kept =
    taken.length === 0 ? new Set() : await board.keptEvidence({ digests: taken.map(digestOf) });
  return taken.filter((row) => !kept.has(digestOf(row).toString('hex')));
}

/** Signs unsigned records, and marks those that must not leave this machine. @returns whether there is a key. */
async function signRows(
  workspace: Workspace,
  rows: readonly OutboxRow[],
  scratch: Scratch,
  now: Date,
): Promise<boolean> {
  const { store } = workspace;
  const evidence = evidenceStore(store);
  const unsigned = rows.flatMap((row) => {
    const record = row.body === null ? evidence.find(row.recordId) : undefined;
    return record === undefined ? [] : [{ row, record }];
  });
  const { git, place } = workspace;
  const oid = git && (await commitOfHead(git));
  if (unsigned.length === 0 || git === undefined || oid === undefined) return true;
  const signer = await configuredSigner(git, place.root, scratch);
  const { local } = await worktreeRegistry(workspace);
  // Names of files that are in no commit are not sent. Whether the content that leaves contains the named files is
  // decided by the gate of the other machine.
  const newFiles = ({ besides }: Evidence) => besides.filter(({ oid }) => oid === '');
  const all = unsigned.flatMap(({ record }) => newFiles(record));
  const lacking = await lackingIn(lookAt(workspace), { kind: 'revision', oid }, all);
  for (const { row, record } of unsigned) {
    const files = lacking({ besides: newFiles(record) });
    const state = local.has(record.feature)
      ? { answer: 'private' }
      : files.length > 0
        ? { why: `${enumerated(files, 3)} is not committed` }
        : await signed(record, git, signer, scratch);
    const answeredAt = 'answer' in state ? now : null;
    store.write(() => teamStore(store).note({ ...row, why: null, answeredAt, ...state }));
  }
  return signer.kind !== 'none';
}

/** The envelope as docs/evidence.md describes it, or why there is none now or ever. */
async function signed(record: Evidence, git: Git, signer: Signer, scratch: Scratch) {
  if (signer.kind === 'none') return { why: signer.why };
  const payload = statementBytes(record, await configurationAt(git, record.revision ?? 'HEAD'));
  try {
    const body = envelopeLine(payload, await sign(signedBytes(payload), signer, scratch));
    // The board takes 64 KiB, and readers accept no longer texts than their limits allow.
    const isReadable = attempt(() => readStatement(readEnvelope(body).payload)) !== undefined;
    return isReadable && Buffer.byteLength(body) < 64_000 ? { body } : { answer: 'too-large' };
  } catch (error) {
    return { why: explained(error).message };
  }
}
