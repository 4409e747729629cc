/** Evidence that travels with commits: send it, import that of others, check it. */

import type { Transfer } from '../../base/git/git.ts';
import { fetchNotes, pushNotes } from '../../base/git/notes.ts';
import { remoteMeant } from '../../base/git/refs.ts';
import { type Trust, trustBetween } from '../../evidence/judge.ts';
import {
  type Checked,
  checkNote,
  contentsAt,
  type ImportedRecords,
  importNoteRecords,
  noteEvidence,
  type Sent,
} from '../../evidence/notes.ts';
import { configuredSigner, type Signer, withScratch } from '../../evidence/signing.ts';
import { type AppContext, openEvidenceProject, openFeatures, openProject } from '../context.ts';
import { comparisonOf, gitOf } from './holds.ts';

export interface SentEvidence {
  readonly commit: string;
  readonly remote: string;
  /** Absent if there was nothing to send. */
  readonly signed?: boolean;
  /** False if the remote had all of it. */
  readonly pushed?: boolean;
  readonly sent: readonly Sent[];
}

export interface SendReport {
  readonly data: SentEvidence;
  readonly signer: Signer;
}

export async function sendEvidence(
  context: AppContext,
  wish: { readonly remote?: string; readonly rev?: string; readonly sign: boolean },
  transfer: Transfer,
): Promise<SendReport> {
  const workspace = await openProject(context);
  const git = gitOf(workspace);
  const { root } = workspace.place;
  const remote = await remoteMeant(git, wish.remote);
  const comparison = await comparisonOf(workspace, { head: wish.rev });
  const commit = comparison.subject.oid;
  const now = context.now();
  const items = await contentsAt(workspace, comparison, now);
  const { sent, signer } = await withScratch(context.env, async (scratch) => {
    const signer: Signer = wish.sign
      ? await configuredSigner(git, root, scratch)
      : { kind: 'none', why: '`--no-sign` was given' };
    const sent = await noteEvidence(workspace, items, { git, commit, signer, scratch, now });
    return { sent, signer };
  });
  if (sent.length === 0) return { data: { commit, remote, sent }, signer };
  const outcome = await pushNotes(git, remote, transfer);
  const signed = signer.kind !== 'none';
  return { data: { commit, remote, signed, pushed: outcome === 'sent', sent }, signer };
}

export interface ImportedEvidence extends ImportedRecords {
  readonly remote: string;
  readonly require: Trust['require'];
}

export async function importEvidence(
  context: AppContext,
  wish: { readonly remote?: string | undefined },
  transfer: Transfer,
): Promise<ImportedEvidence> {
  const { workspace, registry } = await openFeatures(context);
  const git = gitOf(workspace);
  const remote = await remoteMeant(git, wish.remote);
  await fetchNotes(git, remote, transfer);
  const comparison = await comparisonOf(workspace, {});
  // No file can be named here: what is imported lifts holds of the agent that may be asking.
  const trust = await trustBetween(workspace, git, comparison, undefined);
  const now = context.now();
  const imported = await withScratch(context.env, (scratch) =>
    importNoteRecords(
      workspace,
      registry.features,
      { git, trust, now, scratch },
      comparison.subject.oid,
    ),
  );
  return { remote, require: trust.require, ...imported };
}

export interface CheckedEvidence extends Checked {
  readonly commit: string;
  readonly require: Trust['require'];
  /** The file that says who may sign. */
  readonly signers: string | null;
}

export async function checkEvidence(
  context: AppContext,
  {
    rev,
    base,
    allowedSigners,
  }: { readonly rev?: string; readonly base?: string; readonly allowedSigners?: string },
): Promise<CheckedEvidence> {
  const workspace = await openEvidenceProject(context);
  const git = gitOf(workspace);
  const comparison = await comparisonOf(workspace, { head: rev, base });
  const { subject } = comparison;
  const trust = await trustBetween(workspace, git, comparison, allowedSigners);
  const now = context.now();
  const items = await contentsAt(workspace, comparison, now);
  const checked = await withScratch(context.env, (scratch) =>
    checkNote(items, { git, trust, now, scratch }, subject.oid),
  );
  const signers = trust.signers.kind === 'known' ? trust.signers.from : null;
  return { commit: subject.oid, require: trust.require, signers, ...checked };
}
