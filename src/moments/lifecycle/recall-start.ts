/**
 * The text of recall for the start of a session: the last work here, and notes near the present work. After a
 * compaction, what the session itself was about.
 */
import { captureOf, recallSettings } from '../../base/config/capture.ts';
import { branchAt } from '../../base/git/project.ts';
import type { Status } from '../../base/git/repository-snapshot.ts';
import type { Workspace } from '../../features/workspace.ts';
import { COMPACTION_BYTES, compactionBrief, fitted } from '../../recall/briefing.ts';
import { nearItems } from '../../recall/near.ts';
import { summaryOf } from '../../recall/summaries.ts';
import { tokensOf } from '../../recall/tokens.ts';
import { itemTellings, standingTellings, tell } from '../../recall/told.ts';
import { lastWork, workTelling } from '../../recall/work.ts';
import { observationStore } from '../../store/observations.ts';
import { recallStore, remembersAnything } from '../../store/recall.ts';
import { toldStore } from '../../store/told.ts';
import { type Caller, orLogged } from './handler.ts';
import { listenerOf } from './listener.ts';

/** The bytes that a session's own work gets after a compaction, in any case. */
const LEAST_BYTES = 700;
/** The most tokens of other texts in a briefing; half of a large one. */
const MOST_OTHERS = 300;
/** The number of sessions before the notes. */
const FIRST_SESSIONS = 2;
const MOST_SESSIONS = 3;
const RECENT_COMMITS = 5;

interface StartMoment {
  readonly session: string;
  readonly source: 'new' | 'resumed' | 'cleared' | 'compacted';
  /** A lane's worker gets its assignment in place of the work of others. */
  readonly isWorker: boolean;
  /** The status of the working tree, if git was asked. */
  readonly status: Promise<Status> | undefined;
}

/**
 * The text, in its order. Never throws: the agent still has to learn what is held.
 *
 * @param others the other texts; shortened if there is no room for them.
 */
export async function recallAtStart(
  workspace: Workspace,
  moment: StartMoment,
  others: readonly string[],
  caller: Caller,
): Promise<readonly string[]> {
  const { agent, env, looksOnly } = caller;
  const { store, place } = workspace;
  const { session, source, isWorker } = moment;
  return orLogged(caller, 'session-start', others, async () => {
    // Texts from before are no longer in the agent's context.
    if (source !== 'resumed' && !looksOnly)
      store.write(() => toldStore(store).forgetShown(agent, session));
    const { mode } = await captureOf(place.root, env);
    const tellsWork = mode !== 'off' && env.LANEHOLD_RECALL !== 'off' && !isWorker;
    const most = recallSettings(place.root, env).briefing.value;
    if (source === 'compacted')
      return afterCompaction(workspace, moment, { others, tellsWork, budget: most }, caller);
    const kept = fitted(others, Math.max(MOST_OTHERS, most / 2), tokensOf);
    const budget = most - tokensOf(kept.join('\n\n'));
    return [...kept, ...(await notesNear(workspace, moment, { budget, tellsWork }, caller))];
  });
}

/** The text after a compaction: within `COMPACTION_BYTES`, beyond which only standing instructions go. */
async function afterCompaction(
  workspace: Workspace,
  moment: StartMoment,
  { others, tellsWork, budget }: Pick<Room, 'budget' | 'tellsWork'> & { others: readonly string[] },
  caller: Caller,
): Promise<readonly string[]> {
  const who = { agent: caller.agent, session: moment.session };
  const left = (parts: readonly string[]) =>
    COMPACTION_BYTES - Buffer.byteLength(parts.join('\n\n')) - 2;
  const kept = fitted(others, COMPACTION_BYTES - (tellsWork ? LEAST_BYTES : 0), Buffer.byteLength);
  const brief = tellsWork ? compactionBrief(workspace.store, who, left(kept)) : undefined;
  const told = [...(brief === undefined ? [] : [brief]), ...kept];
  const room = { budget, bytes: left(told), tellsWork: false };
  return [...told, ...(await notesNear(workspace, moment, room, caller))];
}

interface Room {
  /** Tokens. */
  readonly budget: number;
  readonly bytes?: number;
  readonly tellsWork: boolean;
}

/** The work of the last two sessions, notes near it, and earlier work if there is room. */
async function notesNear(
  { store, place, projectId }: Workspace,
  { session, source, status }: StartMoment,
  { tellsWork, ...room }: Room,
  caller: Caller,
): Promise<string[]> {
  const { agent, now } = caller;
  const recall = recallStore(store);
  const work = lastWork(store, projectId, { without: { agent, session }, most: MOST_SESSIONS });
  const changes = (await status?.catch(() => undefined))?.changes ?? [];
  const committed = recall.newestCommits(projectId, RECENT_COMMITS);
  // After a compaction, and when it is resumed, the session has files of its own.
  const own = summaryOf(observationStore(store).ofSession(agent, session)).files;
  const set = {
    branch: branchAt(place)?.replace('refs/heads/', ''),
    dirty: [...own, ...changes.map(({ path }) => path)],
    recent: [
      ...work.flatMap(({ summary }) => summary.files.slice(0, 4)),
      ...committed.flatMap((files) => JSON.parse(files) as string[]),
    ],
  };
  const notes = remembersAnything(store, projectId)
    ? nearItems(store, { projectId, agent, now: now(), set })
    : [];
  const whom = { kind: 'session-start', session };
  const listener = { ...listenerOf(place, whom, { projectId, ...room }, caller), ...room };
  const told = tellsWork && source !== 'resumed' ? work : [];
  const works = told.map((it) => workTelling(store, it, listener));
  const items = itemTellings(notes, listener);
  // A person's standing instructions come first.
  const tellings = [
    ...standingTellings(items, listener.program),
    ...works.slice(0, FIRST_SESSIONS),
    ...items.filter(({ isStanding }) => !isStanding),
    ...works.slice(FIRST_SESSIONS),
  ];
  const text = tell(store, tellings, listener);
  return text === undefined ? [] : [text];
}
