/** What a machine exchanges with its team beside its work. */
import { join } from 'node:path';
import type { Home } from '../../base/files/home.ts';
import { PRIVATE, replaceFile } from '../../base/files/replace-file.ts';
import type { Workspace } from '../../features/workspace.ts';
import { selectFeatures } from '../../gate/pending.ts';
import { withBoard } from '../../team/board/board.ts';
import { keyOf } from '../../team/credentials.ts';
import { sendOutbox, type Team } from '../../team/exchange.ts';
import { exchangeNotes } from '../../team/notes/exchange.ts';
import { teamSettings } from '../../team/settings.ts';
import { NOTHING_SHOWN, sealSnapshot, snapshotOf } from '../../team/snapshot.ts';
import type { AppContext } from '../context.ts';
import { comparisonOf } from '../hold/holds.ts';
import { LIMIT_MS, takeOver, teamMeant } from '../hold/team.ts';
import { openLaneProject } from '../lanes/open-run.ts';
import { takeAnswers } from './answers.ts';
import { signingFor, withReader } from './reader.ts';

/** The time of this file is that of the last answer of the board. */
export const contactFile = (home: Home): string => join(home.team, 'contact');

export const noteContact = (home: Home): void =>
  replaceFile(contactFile(home), '', { mode: PRIVATE });

/** Sends what waits here, takes over what others say of what is held here, and shows how the runs of this machine stand. */
export async function syncTeam(context: AppContext) {
  const { workspace, laneContext } = await openLaneProject(context);
  const { home } = workspace.store;
  const team = teamMeant(workspace);
  const { subject } = await comparisonOf(workspace, {});
  const held = await Promise.all(
    [subject, { kind: 'worktree' } as const].map((it) =>
      selectFeatures(workspace, it, 'pending', context.now()),
    ),
  );
  const imported = await takeOver(context, workspace, team, held.flat(), LIMIT_MS);
  const sent = await sendOutbox(workspace, team, context, LIMIT_MS);
  const answers = await takeAnswers(context, workspace, laneContext, team);
  const notes = await exchangeProjectNotes(context, workspace, team);
  const { share } = teamSettings(home);
  const { member, project } = team;
  const shown = share.lanes === 'on' ? await snapshotOf(workspace, laneContext) : NOTHING_SHOWN;
  await withBoard(member, LIMIT_MS, async (board) => {
    const body = sealSnapshot(keyOf(member), project.repo, member.host, shown);
    await board.putSnapshot(project.repo, body);
    await board.tidy();
  });
  noteContact(home);
  return { ...imported, ...sent, answers, notes };
}

const exchangeProjectNotes = (context: AppContext, workspace: Workspace, team: Team) =>
  withReader(context, workspace, team, async (reader, own) => {
    const { notesFrom, share } = teamSettings(workspace.store.home);
    const { signer } = await signingFor(workspace, team, reader.scratch);
    const from = [...own, ...(notesFrom ?? [])];
    const wish = { share: share.notes === 'on' ? 'all' : 'named', limitMs: LIMIT_MS } as const;
    return exchangeNotes(workspace, { team, reader, signer, from, ...wish });
  });
