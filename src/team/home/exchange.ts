/**
 * The exchange of a run's home with the board: hears what became of its lanes, and says what is to be done. What the
 * board lacks is said again, whether an answer was lost, or the board was restored to an earlier state.
 */
import type { LaneContext } from '../../lanes/spec/context.ts';
import { isOpen } from '../../lanes/start/start.ts';
import type { LaneView, Run } from '../../store/lanes.ts';
import { teamLaneStore } from '../../store/offered-lanes.ts';
import { withBoard } from '../board/board.ts';
import { remoteRefs } from '../refs.ts';
import { importLane, lateWork } from './import.ts';
import { sayingsOf } from './publish.ts';
import { type Exchange, exchangeOf } from './session.ts';

/**
 * Nothing is signed, fetched or pushed while a connection is open.
 *
 * @returns whether a lane has changed here.
 * @throws {ExplainedError} if the board cannot be reached; then nothing is lost.
 */
export async function exchangeRun(
  context: LaneContext,
  run: Run,
  limitMs: number,
): Promise<boolean> {
  const it = await exchangeOf(context, run);
  const rows = teamLaneStore(context.store).ofRun(run.id);
  const open = rows.filter(isOpen).map(({ laneId }) => laneId);
  const { rev, lanes } = await hear(it, open, limitMs);
  const there = new Map(lanes.map((lane) => [lane.lane, lane]));
  let hasChanged = false;
  for (const row of rows) {
    const lane = there.get(row.laneId);
    if (lane !== undefined && (await importLane(it, row, lane))) hasChanged = true;
  }
  const sayings = await sayingsOf(it, rev, there);
  if (sayings.length === 0) return hasChanged;
  await withBoard(it.member, limitMs, async (board) => {
    for (const say of sayings) await say(board);
  });
  return hasChanged;
}

const hear = ({ member, run }: Exchange, open: readonly string[], limitMs: number) =>
  withBoard(member, limitMs, (board) => board.homeLanes({ run: run.id, open }));

/** Fetches the newest late work of a lane. @throws {ExplainedError} if there is none, or it is not as signed. */
export async function fetchLate(context: LaneContext, run: Run, lane: LaneView, limitMs: number) {
  const it = await exchangeOf(context, run);
  const { lanes } = await hear(it, [lane.id], limitMs);
  return lateWork(it, lane, lanes);
}

/** Deletes what machines have pushed for a run. @returns the full names of the refs. @throws {ExplainedError} */
export async function dropRefs(context: LaneContext, run: Run, mode: 'remove' | 'dry-run') {
  const { remote, settings } = await exchangeOf(context, run);
  const found = [...(await remoteRefs(remote, `${settings.refs}/${run.id}/*`)).keys()];
  if (mode === 'remove' && found.length > 0)
    await remote.git.text(['push', '--quiet', '--', remote.name, ...found.map((it) => `:${it}`)]);
  return found;
}
