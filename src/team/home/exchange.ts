/**
 * The exchange of a run's home with the board: hears what became of its lanes, and says what is to be done. Each part
 * may be repeated, and what the board has lost is said again.
 */
import { join } from 'node:path';
import { ExplainedError } from '../../base/errors.ts';
import { readPlainFile } from '../../base/files/plain-file.ts';
import { gitOfRun, type LaneContext } from '../../lanes/spec/context.ts';
import { attemptStore } from '../../store/attempts.ts';
import { type LaneView, laneStore, type Run } from '../../store/lanes.ts';
import { type TeamLane, teamLaneStore } from '../../store/offered-lanes.ts';
import { teamStore } from '../../store/team.ts';
import { type Answer, type Board, withBoard } from '../board/board.ts';
import { readMember } from '../credentials.ts';
import type { Team } from '../exchange.ts';
import { deleteRefs, remoteAt, runRefs } from '../refs.ts';
import { teamSettings } from '../settings.ts';
import { importLane, RESULT_FILE } from './import.ts';
import { placeOf, type Saying, sayingsOf } from './publish.ts';
import { type Exchange, exchangeOf, type News } from './session.ts';
import { sharedTip } from './tip.ts';

interface Heard {
  readonly hosts: Exchange['hosts'];
  readonly kept: Answer<'keptLanes'>[number] | undefined;
  readonly rows: readonly News[];
  /** The change up to which the board was read. */
  readonly changed: number;
}

/** The team of a run. @throws {ExplainedError} if this machine or the project is in none. */
function teamOfRun({ store }: LaneContext, { projectId }: Run): Team {
  const member = readMember(store.home);
  const project = teamStore(store).ofProject(projectId);
  if (member !== undefined && project !== undefined) return { member, project };
  const fact = member === undefined ? 'this machine is in no team' : 'this project is in no team';
  throw new ExplainedError(fact, { code: 'NO_TEAM', hint: '`lanehold team connect`' });
}

/** @throws {ExplainedError} */
export const exchangeRun = (context: LaneContext, run: Run, limitMs: number): Promise<boolean> =>
  exchanged(context, teamOfRun(context, run), run, limitMs);

async function remoteOfRun(context: LaneContext, run: Run) {
  const { project } = teamOfRun(context, run);
  const remote = await remoteAt(gitOfRun(context, run), project.remote);
  return { remote, refs: teamSettings(context.store.home).refs };
}

/** @throws {ExplainedError} */
export async function sharedTipOf(context: LaneContext, run: Run) {
  const { remote, refs } = await remoteOfRun(context, run);
  return sharedTip(context, run, remote, refs);
}

/** Deletes what machines have pushed for a run. @returns the full names of the refs. @throws {ExplainedError} */
export async function dropRefs(context: LaneContext, run: Run, mode: 'remove' | 'dry-run') {
  const { remote, refs } = await remoteOfRun(context, run);
  const found = await runRefs(remote, refs, run.id);
  if (mode === 'remove' && found.length > 0) await deleteRefs(remote, found);
  return found;
}

/**
 * Exchanges a run with the board. Nothing is signed, fetched or pushed while a connection is open.
 *
 * @returns whether a lane has changed here.
 * @throws {ExplainedError} if the board cannot be reached; then nothing is lost.
 */
async function exchanged(context: LaneContext, team: Team, run: Run, limitMs: number) {
  const { store } = context;
  const heard = await withBoard(team.member, limitMs, (board) => hear(context, board, team, run));
  const it = await exchangeOf(context, team, run, heard.hosts);
  let hasChanged = false;
  for (const row of heard.rows) {
    if (row.kind === 'lane' && (await importLane(it, run, row))) hasChanged = true;
  }
  store.write(() => noteWithoutMachine(it, run));
  const known = teamLaneStore(store).runOf(run.id);
  if (known !== undefined) {
    store.write(() => teamLaneStore(store).putRun({ ...known, seen: heard.changed }));
  }
  const sayings = [...forgottenOf(it, run, heard.kept), ...(await sayingsOf(it, run))];
  if (sayings.length === 0) return hasChanged;
  await withBoard(team.member, limitMs, async (board) => {
    for (const { say, said } of sayings) {
      await say(board);
      store.write(said);
    }
  });
  return hasChanged;
}

const NOBODY =
  'no machine that may have it is lent now (`lanehold team host start` on one lends it)';

/** Says of each offered lane if no machine can have it now. That it was refused says more. */
function noteWithoutMachine({ context: { store }, hosts }: Exchange, run: Run): void {
  const team = teamLaneStore(store);
  for (const row of team.ofRun(run.id).filter(({ state }) => state === 'offered')) {
    const { caps, pinned } = placeOf((laneStore(store).byId(row.laneId) as LaneView).spec);
    const has = hosts.some(
      (host) =>
        host.lends === 'on' &&
        (pinned === null || host.name === pinned) &&
        caps.every((it) => host.caps?.includes(it)),
    );
    if (row.why === (has ? NOBODY : null)) team.put({ ...row, why: has ? null : NOBODY });
  }
}

async function hear(
  { store }: LaneContext,
  board: Board,
  { project }: Team,
  { id }: Run,
): Promise<Heard> {
  const { hosts } = await board.status();
  const [kept] = await board.keptLanes({ runs: [id] });
  const rows: News[] = [];
  let changed = teamLaneStore(store).runOf(id)?.seen ?? 0;
  for (let more = true; more; ) {
    const page = await board.news({ repo: project.repo, since: changed, ofRun: id });
    rows.push(...page.rows);
    ({ changed, more } = page);
  }
  return { hosts, kept, rows, changed };
}

/** What a board that was restored to an earlier state has lost of a run. Lanes of lost offers are offered again. */
function forgottenOf(it: Exchange, run: Run, kept: Heard['kept']): Saying[] {
  const { store } = it.context;
  const team = teamLaneStore(store);
  const published = team.runOf(run.id);
  if (published === undefined) return [];
  const [, rev = 0, lanes = []] = kept ?? [];
  const sayings: Saying[] = [];
  store.write(() => {
    if (rev < published.rev) team.putRun({ ...published, said: '', seen: 0 });
    for (const row of team.ofRun(run.id)) {
      const [, there = 0, , state] = lanes.find(([id]) => id === row.laneId) ?? [];
      const isLost = there < row.rev;
      if (isLost && (row.state === 'offered' || row.state === 'claimed')) {
        team.put({ ...row, state: 'to-offer', host: null });
      }
      const settling =
        row.state === 'ended' && !isLost && state !== 'finished' && state !== 'cancelled';
      if (settling) sayings.push(settled(it, row));
    }
  });
  return sayings;
}

/** Tells the board the result that counts here, or that the lane is not wanted any more. */
function settled({ context, member }: Exchange, { laneId: lane, rev, epoch }: TeamLane): Saying {
  const { store } = context;
  const { attemptId, headSha: head } = laneStore(store).byId(lane) as LaneView;
  const attempt = attemptStore(store).lastOf({ attemptId });
  const result = readPlainFile(join(attempt?.dir ?? '', RESULT_FILE));
  const said = () => undefined;
  if (attempt?.endReason !== 'verified' || head === null || result === undefined) {
    return { say: (board) => board.cancelLane({ lane, rev }), said };
  }
  const sealed = Buffer.from(result, 'base64');
  const settle = { lane, epoch, worker: member.host, rev, head, result: sealed };
  return { say: (board) => board.settleLane(settle), said };
}
