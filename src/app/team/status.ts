/** Who does what in a team: its machines, the open runs of all, questions that wait, and what is held where. */
import { withBoard } from '../../team/board/board.ts';
import { placeOf } from '../../team/board/connection.ts';
import { waitingRecords } from '../../team/exchange.ts';
import { snapshotOf } from '../../team/snapshot.ts';
import type { AppContext } from '../context.ts';
import { LIMIT_MS, orProblem, teamMeant } from '../hold/team.ts';
import { openLaneProject } from '../lanes/open-run.ts';
import { answersFor } from '../lanes/team-answers.ts';
import { askMachines, lastContact } from './contact.ts';

export type TeamStatus = Awaited<ReturnType<typeof teamStatus>>;

/** Without the board, what this machine knows of itself, and the machines as they were. */
export async function teamStatus(context: AppContext) {
  const { workspace, laneContext } = await openLaneProject(context);
  const { store } = workspace;
  const team = teamMeant(workspace);
  const now = context.now().getTime();
  const own = await snapshotOf(workspace, laneContext);
  const before = lastContact(workspace);
  const asked = await orProblem(
    withBoard(team.member, LIMIT_MS, async (board) => {
      const found = await askMachines(board, workspace, team, own);
      const start = performance.now();
      await board.status();
      return { ...found, roundTripMs: Math.round(performance.now() - start) };
    }),
  );
  const isReached = !('problem' in asked);
  const ids = own.runs.flatMap(({ questions }) => questions.map(({ id }) => id));
  const told = await orProblem(answersFor(context, workspace, team, isReached ? ids : []));
  const answers = 'problem' in told ? [] : told;
  const { name: self } = team.member;
  const shown = isReached ? asked.shown : [{ name: self, age_s: 0, ...own }];
  const runs = shown.flatMap(({ name, age_s, runs }) =>
    runs.map((run) => ({ host: name, at: new Date(now - age_s * 1_000), ...run })),
  );
  const places = shown.flatMap(({ name, held }) => held.map((feature) => ({ feature, name })));
  return {
    place: placeOf(team.member.url),
    name: self,
    problem: isReached ? null : asked.problem,
    reachedAt: isReached ? new Date(now) : (before?.at ?? null),
    roundTripMs: isReached ? asked.roundTripMs : null,
    toSend: waitingRecords(store, context.now()),
    hosts: isReached ? asked.machines : (before?.machines ?? []),
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
