/** Evidence that is sent with commits: sends it, imports that of others, checks it. */

import type { Transfer } from '../../base/git/git.ts';
import { fetchNotes, pushNotes } from '../../base/git/notes.ts';
import { remoteMeant } from '../../base/git/remotes.ts';
import { trustBetween } from '../../evidence/judge.ts';
import { checkNote, contentsAt, importNoteRecords, noteEvidence } from '../../evidence/notes.ts';
import { configuredSigner, type Signer, withScratch } from '../../evidence/signing.ts';
import { type AppContext, openEvidenceProject, openFeatures, openProject } from '../context.ts';
import { comparisonOf, gitOf } from './holds.ts';

export type SendReport = Awaited<ReturnType<typeof sendEvidence>>;

export async function sendEvidence(
  context: AppContext,
  wish: { readonly remote?: string; readonly rev?: string; readonly sign: boolean },
  transfer: Transfer,
) {
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

export type ImportedEvidence = Awaited<ReturnType<typeof importEvidence>>;

export async function importEvidence(
  context: AppContext,
  wish: { readonly remote?: string | undefined },
  transfer: Transfer,
) {
  const { workspace, registry } = await openFeatures(context);
  const git = gitOf(workspace);
  const remote = await remoteMeant(git, wish.remote);
  await fetchNotes(git, remote, transfer);
  const comparison = await comparisonOf(workspace, {});
  // No file can be given here: imported evidence lifts holds of the agent that may be running this.
  const trust = await trustBetween(workspace, git, comparison, undefined);
  const now = context.now();
  const { oid } = comparison.subject;
  const imported = await withScratch(context.env, (scratch) =>
    importNoteRecords(workspace, registry.features, { git, trust, now, scratch }, oid),
  );
  return { remote, require: trust.require, ...imported };
}

export type CheckedEvidence = Awaited<ReturnType<typeof checkEvidence>>;

/** `signers` is the file that lists who may sign. */
export async function checkEvidence(
  context: AppContext,
  wish: { readonly rev?: string; readonly base?: string; readonly allowedSigners?: string },
) {
  const workspace = await openEvidenceProject(context);
  const git = gitOf(workspace);
  const comparison = await comparisonOf(workspace, { head: wish.rev, base: wish.base });
  const { subject } = comparison;
  const trust = await trustBetween(workspace, git, comparison, wish.allowedSigners);
  const now = context.now();
  const items = await contentsAt(workspace, comparison, now);
  const checked = await withScratch(context.env, (scratch) =>
    checkNote(items, { git, trust, now, scratch }, subject.oid),
  );
  const signers = trust.signers.kind === 'known' ? trust.signers.from : null;
  return { commit: subject.oid, require: trust.require, signers, ...checked };
}
