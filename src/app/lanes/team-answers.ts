/** Questions of lanes on one machine of a team, answered from another one. */
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { enumerated } from '../../base/text/printable.ts';
import type { Workspace } from '../../features/workspace.ts';
import type { LaneContext } from '../../lanes/spec/context.ts';
import { reconcile } from '../../lanes/start/reconcile.ts';
import { answerQuestion, sayable } from '../../lanes/talk/say.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { laneStore, runStore } from '../../store/lanes.ts';
import { type Answer, fetchAnswers } from '../../team/answers.ts';
import { withBoard } from '../../team/board/board.ts';
import type { Team } from '../../team/exchange.ts';
import { snapshotsOn } from '../../team/snapshot.ts';
import { type AppContext, openProject } from '../context.ts';
import { LIMIT_MS, teamOf } from '../hold/team.ts';
import { withProjectKeys } from '../hold/team-reader.ts';
import type { LaneWish } from './lanes.ts';

/**
 * Sends an answer to the machine where a lane asks.
 *
 * @returns `undefined` if no machine of the team shows such a question.
 * @throws {UsageError} if several do.
 */
export async function answerElsewhere(
  context: AppContext,
  { run, key, question, text }: LaneWish & { question?: number | undefined; text: string },
) {
  const workspace = await openProject(context);
  const team = teamOf(workspace);
  if (team === undefined) return undefined;
  const { member, project } = team;
  const { repo } = project;
  const snapshots = await withBoard(member, LIMIT_MS, (board) => snapshotsOn(board, team));
  const asked = snapshots
    .filter(({ host }) => host !== member.host)
    .flatMap(({ name: machine, runs }) =>
      runs.flatMap(({ name, questions }) => questions.map((it) => ({ machine, run: name, ...it }))),
    )
    .filter((it) => it.lane === key && (run ?? it.run) === it.run)
    .filter(({ number }) => (question ?? number) === number);
  const [meant, other] = asked;
  if (meant === undefined) return undefined;
  if (other !== undefined) {
    const places = asked.map((it) => `question ${it.number} in run ${it.run} of ${it.machine}`);
    throw new UsageError(`lane ${key} asks ${enumerated(places, 3)}`, {
      hint: 'say which by `--question` and `--run`',
    });
  }
  const answer = sayable(text);
  const payload = { v: 1, kind: 'answer', repo, question: meant.id, text: answer } as const;
  const stored = await withProjectKeys(context, workspace, team, async ({ seal }) => {
    const body = await seal({ ...payload, at: context.now().getTime() });
    return withBoard(member, LIMIT_MS, (board) =>
      board.putAnswer({ repo, question: meant.id, body }),
    );
  });
  if (stored === 'known') {
    throw new ExplainedError(`that question was answered from this machine before`, {
      hint: `${meant.machine} takes the answer over with its next \`lanehold team sync\``,
    });
  }
  const { id, number, machine } = meant;
  const sent = { lane: key, question: number, id, body: meant.text, answer };
  return { ...sent, outcome: 'sent', machine } as const;
}

/** Answers from the team to the questions of open runs here. Whose answers count, `team.runFor` says. */
export const answersFor = async (
  context: AppContext,
  workspace: Workspace,
  team: Team,
  questions: readonly string[],
): Promise<readonly Answer[]> =>
  questions.length === 0
    ? []
    : withProjectKeys(context, workspace, team, (keys) =>
        fetchAnswers(team, questions, keys, LIMIT_MS),
      );

/** Takes over the first answer that counts for each open question. @returns what was taken, and what was not. */
export async function takeAnswers(
  context: AppContext,
  workspace: Workspace,
  laneContext: LaneContext,
  team: Team,
) {
  const { store, projectId } = workspace;
  const open = new Map(
    runStore(store)
      .open(projectId)
      .flatMap(({ id }) => laneReportStore(store).openQuestions(id))
      .map((it) => [it.id, it]),
  );
  const answers = await answersFor(context, workspace, team, [...open.keys()]);
  const answered = new Set<string>();
  const all = answers.flatMap(({ question, ...it }) => {
    const asked = open.get(question);
    const lane = laneStore(store).byId(asked?.laneId ?? '');
    if (asked === undefined || lane === undefined) return [];
    const { by, text } = it;
    const taken = by !== null && !answered.has(question);
    if (taken) answerQuestion(laneContext, lane, { text, question: asked.seq, by });
    if (taken) answered.add(question);
    const why = it.why || (taken ? '' : 'another one came first');
    return [{ ...it, lane: lane.key, taken, why }];
  });
  if (all.some(({ taken }) => taken)) await reconcile(laneContext);
  return all;
}
