/** Shows what sessions of this project did, as their hooks recorded it. */
import { actorOf } from '../../agents/actor.ts';
import { ExitCode, ExplainedError, UsageError } from '../../base/errors.ts';
import type { Workspace } from '../../features/workspace.ts';
import { takeLateNow } from '../../recall/late.ts';
import { putSummary, summaryId, summaryOf, summaryText } from '../../recall/summaries.ts';
import {
  observationStore,
  type RecordedSessionRow,
  type StoredObservation,
} from '../../store/observations.ts';
import { type AppContext, openProject } from '../context.ts';
import { addNote } from './note-editing.ts';

export type ListedSession = Awaited<ReturnType<typeof listSessions>>['sessions'][number];
export type SessionDetail = Awaited<ReturnType<typeof showSession>>;
export type TimelineEntry = ReturnType<typeof linked>[number];

export const MOST_SESSIONS = 10_000;

async function recorded(context: AppContext) {
  const workspace = await openProject(context);
  takeLateNow(workspace.store);
  return { ...workspace, observations: observationStore(workspace.store) };
}

/** The sessions, the last one first. */
export async function listSessions(context: AppContext, limit: number) {
  const { observations, projectId } = await recorded(context);
  const sessions = observations.sessions(projectId, limit).map((row) => {
    const { request } = summaryOf(observations.ofSession(row.agent, row.session));
    /** `request`: the first prompt. */
    return { ...sessionData(row), request };
  });
  return { sessions };
}

/** @param id a listed id or the agent's own, or its beginning; by default the last session. */
export async function showSession(context: AppContext, id: string | undefined) {
  const { row, seen, summary } = recordedSession(await recorded(context), id);
  return { ...sessionData(row), request: summary.request, summary, timeline: linked(seen) };
}

/** A session that hooks have seen in this project. @throws {ExplainedError} if there is none. */
export function recordedSession(
  { store, projectId }: Pick<Workspace, 'store' | 'projectId'>,
  id: string | undefined,
) {
  const observations = observationStore(store);
  const row = sessionNamed(observations.sessions(projectId, MOST_SESSIONS), id);
  const all = observations.ofSession(row.agent, row.session);
  const seen = all.filter((it) => it.projectId === projectId);
  return { row, seen, summary: summaryOf(seen) };
}

export async function saveSession(
  context: AppContext,
  id: string | undefined,
  { path, title }: { readonly path?: string; readonly title?: string },
) {
  const detail = await showSession(context, id);
  const { store } = await openProject(context);
  store.write(() => putSummary(store, detail));
  const { summary } = detail;
  const name = title ?? summary.request?.split('\n')[0]?.slice(0, 120);
  if (name === undefined) {
    throw new UsageError('nothing was asked in this session', { hint: 'name it with --title' });
  }
  const day = detail.began.slice(0, 10);
  return addNote(context, {
    path: path ?? `project/sessions/${day}-${detail.id}`,
    title: name,
    kind: 'fact',
    source: actorOf(context).agent ?? 'person',
    body: [summaryText(summary), `Files: ${summary.files.join(', ')}`].join('\n'),
  });
}

/** The events of the project, or of one session, in the order in which they happened. */
export async function timeline(
  context: AppContext,
  { session, limit }: { readonly session?: string | undefined; readonly limit: number },
) {
  if (session !== undefined) {
    return { entries: (await showSession(context, session)).timeline.slice(-limit) };
  }
  const { observations, projectId } = await recorded(context);
  // One more than is shown: the first one has an event before it, too.
  const seen = observations.ofProject(projectId, limit + 1).reverse();
  return { entries: linked(seen).slice(-limit) };
}

function sessionNamed(
  rows: readonly RecordedSessionRow[],
  id: string | undefined,
): RecordedSessionRow {
  const matches = rows.filter(
    (it) => id === undefined || summaryId(it).startsWith(id) || it.session.startsWith(id),
  );
  const exact = matches.find((it) => summaryId(it) === id || it.session === id);
  const [first, second] = matches;
  const row = exact ?? (id === undefined || second === undefined ? first : undefined);
  if (row !== undefined) return row;
  const what = id === undefined ? 'no session is recorded' : `no one session is \`${id}\``;
  throw new ExplainedError(`${what} in this project`, {
    code: 'NO_SUCH_SESSION',
    exitCode: id === undefined ? ExitCode.failed : ExitCode.usage,
    hint: 'see which there are: lanehold session list',
  });
}

/** Times are ISO 8601; other commands take `id`. */
export function sessionData({ began, last, ...row }: RecordedSessionRow) {
  const times = { began: new Date(began).toISOString(), last: new Date(last).toISOString() };
  return { id: summaryId(row), ...row, ...times };
}

/** One list across sessions and agents: each event names the one before it. */
const linked = (seen: readonly StoredObservation[]) =>
  seen.map((it, at) => ({ ...entryOf(it), id: it.id, previous: seen[at - 1]?.id ?? null }));

export function entryOf(it: StoredObservation) {
  const { name, category, text, files, outcome, outputBytes } = it;
  return {
    at: it.at.toISOString(),
    session: summaryId(it),
    agent: it.agent,
    kind: it.kind,
    ...(name === null || name === '' ? {} : { name }),
    ...(category === null ? {} : { category }),
    ...(text === null ? {} : { text }),
    ...(files.length === 0 ? {} : { files }),
    ...(outcome === null ? {} : { outcome }),
    ...(outputBytes === null ? {} : { outputBytes }),
  };
}
