/**
 * Sends what was verified here. A record comes into the outbox in the transaction in which it is made, is signed once,
 * and stays until the board has answered; what a board has lost since is sent again.
 */
import { createHash } from 'node:crypto';
import { attempt, explained } from '../base/errors.ts';
import type { Git } from '../base/git/git.ts';
import { commitOfHead } from '../base/git/refs.ts';
import { enumerated } from '../base/text/count.ts';
import { envelopeLine, readEnvelope, signedBytes } from '../evidence/envelope.ts';
import { configurationAt } from '../evidence/notes.ts';
import { type Scratch, type Signer, sign } from '../evidence/signing.ts';
import { readStatement, statementBytes } from '../evidence/statement.ts';
import { lackingIn } from '../features/besides.ts';
import { lookAt } from '../features/comparison.ts';
import { worktreeRegistry } from '../features/registry.ts';
import type { Workspace } from '../features/workspace.ts';
import { type Evidence, evidenceStore } from '../store/evidence.ts';
import { type OutboxRow, outboxStore, teamStore } from '../store/team.ts';
import { type Board, withBoard } from './board/calls.ts';
import { keyOf } from './credentials.ts';
import { placeOfEvidence } from './evidence.ts';
import { RECENT_MS, type Team } from './membership.ts';
import { seal, subjectOf } from './seal.ts';

/** Of one round; the next takes the rest. */
const MOST_ROWS = 500;

export interface Sending {
  readonly git: Git;
  readonly signer: Signer;
  readonly scratch: Scratch;
  readonly now: () => Date;
  readonly limitMs: number;
}

export interface SentOutbox {
  readonly sent: number;
  /** How many wait, and why, as clauses. */
  readonly waiting: number;
  readonly why: readonly string[];
}

/** @throws {BoardUnreachableError | BoardRefusedError} what could not be sent waits. */
export async function sendOutbox(
  workspace: Workspace,
  team: Team,
  sending: Sending,
): Promise<SentOutbox> {
  const { store, projectId } = workspace;
  const outbox = outboxStore(store);
  const { now } = sending;
  const rows = outbox.toSend(projectId, MOST_ROWS);
  // Whoever signs may have to touch a key, for which no connection waits.
  await signRows(workspace, rows, sending);
  const sent = await withBoard(team.member, sending.limitMs, async (board) => {
    await findLost(workspace, board, now());
    const ready = outbox.toSend(projectId, MOST_ROWS).filter(({ body }) => body !== null);
    for (const row of ready) await send(workspace, team, board, row, now);
    return ready.length;
  });
  const at = now();
  store.write(() => {
    teamStore(store).noteSync(at, projectId);
    outbox.prune(projectId, new Date(at.getTime() - RECENT_MS));
  });
  const left = outbox.toSend(projectId, MOST_ROWS);
  const why = [...new Set(left.flatMap((it) => it.why ?? []))];
  return { sent, waiting: left.length, why };
}

async function send(
  { store }: Workspace,
  { member, project: { repo } }: Team,
  board: Board,
  { seq, body }: OutboxRow,
  now: () => Date,
): Promise<void> {
  const line = body ?? '';
  const key = keyOf(member);
  const subject = subjectOf(key, readStatement(readEnvelope(line).payload));
  const sealed = seal(key, placeOfEvidence(repo, subject), line);
  const answer = await board.putEvidence(repo, subject, digestOf(line), sealed);
  store.write(() => outboxStore(store).answered(answer, now(), seq));
}

const digestOf = (line: string): Buffer => createHash('sha256').update(line).digest();

/** A board that was restored to an earlier state lacks what it had taken since. */
async function findLost({ store, projectId }: Workspace, board: Board, now: Date): Promise<void> {
  const outbox = outboxStore(store);
  const taken = outbox.takenSince(projectId, new Date(now.getTime() - RECENT_MS), 2 * MOST_ROWS);
  if (taken.length === 0) return;
  const digests = taken.map(({ body }) => digestOf(body ?? ''));
  const kept = await board.keptEvidence(digests);
  const lost = taken.filter((_, at) => !kept.has(digests[at]?.toString('hex') ?? ''));
  for (const { seq } of lost) store.write(() => outbox.sendAgain(seq));
}

/** Signs what has not been signed, and settles what does not leave this machine. */
async function signRows(
  workspace: Workspace,
  rows: readonly OutboxRow[],
  { git, signer, scratch, now }: Sending,
): Promise<void> {
  const { store } = workspace;
  const outbox = outboxStore(store);
  const evidence = evidenceStore(store);
  const unsigned = rows.flatMap((row) => {
    const record = row.body === null ? evidence.find(row.recordId) : undefined;
    return record === undefined ? [] : [{ row, record }];
  });
  if (unsigned.length === 0) return;
  const { local } = await worktreeRegistry(workspace);
  const uncommitted = await uncommittedIn(workspace, git, unsigned);
  for (const { row, record } of unsigned) {
    const never = local.has(record.feature) ? 'private' : expired(record, now());
    const files = uncommitted(record);
    if (never !== undefined) outbox.answered(never, now(), row.seq);
    else if (files.length > 0)
      outbox.postponed(`${enumerated(files, 3)} is not committed`, row.seq);
    else signRow(outbox, row, await signedLine(record, { git, signer, scratch }), now());
  }
}

const expired = ({ expiresAt }: Evidence, now: Date) =>
  expiresAt !== null && expiresAt <= now ? 'expired' : undefined;

function signRow(
  outbox: ReturnType<typeof outboxStore>,
  { seq }: OutboxRow,
  line: SignedLine,
  now: Date,
): void {
  if ('why' in line) outbox.postponed(line.why, seq);
  else if (isSendable(line.text)) outbox.signed(line.text, seq);
  else outbox.answered('too-large', now, seq);
}

type SignedLine = { readonly text: string } | { readonly why: string };

/**
 * Names of files that git has in no commit stay at home. Whether what is named is in the content that leaves is for
 * the gate of the other machine to say.
 */
async function uncommittedIn(
  workspace: Workspace,
  git: Git,
  records: readonly { readonly record: Evidence }[],
) {
  const head = await commitOfHead(git);
  const newFiles = ({ besides }: Evidence) => besides.filter(({ oid }) => oid === '');
  if (head === undefined) return () => [];
  const all = records.flatMap(({ record }) => newFiles(record));
  const lacking = await lackingIn(lookAt(workspace), { kind: 'revision', oid: head }, all);
  return (record: Evidence) => lacking({ besides: newFiles(record) });
}

/** The envelope as docs/evidence.md describes it, or why there is none now. */
async function signedLine(
  record: Evidence,
  { git, signer, scratch }: Pick<Sending, 'git' | 'signer' | 'scratch'>,
): Promise<SignedLine> {
  if (signer.kind === 'none') return { why: signer.why };
  const payload = statementBytes(record, await configurationAt(git, record.revision ?? 'HEAD'));
  try {
    return { text: envelopeLine(payload, await sign(signedBytes(payload), signer, scratch)) };
  } catch (error) {
    return { why: explained(error).message };
  }
}

/** The board takes 64 KiB, and others read no longer texts than their limits allow. */
function isSendable(line: string): boolean {
  const isShort = Buffer.byteLength(line) < 64_000;
  return isShort && attempt(() => readStatement(readEnvelope(line).payload)) !== undefined;
}
