/** Adds and changes notes, decides about suggestions, and keeps the paths of notes up to date. */
import { existsSync } from 'node:fs';
import { actorOf } from '../../agents/actor.ts';
import { UsageError } from '../../base/errors.ts';
import { isNoProject } from '../../base/git/project.ts';
import type { Workspace } from '../../features/workspace.ts';
import { anchorsOf, driftOf, MOST_FILES } from '../../recall/anchors.ts';
import type { NoteDocument } from '../../recall/note-file.ts';
import {
  type ChangeableNotebook,
  changeNotes,
  newNoteId,
  noteFile,
  type ReadNote,
  withoutSecrets,
} from '../../recall/notes.ts';
import { isGlob } from '../../recall/occasions.ts';
import { putItem } from '../../recall/put-item.ts';
import { movedPaths } from '../../recall/renames.ts';
import { isWaiting, pathOfSuggestion } from '../../recall/suggestions.ts';
import { NOTE_KINDS, type NoteKind, recallStore } from '../../store/recall.ts';
import { type AppContext, openProject } from '../context.ts';
import { defined, oneOf } from '../values.ts';
import { type Note, noteIn, noteOf } from './notes.ts';

export interface NewNote {
  /** `project/decisions/auth`. */
  readonly path: string;
  /** By default it follows from the folder: `decisions/` has decisions. A note elsewhere is a fact. */
  readonly kind?: NoteKind | undefined;
  readonly title: string;
  readonly body: string;
  /** Words of prompts to which it is relevant. */
  readonly when?: string | undefined;
  /** Relative to the project: files that it is about, and globs of files before which it is shown. */
  readonly files?: readonly string[] | undefined;
  /** Commands before which it is shown: `npm publish`, `git push * --tags`. */
  readonly commands?: readonly string[] | undefined;
  readonly links?: readonly string[] | undefined;
  readonly shared?: boolean | undefined;
  /** The note that it replaces: an id or a path. */
  readonly supersedes?: string | undefined;
  /** `person`, or the agent that wrote it. */
  readonly source: string;
}

/** @throws {UsageError} if the path is invalid or taken, or the superseded note does not exist. */
export async function addNote(context: AppContext, wish: NewNote): Promise<Note> {
  const workspace = await openProject(context);
  if (wish.path.startsWith('project/') && isNoProject(workspace.place, context.env.HOME)) {
    throw new UsageError('the home folder is no project', {
      hint: 'go to a project, or write the note for all of them: global/...',
    });
  }
  const file = noteFile(workspace, wish.path, wish.shared);
  return changeNotes(workspace, (book) => added(book, file, wish, context.now()));
}

function added(book: ChangeableNotebook, file: string, wish: NewNote, now: Date): Note {
  const path = wish.path.replace(/\.md$/, '');
  if (existsSync(file)) {
    throw new UsageError(`there is a note at ${path} already`, {
      hint: `change it with \`lanehold note edit ${path}\`, or choose another path`,
    });
  }
  const { root } = book.workspace.place;
  const replaced = wish.supersedes === undefined ? undefined : noteIn(book, wish.supersedes);
  const links = [
    ...(wish.links ?? []),
    ...(replaced === undefined ? [] : [`${SUPERSEDES}${replaced.note.header.id}`]),
  ];
  const header = {
    id: newNoteId(),
    kind: wish.kind ?? kindOf(wish.path),
    title: wish.title,
    when: wish.when,
    commands: wish.commands,
    ...boundTo(root, wish.files, `${wish.title} ${wish.body}`),
    links,
    status: 'active' as const,
    created: now.toISOString(),
    source: wish.source,
  };
  const written = book.write(file, { header, body: wish.body });
  if (replaced !== undefined) setAside(book, replaced, header.id);
  return noteOf(book, written);
}

const kindOf = (path: string): NoteKind =>
  NOTE_KINDS.find((kind) => path.split('/').includes(`${kind}s`)) ?? 'fact';

const SUPERSEDES = 'supersedes:';

/** Marks the document as superseded: it stays in its place, and is no longer shown. */
export function setAside(
  book: ChangeableNotebook,
  { note, file }: ReadNote,
  by: string,
  to = file,
): void {
  const { header, body } = note;
  const links = [...(header.links ?? []), `superseded-by:${by}`];
  book.write(to, { header: { ...header, links, status: 'superseded' }, body });
}

/** Missing fields stay as they are. */
export type NoteChange = Partial<
  Pick<NewNote, 'kind' | 'title' | 'body' | 'when' | 'files' | 'commands' | 'links' | 'source'>
>;

/**
 * Changes a note. If its text changes, the earlier text stays beside it as a superseded document, and the note gets a
 * new id.
 *
 * @throws {UsageError}
 */
export async function editNote(
  context: AppContext,
  name: string,
  change: NoteChange,
): Promise<Note> {
  const workspace = await openProject(context);
  return changeNotes(workspace, (book) => edited(book, name, change, context.now()));
}

function edited(
  book: ChangeableNotebook,
  name: string,
  { title, body, source, files, ...change }: NoteChange,
  now: Date,
): Note {
  const found = noteIn(book, name);
  const { note, file } = found;
  const { root } = book.workspace.place;
  const given = defined(change);
  assertEditable(found, [title, body, files, ...Object.values(given)]);
  const { header, body: earlier } = note;
  const said = `${title ?? header.title} ${body ?? note.body}`;
  const saysElse =
    (title !== undefined && title !== header.title) || (body !== undefined && body !== earlier);
  const { anchors: _, files: __, ...unbound } = header;
  // A new text is about the present files.
  const bound =
    files === undefined ? boundNow(root, header.files, said) : boundTo(root, files, said);
  const kept = files === undefined && !saysElse ? header : { ...unbound, ...bound };
  const changed = { ...kept, ...given, title: title ?? header.title };
  const id = saysElse ? newNoteId() : header.id;
  const successor = {
    id,
    links: [...(changed.links ?? []), `${SUPERSEDES}${header.id}`],
    created: now.toISOString(),
    checked: undefined,
    confirmedBy: undefined,
    ...(source === undefined ? {} : { source }),
  };
  const document = withoutSecrets({
    header: { ...changed, ...(saysElse ? successor : {}) },
    body: body ?? earlier,
  });
  if (saysElse) setAside(book, found, id, file.replace(/\.md$/, `.${header.id}.md`));
  return noteOf(book, book.write(file, document));
}

/** @throws {UsageError} if nothing is given, or the note is an earlier text. */
function assertEditable(found: ReadNote, given: readonly unknown[]): void {
  if (given.every((it) => it === undefined)) {
    throw new UsageError('nothing is said to change', {
      hint: `give --title, --body or another option, or edit its document: ${found.file}`,
    });
  }
  assertCurrent(found);
}

function assertCurrent({ path, note }: ReadNote): void {
  if (note.header.status !== 'superseded') return;
  throw new UsageError(`${path} was superseded and stays as it is`, {
    hint: 'name the note that took its place, see `lanehold note list`',
  });
}

/** Paths with the fingerprints of their present content; globs without. @throws {UsageError} */
function boundTo(root: string, files: readonly string[] = [], said: string) {
  if (files.length > MOST_FILES) {
    throw new UsageError(`a note is about at most ${MOST_FILES} files`, {
      hint: 'name those that it speaks of, or a glob: src/auth/**',
    });
  }
  const bound = boundNow(root, files, said);
  const missing = files.find((it) => !bound.files.includes(it));
  if (missing !== undefined) {
    throw new UsageError(`there is no file ${missing} in this project`, {
      hint: 'write it relative to its root, or a glob: src/auth/**',
    });
  }
  return bound;
}

/** The same without the files that are gone. */
function boundNow(root: string, files: readonly string[] = [], said: string) {
  const anchors = anchorsOf(root, files, said);
  const there = files.filter((it) => isGlob(it) || anchors[it] !== undefined);
  return { files: there, anchors };
}

function waiting({ projectId, store }: Workspace, id: string) {
  const item = recallStore(store).find(id);
  const isHere = item?.projectId === null || item?.projectId === projectId;
  return item !== undefined && isHere && isWaiting(item) ? item : undefined;
}

/**
 * Confirms a note, and binds it to those of its files that are still there. A suggestion becomes a document.
 *
 * @throws {UsageError}
 */
export async function confirmNote(context: AppContext, name: string): Promise<Note> {
  const workspace = await openProject(context);
  const { root } = workspace.place;
  const checked = context.now().toISOString().slice(0, 10);
  const confirmedBy = actorOf(context).agent ?? 'person';
  await followRenames(workspace);
  return changeNotes(workspace, (book) => {
    const item = waiting(workspace, name);
    if (item === undefined) {
      assertCurrent(noteIn(book, name));
      return rewrite(book, name, ({ files, anchors: _, ...header }, body) => {
        const bound = boundNow(root, files, `${header.title} ${body}`);
        return { ...header, ...bound, status: 'active', checked, confirmedBy };
      });
    }
    const { title, body, uid: id, source, files } = item;
    const { commands, links } = item;
    const lists = { commands, links, ...boundNow(root, files, `${title} ${body}`) };
    const days = { created: item.at.toISOString(), checked, confirmedBy };
    const kind = oneOf('kind', NOTE_KINDS, item.kind);
    const header = { id, kind, title, ...lists, status: 'active' as const, ...days, source };
    const file = noteFile(workspace, pathOfSuggestion(item));
    return noteOf(book, book.write(file, { header, body }));
  });
}

/**
 * Rejects a note, which stays and is no longer shown; a suggestion is not made again.
 *
 * @returns its path, or the id of a suggestion.
 * @throws {UsageError}
 */
export async function rejectNote(context: AppContext, name: string) {
  const workspace = await openProject(context);
  return changeNotes(workspace, (book) => {
    const item = waiting(workspace, name);
    if (item === undefined)
      return rewrite(book, name, (header) => ({ ...header, status: 'archived' }));
    const { store } = workspace;
    store.write(() => putItem(recallStore(store), { ...item, status: 'archived' }));
    return { id: item.uid, path: item.uid };
  });
}

function rewrite(
  book: ChangeableNotebook,
  name: string,
  change: (header: NoteDocument['header'], body: string) => NoteDocument['header'],
): Note {
  const { file, note } = noteIn(book, name);
  const header = change(note.header, note.body);
  return noteOf(book, book.write(file, { header, body: note.body }));
}

/** @throws {UsageError} */
export async function deleteNote(context: AppContext, name: string): Promise<Note> {
  return changeNotes(await openProject(context), (book) => {
    const found = noteIn(book, name);
    book.remove(found.file);
    return noteOf(book, found);
  });
}

/** Updates the paths of notes whose files were moved in the last commits or in the working tree. */
export async function followRenames(workspace: Workspace): Promise<void> {
  const { git, place, projectId, store } = workspace;
  const lost = new Map<string, string>();
  for (const note of recallStore(store).boundNotes(projectId, -1)) {
    const anchors: Record<string, string> = JSON.parse(note.anchors);
    for (const path of driftOf(place.root, { anchors }).gone) lost.set(path, anchors[path] ?? '');
  }
  if (lost.size === 0) return;
  const placeOf = await movedPaths(git, place, lost, MOST_COMMITS);
  await changeNotes(workspace, (book) => {
    for (const { file, note } of book.all()) {
      const { files = [], anchors = {}, ...header } = note.header;
      // The path of a deleted file leads nowhere else, so its document is not changed.
      if (files.every((path) => placeOf(path) === path)) continue;
      const bound = Object.entries(anchors).map(([path, it]) => [placeOf(path), it]);
      const document = {
        ...header,
        files: files.map((path) => placeOf(path)),
        anchors: Object.fromEntries(bound),
      };
      book.write(file, { header: document, body: note.body });
    }
  });
}

const MOST_COMMITS = 300;
