/** Questions of workers that are at work for another machine. */
import { answerQuestion } from '../../lanes/talk/say.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import type { LaneView } from '../../store/lanes.ts';
import type { TeamClaim } from '../../store/team-claims.ts';
import { fetchAnswers } from '../answers.ts';
import type { Board } from '../board/board.ts';
import { withKeys } from '../reader.ts';
import { putSnapshot, snapshotOf } from '../snapshot.ts';
import { type Host, noteWhy } from './host.ts';
import { cloneOfLane } from './repository.ts';

const LIMIT_MS = 10_000;

/** Shows the team what is asked on this machine now. */
export async function showQuestions(host: Host, claim: TeamClaim, board: Board): Promise<void> {
  if (host.settings.share.lanes !== 'on') return;
  const { workspace } = await cloneOfLane(host, claim);
  const shown = await snapshotOf(workspace, host.context);
  await putSnapshot(board, { member: host.member, project: claim }, shown);
}

/**
 * Shows the team what a lane asks, and tells its worker the first answer that counts, as `orchestrate answer` does.
 *
 * @returns whether it asks.
 */
export async function exchangeQuestions(
  host: Host,
  claim: TeamClaim,
  lane: LaneView,
  connected: () => Promise<Board>,
): Promise<boolean> {
  const { context, member } = host;
  const asked = laneReportStore(context.store).openQuestions(lane.runId);
  if (asked.length === 0) return false;
  await showQuestions(host, claim, await connected());
  const clone = await cloneOfLane(host, claim);
  const ids = asked.map(({ id }) => id);
  const answers = await withKeys(context, member, clone, (keys) =>
    fetchAnswers({ member, project: claim }, ids, keys, LIMIT_MS),
  );
  noteWhy(host, claim, 'asks');
  for (const { id, seq: question } of asked) {
    const counts = answers.find((it) => it.question === id && it.by !== null);
    if (!counts?.by) continue;
    answerQuestion(context, lane, { text: counts.text, question, by: counts.by });
    host.log(`${claim.key}: was told by ${counts.by}`);
  }
  return true;
}
