/** What a machine exchanges with its team beside its work. */
import { keptFromTeam } from '../../base/config/files.ts';
import { lockFile, shortHash, withLock } from '../../base/process/with-lock.ts';
import type { Workspace } from '../../features/workspace.ts';
import { selectFeatures } from '../../gate/pending.ts';
import type { LaneContext } from '../../lanes/spec/context.ts';
import { runStore } from '../../store/lanes.ts';
import { withBoard } from '../../team/board/board.ts';
import { sendEvidence, type Team, waitingRecords } from '../../team/exchange.ts';
import { exchangeNotes } from '../../team/notes/exchange.ts';
import { shareOf, teamSettings } from '../../team/settings.ts';
import { NOTHING_SHOWN, putSnapshot, snapshotOf } from '../../team/snapshot.ts';
import type { AppContext } from '../context.ts';
import { comparisonOf } from '../hold/holds.ts';
import { LIMIT_MS, takeOver, teamMeant } from '../hold/team.ts';
import { withProjectKeys } from '../hold/team-reader.ts';
import { openLaneProject } from '../lanes/open-run.ts';
import { takeAnswers } from '../lanes/team-answers.ts';
import { tendTeam } from '../lanes/team-lanes.ts';
import { askMachines } from './contact.ts';

/** Sends what waits here, takes over what others say, and shows how the runs of this machine stand. */
export async function syncTeam(context: AppContext) {
  const { workspace, laneContext } = await openLaneProject(context);
  const { home } = workspace.store;
  const team = teamMeant(workspace);
  const lock = lockFile(home.locks, 'team', shortHash(workspace.place.identity));
  const what = 'another exchange with the team';
  return withLock(lock, { waitMs: 60_000, what }, async () => {
    const { subject } = await comparisonOf(workspace, {});
    const held = await Promise.all(
      [subject, { kind: 'worktree' } as const].map((it) =>
        selectFeatures(workspace, it, 'pending', context.now()),
      ),
    );
    const imported = await takeOver(context, workspace, team, held.flat(), LIMIT_MS);
    const sent = await sendEvidence(workspace, team, context, LIMIT_MS);
    const answers = await takeAnswers(context, workspace, laneContext, team);
    const notes = await exchangeProjectNotes(context, workspace, team);
    for (const run of runStore(workspace.store).open(workspace.projectId))
      await tendTeam(laneContext, run, context.progress);
    await putRuns(workspace, laneContext, team);
    const waiting = waitingRecords(workspace.store, context.now());
    return { ...imported, ...sent, waiting, answers, notes };
  });
}

/** Shows the team how the runs of this machine stand. */
export async function showRuns(context: AppContext): Promise<void> {
  const { workspace, laneContext } = await openLaneProject(context);
  await putRuns(workspace, laneContext, teamMeant(workspace));
}

async function putRuns(workspace: Workspace, laneContext: LaneContext, team: Team): Promise<void> {
  const own = await snapshotOf(workspace, laneContext);
  const shown = shareOf(workspace).lanes === 'on' ? own : NOTHING_SHOWN;
  await withBoard(team.member, LIMIT_MS, async (board) => {
    await askMachines(board, workspace, team, own);
    await putSnapshot(board, team, shown);
    await board.tidy();
  });
}

const exchangeProjectNotes = (context: AppContext, workspace: Workspace, team: Team) =>
  withProjectKeys(context, workspace, team, async (keys) => {
    if (keptFromTeam(workspace.place.root).notes === 'off') return { sent: 0, came: 0, why: '' };
    const { notesFrom } = teamSettings(workspace.store.home);
    const from = [...(await keys.own()), ...notesFrom];
    const share = shareOf(workspace).notes === 'on' ? 'all' : 'named';
    return exchangeNotes(workspace, { team, keys, from, share, limitMs: LIMIT_MS });
  });
