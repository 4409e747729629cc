/** Commands by which somebody inside a lane speaks: which lane it is, and what is said. */
import { UsageError } from '../errors.ts';
import type { LaneContext } from '../lanes/context.ts';
import type { InsideLane } from '../lanes/inside/inside-lane.ts';
import { StoreUnavailableError } from '../store/errors.ts';
import type { ReportKind } from '../store/lane-reports.ts';
import type { Context } from './context.ts';
import { openLaneContext } from './orchestration.ts';

export interface Spoken {
  readonly id: string;
  readonly kind: ReportKind;
  readonly body: string;
  /** `undefined` for what was left for the supervisor to take in. */
  readonly lane: string | undefined;
  readonly number: number | undefined;
}

/** @throws {UsageError} outside of any lane, and if nothing is said. */
export async function speak(
  context: Context,
  kind: ReportKind,
  words: readonly string[],
): Promise<Spoken> {
  const text = await spokenText(context, words);
  try {
    return await record(context, kind, text);
  } catch (error) {
    // A sandbox keeps some workers from the store.
    const left =
      error instanceof StoreUnavailableError ? await leave(context, kind, text) : undefined;
    if (left === undefined) throw error;
    return left;
  }
}

async function record(context: Context, kind: ReportKind, text: string): Promise<Spoken> {
  const [{ laneContext, inside }, { recordReport }, { actorOf }] = await Promise.all([
    openLaneVoice(context),
    import('../lanes/inside/say.ts'),
    import('../agents/actor.ts'),
  ]);
  // A worker that lanehold started speaks for its lane, whoever it is; as its letters do.
  const by = inside.attempt === null ? actorOf(context).name : `lane ${inside.lane.key}`;
  const report = recordReport(laneContext, inside, { kind, text, by });
  const { id, body, seq: number } = report;
  return { id, kind, body, lane: inside.lane.key, number };
}

async function leave(
  context: Context,
  kind: ReportKind,
  text: string,
): Promise<Spoken | undefined> {
  const [{ laneMark }, { writeInboxMessage }, { sayable }, { newId }] = await Promise.all([
    import('../lanes/inside/lane-mark.ts'),
    import('../lanes/inside/inbox-message.ts'),
    import('../lanes/inside/say.ts'),
    import('../store/ids.ts'),
  ]);
  const mark = laneMark(context.env, context.cwd);
  const letter = { id: newId(context.now()), kind, body: sayable(text) };
  if (mark === undefined || !writeInboxMessage(mark, letter)) return undefined;
  return { ...letter, lane: undefined, number: undefined };
}

interface LaneVoice {
  readonly laneContext: LaneContext;
  readonly inside: InsideLane;
}

async function openLaneVoice(context: Context): Promise<LaneVoice> {
  const [{ workspace, laneContext }, { laneMark }, { insideLane, laneOfWorktree }] =
    await Promise.all([
      openLaneContext(context),
      import('../lanes/inside/lane-mark.ts'),
      import('../lanes/inside/inside-lane.ts'),
    ]);
  const mark = laneMark(context.env, context.cwd);
  const named = mark && insideLane(laneContext.store, mark);
  const inside = named ?? laneOfWorktree(laneContext.store, workspace.place.root);
  if (inside !== undefined) return { laneContext, inside };
  throw new UsageError('this is no lane: nobody here has a task to speak of', {
    hint: 'run it in the working tree of a lane; `lanehold orchestrate status` shows where these are',
  });
}

/** The words of the command line, or with `-` what comes on stdin. */
export async function spokenText(context: Context, words: readonly string[]): Promise<string> {
  if (words.length !== 1 || words[0] !== '-') return words.join(' ');
  const chunks: Buffer[] = [];
  for await (const chunk of context.streams.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
