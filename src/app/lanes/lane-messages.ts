/** Reports and questions of a lane's worker, the answers, and messages to it. */
import { existsSync } from 'node:fs';
import { actorOf } from '../../agents/actor.ts';
import { UsageError } from '../../base/errors.ts';
import { HomeUnavailableError } from '../../base/files/home.ts';
import { insideLane, laneOfWorktree } from '../../lanes/spec/inside-lane.ts';
import { laneMark } from '../../lanes/spec/lane-mark.ts';
import { findLane } from '../../lanes/spec/names.ts';
import { writeInboxMessage } from '../../lanes/talk/inbox.ts';
import { answerQuestion, recordReport, sayable, tellWorker } from '../../lanes/talk/say.ts';
import { newId } from '../../store/ids.ts';
import type { ReportKind } from '../../store/lane-events.ts';
import type { AppContext } from '../context.ts';
import { type LaneWish, openLane } from './lanes.ts';
import { openLaneProject, openRun } from './open-run.ts';

/** @throws {UsageError} outside of any lane, and if the text is empty. */
export async function askCoordinator(context: AppContext, text: string) {
  const { number: question, ...said } = await say(context, 'ask', text);
  return { ...said, question };
}

/** @throws {UsageError} outside of any lane, and if the text is empty. */
export async function reportProgress(context: AppContext, kind: ReportKind, text: string) {
  const { number: report, ...said } = await say(context, kind, text);
  return { ...said, kind, report };
}

/** `lane` and `number` are `null` if the text was left in the inbox for the supervisor. */
async function say(context: AppContext, kind: ReportKind, text: string) {
  try {
    return await record(context, kind, text);
  } catch (error) {
    // A sandbox keeps some workers from the store.
    if (!(error instanceof HomeUnavailableError)) throw error;
    const mark = laneMark(context.env, context.cwd);
    const message = { id: newId(context.now()), kind, body: sayable(text) };
    if (mark === undefined || !writeInboxMessage(mark, message)) throw error;
    return { id: message.id, body: message.body, lane: null, number: null };
  }
}

async function record(context: AppContext, kind: ReportKind, text: string) {
  const { workspace, laneContext } = await openLaneProject(context);
  const mark = laneMark(context.env, context.cwd);
  const named = mark && insideLane(laneContext.store, mark);
  const inside = named ?? laneOfWorktree(laneContext.store, workspace.place.root);
  if (inside === undefined) {
    throw new UsageError('this is no lane: nobody here has a task to speak of', {
      hint: 'run it in the working tree of a lane; `lanehold orchestrate status` shows where these are',
    });
  }
  // A worker of lanehold is named by its lane, as in its inbox messages.
  const by = inside.attempt === null ? actorOf(context).name : `lane ${inside.lane.key}`;
  const { id, body, seq } = recordReport(laneContext, inside, { kind, text, by });
  return { id, body, lane: inside.lane.key, number: seq };
}

/** @param wish `question`: its number, needed where several are open; it may be one of another machine in the team. */
export async function answerWorker(context: AppContext, wish: AnswerWish) {
  try {
    return await answerHere(context, wish);
  } catch (error) {
    const { home } = await context.store();
    if (!(error instanceof UsageError) || !existsSync(home.team)) throw error;
    const { answerElsewhere } = await import('./team-answers.ts');
    const sent = await answerElsewhere(context, wish);
    if (sent === undefined) throw error;
    return sent;
  }
}

type AnswerWish = LaneWish & { readonly question?: number | undefined; readonly text: string };

async function answerHere(context: AppContext, { run: name, key, question, text }: AnswerWish) {
  const { laneContext, run } = await openRun(context, name);
  const lane = findLane(laneContext.store, run, key);
  const by = actorOf(context).name;
  const given = { text, question, by };
  const { question: asked, answer, outcome } = answerQuestion(laneContext, lane, given);
  if (outcome === 'resumed') {
    const { reconcileTeam } = await import('./team-lanes.ts');
    await reconcileTeam(laneContext, run, context.progress);
  }
  return { lane: key, question: asked.seq, id: asked.id, body: asked.body, answer, outcome };
}

/** Leaves a message for a lane's worker, without starting one. @throws {UsageError} */
export async function tellLane(context: AppContext, wish: LaneWish & { readonly text: string }) {
  const { laneContext, lane } = await openLane(context, wish);
  const said = { text: wish.text, by: actorOf(context).name };
  const { message, ...told } = tellWorker(laneContext, lane, said);
  return { lane: wish.key, id: message.id, body: message.body, ...told };
}
