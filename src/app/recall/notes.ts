/** Shows notes: what a project's people and agents want to be remembered. */
import { UsageError } from '../../base/errors.ts';
import { driftOf } from '../../recall/anchors.ts';
import {
  authorsOf,
  type Notebook,
  openNotebook,
  type ReadNote,
  redactedNote,
} from '../../recall/notes.ts';
import { isWaiting, pathOfSuggestion } from '../../recall/suggestions.ts';
import { recallStore } from '../../store/recall.ts';
import { type AppContext, openProject } from '../context.ts';

export type Note = ReturnType<typeof noteOf>;

export type NoteList = Awaited<ReturnType<typeof listNotes>>;

/** Notes, and documents that cannot be read. @param which `all`: with superseded ones. */
export async function listNotes(context: AppContext, which: 'current' | 'all' = 'current') {
  const book = openNotebook(await openProject(context));
  book.index();
  const wanted = book
    .all()
    .filter(({ note }) => which === 'all' || note.header.status !== 'superseded');
  return {
    notes: wanted.map((it) => noteOf(book, it)),
    broken: book.broken().map(({ file, note }) => ({ file, ...note })),
  };
}

/**
 * The note as it is shown, without secrets in the document. `outdated` lists cited files that have changed or are gone;
 * agents get the note only while it is empty.
 */
export function noteOf({ workspace }: Notebook, { note, path, file, shelf: { shared } }: ReadNote) {
  const { header, body } = redactedNote(note);
  const { anchors = null, files = [], commands = [], links = [], ...same } = header;
  const outdated = driftOf(workspace.place.root, { anchors });
  const facts = { path, body, files, commands, links, file, shared, outdated };
  const created = header.created.slice(0, 10);
  return { ...same, created, checked: header.checked, by: authorsOf(header), ...facts };
}

/** @param name an id or a path. @throws {UsageError} */
export async function findNote(context: AppContext, name: string) {
  const book = openNotebook(await openProject(context));
  book.index();
  return { note: noteOf(book, noteIn(book, name)) };
}

export function noteIn(book: Notebook, name: string): ReadNote {
  const wanted = name.replace(/\.md$/, '');
  const found = book.all().find(({ note, path }) => note.header.id === wanted || path === wanted);
  if (found !== undefined) return found;
  throw new UsageError(`there is no note \`${name}\``, {
    code: 'NO_SUCH_NOTE',
    hint: 'see `lanehold note list`',
  });
}

export type SuggestedNote = Awaited<ReturnType<typeof listSuggestions>>['suggestions'][number];

/**
 * Lists the suggestions that nobody has judged, newest first. `path` is that of the document of each, or of the one that
 * `note confirm` would write.
 */
export async function listSuggestions(context: AppContext) {
  const workspace = await openProject(context);
  const book = openNotebook(workspace);
  book.index();
  const paths = new Map(book.all().map(({ file, path }) => [file, path]));
  const items = recallStore(workspace.store).list(workspace.projectId);
  const suggestions = items
    .filter((it) => it.status === 'suggested' || isWaiting(it))
    .map((it) => {
      const { uid: id, kind, title, body, why, files, commands, agent, at } = it;
      const path = paths.get(it.path ?? '') ?? pathOfSuggestion(it);
      /** Whether sessions are told it already, as with `recall.capture` on `auto`. */
      const counts = it.status === 'active';
      const known = { id, kind, title, body, why, files, commands, agent, counts, path };
      return { ...known, at: at.toISOString() };
    });
  return { suggestions };
}
