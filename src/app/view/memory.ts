/** The memory of a project: notes, suggestions, proposals, rules about files, and the sessions that were shown them. */
import { existsSync } from 'node:fs';
import { summaryId } from '../../recall/summaries.ts';
import type { Store } from '../../store/open.ts';
import { type AppContext, openProject } from '../context.ts';
import { listGuards } from '../hold/guards.ts';
import { listProposals } from '../recall/dream.ts';
import { findNote, listNotes, listSuggestions, type Note } from '../recall/notes.ts';
import { searchRecall } from '../recall/recall.ts';
import { recallStats, toldUses } from '../recall/recall-stats.ts';
import type { AsJson } from './as-json.ts';

export type MemoryView = AsJson<Awaited<ReturnType<typeof memoryView>>>;
export type NoteView = AsJson<Awaited<ReturnType<typeof noteView>>>;

const MOST_FOUND = 20;
const MOST_SESSIONS = 50;

/** @param words the search text, used like a prompt of a session. */
export async function memoryView(context: AppContext, words?: string) {
  const { notes, broken } = await notesWithUse(context, 'all');
  const [{ suggestions }, { proposals }, { guards }, stats] = await Promise.all([
    suggestionsOfAll(context),
    listProposals(context),
    listGuards(context),
    recallStats(context, MOST_SESSIONS),
  ]);
  const { sessions: _, ...sums } = stats;
  return {
    /** A tree of folders and notes, by their paths. */
    notes,
    broken,
    search: words?.trim() ? await searchRecall(context, words, MOST_FOUND) : null,
    suggestions,
    proposals,
    guards,
    told: { ...sums, sessions: stats.sessions.length },
  };
}

/** Notes, each with the number of sessions that were shown it, and of those that used it; what the team says differently. */
export async function notesWithUse(context: AppContext, which: 'current' | 'all') {
  const { notes, broken } = await listNotes(context, which);
  const { store, projectId } = await openProject(context);
  const uses = Map.groupBy(toldUses(store, projectId), ({ item }) => item.uid);
  const withUse = notes.map((note) => {
    const told = uses.get(note.id) ?? [];
    const used = told.filter((it) => it.used).length;
    return { ...note, truth: truthOf(note), told: told.length, used };
  });
  const team = await notesOfTeam(store);
  return { notes: withUse, broken, versions: (await team?.noteVersions(context)) ?? [] };
}

const notesOfTeam = async ({ home }: Store) =>
  existsSync(home.team) ? import('../team/notes.ts') : undefined;

/** Waiting suggestions; one of the team says who has shared it. */
export async function suggestionsOfAll(context: AppContext) {
  const { suggestions } = await listSuggestions(context);
  const team = await notesOfTeam(await context.store());
  const signerOf = await team?.signersOfNotes(context);
  return {
    suggestions: suggestions.map((it) => {
      const by = signerOf?.(it.path);
      return { ...it, why: it.why ?? (by ? `${by} has shared it` : null) };
    }),
  };
}

/** `to-be-confirmed`: files that the note cites have changed since. */
function truthOf({ status, outdated }: Note) {
  if (status !== 'active') return status;
  return outdated.changed.length + outdated.gone.length > 0 ? 'to-be-confirmed' : 'true';
}

/** @param name its id or its path. @throws {UsageError} if there is none. */
export async function noteView(context: AppContext, name: string) {
  const { note } = await findNote(context, name);
  const { store, projectId } = await openProject(context);
  const told = toldUses(store, projectId)
    .filter(({ item }) => item.uid === note.id)
    .map(({ row: { agent, session, at, times }, used }) => {
      return { session: summaryId({ agent, session }), agent, at: new Date(at), times, used };
    })
    .sort((a, b) => b.at.getTime() - a.at.getTime());
  return { note: { ...note, truth: truthOf(note) }, told };
}
