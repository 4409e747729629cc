/** What agents' sessions did: a list, and one session as a timeline. Reads only. */
import { filesOf } from '../../features/match.ts';
import { summaryOf } from '../../recall/summaries.ts';
import { decisionStore } from '../../store/decisions.ts';
import { observationStore, type StoredObservation } from '../../store/observations.ts';
import { recallStore } from '../../store/recall.ts';
import { toldStore } from '../../store/told.ts';
import { type AppContext, openFeatures } from '../context.ts';
import { entryOf, MOST_SESSIONS, recordedSession, sessionData } from '../recall/sessions.ts';
import type { AsJson } from './as-json.ts';

export type SessionsView = AsJson<Awaited<ReturnType<typeof sessionsView>>>;
export type SessionView = AsJson<Awaited<ReturnType<typeof sessionView>>>;
export type TimelineView = AsJson<Awaited<ReturnType<typeof timelineView>>>;

/** Limits the sessions and edits to a file (relative to the project), the files of a feature, or an agent. */
export type SessionsWish = Readonly<
  Partial<Record<'file' | 'feature' | 'agent', string | undefined>>
>;

/** A test whether some of the files are selected. */
async function meaningOf(context: AppContext, { file, feature }: SessionsWish) {
  const { workspace, registry } = await openFeatures(context);
  const meant = feature === undefined ? undefined : registry.features.get(feature);
  const isOfFeature = meant && filesOf(meant).matches;
  const isMeant = (files: readonly string[]): boolean =>
    (file === undefined || files.includes(file)) &&
    (feature === undefined || (isOfFeature !== undefined && files.some(isOfFeature)));
  return { workspace, registry, isMeant };
}

const MOST_LISTED = 200;

/** The sessions, the last one first. */
export async function sessionsView(context: AppContext, wish: SessionsWish = {}) {
  const { agent } = wish;
  const { workspace, registry, isMeant } = await meaningOf(context, wish);
  const { store, projectId } = workspace;
  const observations = observationStore(store);
  const rows = toldStore(store).sessions(projectId, MOST_SESSIONS);
  const tokens = new Map(rows.map((it) => [`${it.agent} ${it.session}`, it.tokens]));
  const all = observations.sessions(projectId, MOST_LISTED);
  const sessions = all
    .filter((row) => agent === undefined || row.agent === agent)
    .flatMap((row) => {
      const seen = observations.ofSession(row.agent, row.session);
      const files = new Set(seen.flatMap((it) => (it.kind === 'edit' ? it.files : [])));
      if (!isMeant([...files])) return [];
      const { request } = summaryOf(seen);
      const held = seen.filter(({ outcome }) => outcome === 'denied').length;
      const told = tokens.get(`${row.agent} ${row.session}`) ?? 0;
      return [{ ...sessionData(row), request: request ?? null, held, tokens: told }];
    });
  return {
    sessions,
    agents: [...new Set(all.map((row) => row.agent))].sort(),
    features: [...registry.features.keys()].sort(),
  };
}

const MOST_ENTRIES = 2_000;

/** The last events of all sessions, in the order in which they happened. */
export async function timelineView(context: AppContext, wish: SessionsWish = {}) {
  const { workspace, isMeant } = await meaningOf(context, wish);
  const seen = observationStore(workspace.store)
    .ofProject(workspace.projectId, MOST_ENTRIES)
    .filter(({ agent }) => wish.agent === undefined || agent === wish.agent);
  return { entries: seen.filter(withoutOtherEdits(isMeant)).reverse().map(entryOf) };
}

const withoutOtherEdits =
  (isMeant: (files: readonly string[]) => boolean) =>
  ({ kind, files }: StoredObservation): boolean =>
    kind !== 'edit' || isMeant(files);

export type SessionEntry = Awaited<ReturnType<typeof sessionView>>['entries'][number];

/** @param id as listed, or the agent's own; by default the last one. @throws {ExplainedError} if there is none. */
export async function sessionView(context: AppContext, id?: string, wish: SessionsWish = {}) {
  const { workspace, isMeant } = await meaningOf(context, wish);
  const { store, projectId } = workspace;
  const { row, seen, summary } = recordedSession({ store, projectId }, id);
  const { agent, session } = row;
  const recall = recallStore(store);
  const starts = seen.flatMap((it) => (it.kind === 'start' ? it.at : []));
  // The answer to a start is recorded before the start itself.
  const isAfter = (start: Date, at: number) =>
    start.getTime() >= at && start.getTime() <= at + SAME_MS;
  const told = toldStore(store)
    .ofSession(agent, session)
    .map(({ at, uid, moment, tokens, opened }) => {
      const item = recall.find(uid.split(' ')[0] ?? '');
      const title = item?.title ?? uid;
      const start = moment === 'session-start' ? starts.find((it) => isAfter(it, at)) : undefined;
      const when = iso(start ?? at);
      return {
        at: when,
        kind: 'told' as const,
        /** `session-start`, `before-edit`, … */
        moment,
        id: uid,
        title,
        tokens,
        /** True if the agent has requested the whole item since. */
        opened: opened === 1,
      };
    });
  const answers = decisionStore(store)
    .ofSession(agent, session)
    .map(({ at, decision, command, rule, reason }) => {
      return { at: iso(at), kind: 'answer' as const, decision, command, rule, reason };
    });
  const entries = [
    ...withoutAnswered(seen, answers).filter(withoutOtherEdits(isMeant)).map(entryOf),
    ...told,
    ...answers,
  ];
  return {
    ...sessionData(row),
    request: summary.request ?? null,
    summary,
    tokens: told.reduce((sum, it) => sum + it.tokens, 0),
    held: answers.filter(({ decision }) => decision !== 'pass').length,
    entries: entries.toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0)),
  };
}

const iso = (at: number | Date): string => new Date(at).toISOString();

const SAME_MS = 2_000;

/** Leaves out refusals of commands that have an answer next to them, because the answer says more. */
function withoutAnswered(
  seen: readonly StoredObservation[],
  answers: readonly { readonly at: string; readonly decision: string }[],
) {
  const left = answers
    .filter(({ decision }) => decision !== 'pass')
    .map(({ at }) => Date.parse(at));
  return seen.filter(({ kind, outcome, at }) => {
    if (kind !== 'command' || outcome !== 'denied') return true;
    const found = left.findIndex((it) => Math.abs(it - at.getTime()) <= SAME_MS);
    if (found === -1) return true;
    left.splice(found, 1);
    return false;
  });
}
