/** Who does what in a team: its machines, the open runs of all, questions that wait, and what is held where. */
import { statSync } from 'node:fs';
import { withBoard } from '../../team/board/board.ts';
import { placeOf } from '../../team/board/connection.ts';
import { type Team, waitingRecords } from '../../team/exchange.ts';
import { snapshotOf, snapshotsOn } from '../../team/snapshot.ts';
import type { AppContext } from '../context.ts';
import { LIMIT_MS, orProblem, teamMeant } from '../hold/team.ts';
import { openLaneProject } from '../lanes/open-run.ts';
import { answersFor } from '../lanes/team-answers.ts';
import { contactFile, noteContact } from './sync.ts';

export type TeamStatus = Awaited<ReturnType<typeof teamStatus>>;

/** Without the board, what this machine knows of itself. */
export async function teamStatus(context: AppContext) {
  const { workspace, laneContext } = await openLaneProject(context);
  const { store } = workspace;
  const team = teamMeant(workspace);
  const now = context.now().getTime();
  const own = await snapshotOf(workspace, laneContext);
  const asked = await orProblem(askBoard(team));
  const problem = 'problem' in asked ? asked.problem : null;
  const seen = statSync(contactFile(store.home), { throwIfNoEntry: false });
  if ('hosts' in asked) noteContact(store.home);
  const ids = own.runs.flatMap(({ questions }) => questions.map(({ id }) => id));
  const told = await orProblem(answersFor(context, workspace, team, 'hosts' in asked ? ids : []));
  const answers = 'problem' in told ? [] : told;
  const { hosts, snapshots } = 'hosts' in asked ? asked : { hosts: [], snapshots: [] };
  const { name: self } = team.member;
  const others = snapshots.filter((it) => it.host !== team.member.host);
  const shown = [{ name: self, age_s: 0, ...own }, ...others];
  const runs = shown.flatMap(({ name, age_s, runs }) =>
    runs.map((run) => ({ host: name, at: new Date(now - age_s * 1_000), ...run })),
  );
  const places = shown.flatMap(({ name, held }) => held.map((feature) => ({ feature, name })));
  return {
    place: placeOf(team.member.url),
    name: self,
    problem,
    reachedAt: problem === null ? new Date(now) : (seen?.mtime ?? null),
    roundTripMs: 'hosts' in asked ? asked.roundTripMs : null,
    toSend: waitingRecords(store, context.now()),
    hosts: hosts.map(({ name, client, seen_s, is_self, lends = 'off', slots = 0, holds = [] }) => ({
      name,
      self: is_self,
      client,
      lends,
      slots,
      taken: holds.length,
      seenAt: new Date(now - seen_s * 1_000),
      works: [
        ...new Set(
          runs.flatMap(({ host, lanes }) =>
            lanes
              .filter(({ live, lentTo }) => lentTo === name || (live && host === name))
              .map(({ key }) => key),
          ),
        ),
      ],
    })),
    runs,
    questions: runs.flatMap(({ host, name: run, questions }) =>
      questions.map((it) => {
        const isOnly = questions.every(({ id, lane }) => id === it.id || lane !== it.lane);
        const which = isOnly ? '' : ` --question ${it.number}`;
        const command = `lanehold orchestrate answer ${it.lane} '…'${which} --run ${run}`;
        const given = answers.filter(({ question }) => question === it.id);
        return { host, run, ...it, command, answers: given };
      }),
    ),
    held: [...Map.groupBy(places, ({ feature }) => feature)].map(([feature, at]) => ({
      feature,
      hosts: at.map(({ name }) => name),
    })),
  };
}

const askBoard = (team: Team) =>
  withBoard(team.member, LIMIT_MS, async (board) => {
    await board.status();
    const start = performance.now();
    const { hosts } = await board.status();
    const roundTripMs = Math.round(performance.now() - start);
    return { roundTripMs, hosts, snapshots: await snapshotsOn(board, team) };
  });
