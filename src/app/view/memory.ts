/** What is remembered of a project: notes, suggestions, proposals, rules about files; and who was told. */
import { isNoteOf } from '../../recall/occasions.ts';
import { summaryId } from '../../recall/summaries.ts';
import { observationStore } from '../../store/observations.ts';
import { toldStore } from '../../store/told.ts';
import { type AppContext, openProject } from '../context.ts';
import { listGuards } from '../hold/guards.ts';
import { listProposals } from '../recall/dream.ts';
import { findNote, listNotes, listSuggestions, type Note } from '../recall/notes.ts';
import { searchRecall } from '../recall/recall.ts';
import { recallStats } from '../recall/recall-stats.ts';
import type { AsJson } from './as-json.ts';

export type MemoryView = AsJson<Awaited<ReturnType<typeof memoryView>>>;
export type NoteView = AsJson<Awaited<ReturnType<typeof noteView>>>;

const MOST_FOUND = 20;
const MOST_SESSIONS = 50;

/** @param words what is searched for, as a prompt of a session would. */
export async function memoryView(context: AppContext, words?: string) {
  const { notes, broken } = await listNotes(context, 'all');
  const use = await useByNote(context);
  const [{ suggestions }, { proposals }, { guards }, stats] = await Promise.all([
    listSuggestions(context),
    listProposals(context),
    listGuards(context),
    recallStats(context, MOST_SESSIONS),
  ]);
  const { sessions: _, ...sums } = stats;
  return {
    /** A tree by the parts of their paths. */
    notes: notes.map((note) => ({
      ...note,
      truth: truthOf(note),
      ...(use.get(note.id) ?? UNUSED),
    })),
    broken,
    search: words?.trim() ? await searchRecall(context, words, MOST_FOUND) : null,
    suggestions,
    proposals,
    guards,
    told: { ...sums, sessions: stats.sessions.length },
  };
}

const UNUSED = { told: 0, used: 0 };

/** `to-be-confirmed`: files that it is about have changed since. */
function truthOf({ status, outdated }: Note) {
  if (status !== 'active') return status;
  return outdated.changed.length + outdated.gone.length > 0 ? 'to-be-confirmed' : 'true';
}

/** In how many sessions each note was told, and in how many it was used. */
async function useByNote(context: AppContext) {
  const { store, projectId } = await openProject(context);
  const uses = new Map<string, { told: number; used: number }>();
  for (const { uid, opened } of toldStore(store).items(projectId)) {
    const [id = uid] = uid.split(' ');
    const { told, used } = uses.get(id) ?? UNUSED;
    uses.set(id, { told: told + 1, used: used + opened });
  }
  return uses;
}

/** @param name its id or its path. @throws {UsageError} if there is none. */
export async function noteView(context: AppContext, name: string) {
  const { note } = await findNote(context, name);
  const { store, projectId } = await openProject(context);
  const told = toldStore(store)
    .items(projectId)
    .filter(({ uid }) => uid.split(' ')[0] === note.id)
    .map(({ agent, session, at, times, opened }) => {
      const edited = observationStore(store)
        .ofSession(agent, session)
        .some((it) => it.kind === 'edit' && it.at.getTime() >= at && isNoteOf(note, it.files));
      return {
        session: summaryId({ agent, session }),
        agent,
        at: new Date(at),
        times,
        used: opened === 1 || edited,
      };
    });
  return { note: { ...note, truth: truthOf(note) }, told };
}
