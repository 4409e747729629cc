/** Notes: what a project's people and agents want to be remembered. */
import { readFileSync } from 'node:fs';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { isNoProject } from '../../base/git/project.ts';
import type { Workspace } from '../../features/workspace.ts';
import { anchorsOf, type Drift, driftOf } from '../../recall/anchors.ts';
import { type NoteDocument, parseNote } from '../../recall/note-file.ts';
import {
  indexNotes,
  newNoteId,
  noteFile,
  readNotes,
  redactedNote,
  removeNote,
  withoutSecrets,
  writeNote,
} from '../../recall/notes.ts';
import { isGlob } from '../../recall/occasions.ts';
import { putItem } from '../../recall/put-item.ts';
import { isWaiting, pathOfSuggestion } from '../../recall/suggestions.ts';
import { NOTE_KINDS, type NoteKind, recallStore } from '../../store/recall.ts';
import { type AppContext, openProject } from '../context.ts';
import { oneOf } from '../values.ts';

export class NoSuchNoteError extends ExplainedError {
  override readonly code = 'NO_SUCH_NOTE';
}

export interface NewNote {
  /** `project/decisions/auth`. */
  readonly path: string;
  /** Without one the folder says it: `decisions/` is of decisions; else it is a fact. */
  readonly kind?: NoteKind | undefined;
  readonly title: string;
  readonly body: string;
  /** Words of prompts to which it is relevant. */
  readonly when?: string | undefined;
  /** Relative to the project: files whose content it is about, and globs of files before which it is told. */
  readonly files?: readonly string[] | undefined;
  /** Commands before which it is told: `npm publish`, `git push * --tags`. */
  readonly commands?: readonly string[] | undefined;
  readonly links?: readonly string[] | undefined;
  readonly shared?: boolean | undefined;
  /** A note that it takes the place of: its id or its path. */
  readonly supersedes?: string | undefined;
  /** `person`, or the agent that says it. */
  readonly source: string;
}

/** A note, and whether the files that it cites are still what they were. */
export interface Note {
  readonly id: string;
  readonly path: string;
  readonly kind: NoteKind;
  readonly status: string;
  readonly title: string;
  readonly body: string;
  readonly when?: string;
  readonly files: readonly string[];
  readonly commands: readonly string[];
  readonly links: readonly string[];
  readonly created: string;
  readonly checked?: string | undefined;
  readonly source: string;
  readonly file: string;
  readonly shared: boolean;
  /** Files that changed since, or are gone; empty while the note is told to agents. */
  readonly outdated: Drift;
}

export interface NoteList {
  readonly notes: readonly Note[];
  /** Documents that cannot be read, and why. */
  readonly broken: readonly {
    readonly file: string;
    readonly line: number;
    readonly problem: string;
  }[];
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10);

/**
 * @throws {UsageError} if the path is none, or taken. @throws {NoSuchNoteError} if it is to supersede none.
 * @throws {NoteRefusedError}
 */
export async function addNote(context: AppContext, wish: NewNote): Promise<Note> {
  const workspace = await openProject(context);
  if (wish.path.startsWith('project/') && isNoProject(workspace.place, context.env.HOME)) {
    throw new UsageError('the home folder is no project', {
      hint: 'go to a project, or write the note for all of them: global/...',
    });
  }
  const file = noteFile(workspace, wish.path, wish.shared);
  const path = wish.path.replace(/\.md$/, '');
  if (readNotes(workspace).some((it) => it.file === file)) {
    throw new UsageError(`there is a note at ${path} already`, {
      hint: `change it with \`lanehold note edit ${path}\`, or choose another path`,
    });
  }
  const { root } = workspace.place;
  const replaced =
    wish.supersedes === undefined ? undefined : (await findNote(context, wish.supersedes)).note;
  const links = [
    ...(wish.links ?? []),
    ...(replaced === undefined ? [] : [`${SUPERSEDES}${replaced.id}`]),
  ];
  const header = {
    id: newNoteId(),
    kind: wish.kind ?? kindOf(wish.path),
    title: wish.title,
    ...(wish.when === undefined ? {} : { when: wish.when }),
    ...boundTo(root, wish.files),
    ...(wish.commands === undefined ? {} : { commands: [...wish.commands] }),
    ...(links.length === 0 ? {} : { links }),
    status: 'active' as const,
    created: dayOf(context.now()),
    source: wish.source,
  };
  writeNote(workspace, file, { header, body: wish.body });
  if (replaced !== undefined) setAside(workspace, replaced.file, header.id);
  indexNotes(workspace);
  return (await findNote(context, header.id)).note;
}

const kindOf = (path: string): NoteKind =>
  NOTE_KINDS.find((kind) => path.split('/').includes(`${kind}s`)) ?? 'fact';

const SUPERSEDES = 'supersedes:';

/** The document stays where it is, marked as superseded: it is told to nobody. */
function setAside(workspace: Workspace, file: string, by: string, to = file): void {
  const { header, body } = documentIn(file);
  const links = [...(header.links ?? []), `superseded-by:${by}`];
  writeNote(workspace, to, { header: { ...header, links, status: 'superseded' }, body });
}

function documentIn(file: string): NoteDocument {
  const read = parseNote(readFileSync(file, 'utf8'));
  if ('problem' in read) throw new ExplainedError(`${file} ${read.problem}`);
  return read;
}

/** What is given is changed. */
export type NoteChange = Partial<
  Pick<NewNote, 'kind' | 'title' | 'body' | 'when' | 'files' | 'commands' | 'links' | 'source'>
>;

/**
 * Changes a note. Where it says something else then, the earlier text stays as a superseded document beside it,
 * and the note gets a new id.
 *
 * @throws {NoSuchNoteError} @throws {UsageError} @throws {NoteRefusedError}
 */
export async function editNote(
  context: AppContext,
  name: string,
  { title, body, source, files, ...change }: NoteChange,
): Promise<Note> {
  const { workspace, note } = await findNote(context, name);
  const given = Object.fromEntries(Object.entries(change).filter(([, it]) => it !== undefined));
  assertEditable(note, [title, body, files, ...Object.values(given)]);
  const { header, body: earlier } = documentIn(note.file);
  const bound = files === undefined ? {} : boundTo(workspace.place.root, files);
  const { anchors: _, files: __, ...unbound } = header;
  const kept = files === undefined ? header : unbound;
  const changed = { ...kept, ...given, ...bound, title: title ?? header.title };
  const saysElse =
    (title !== undefined && title !== header.title) || (body !== undefined && body !== earlier);
  const id = saysElse ? newNoteId() : header.id;
  const successor = {
    id,
    links: [...(changed.links ?? []), `${SUPERSEDES}${header.id}`],
    // What is said now is said of the files as they are now.
    ...anchoredTo(workspace.place.root, files ?? header.files),
    created: dayOf(context.now()),
    ...(source === undefined ? {} : { source }),
  };
  const document = withoutSecrets({
    header: { ...changed, ...(saysElse ? successor : {}) },
    body: body ?? earlier,
  });
  if (saysElse) {
    setAside(workspace, note.file, id, note.file.replace(/\.md$/, `.${header.id}.md`));
  }
  writeNote(workspace, note.file, document);
  indexNotes(workspace);
  return (await findNote(context, id)).note;
}

/** @throws {UsageError} if nothing is given, or the note is an earlier text. */
function assertEditable({ file, path, status }: Note, given: readonly unknown[]): void {
  if (given.every((it) => it === undefined)) {
    throw new UsageError('nothing is said to change', {
      hint: `give --title, --body or another option, or edit its document: ${file}`,
    });
  }
  if (status === 'superseded') {
    throw new UsageError(`${path} was superseded and stays as it is`, {
      hint: 'edit the note that took its place, see `lanehold note list`',
    });
  }
}

/** Paths are bound to what the files contain now, globs are not. @throws {UsageError} */
function boundTo(root: string, files: readonly string[] = []) {
  if (files.length === 0) return {};
  const paths = files.filter((it) => !isGlob(it));
  const anchors = anchorsOf(root, paths);
  const missing = paths.find((it) => anchors[it] === undefined);
  if (missing !== undefined) {
    throw new UsageError(`there is no file ${missing} in this project`, {
      hint: 'write it relative to its root, or a glob: src/auth/**',
    });
  }
  return { files: [...files], ...anchoredTo(root, paths) };
}

function anchoredTo(root: string, files: readonly string[] = []) {
  const anchors = anchorsOf(root, files);
  return Object.keys(anchors).length === 0 ? {} : { anchors };
}

/** @param which `all`: superseded ones, too. */
export async function listNotes(
  context: AppContext,
  which: 'current' | 'all' = 'current',
): Promise<NoteList> {
  const workspace = await openProject(context);
  const broken = indexNotes(workspace).map(({ file, note }) => ({ file, ...note }));
  const notes = readNotes(workspace).flatMap(({ note, path, file, shelf }) => {
    if ('problem' in note) return [];
    if (which === 'current' && note.header.status === 'superseded') return [];
    const { header, body } = redactedNote(note);
    const {
      anchors,
      id,
      kind,
      status,
      title,
      when,
      files = [],
      commands = [],
      links = [],
      created,
      checked,
      source,
    } = header;
    const outdated = driftOf(workspace.place.root, { anchors: anchors ?? null });
    const rest = {
      files,
      commands,
      links,
      created,
      checked,
      source,
      file,
      shared: shelf.shared,
      outdated,
    };
    return [
      {
        id,
        path,
        kind,
        status,
        title,
        body: body,
        ...(when === undefined ? {} : { when }),
        ...rest,
      },
    ];
  });
  return { notes, broken };
}

/** @param name its id or its path. @throws {NoSuchNoteError} */
export async function findNote(context: AppContext, name: string) {
  const workspace = await openProject(context);
  const { notes } = await listNotes(context, 'all');
  const wanted = name.replace(/\.md$/, '');
  const note = notes.find((it) => it.id === wanted || it.path === wanted);
  if (note === undefined) {
    throw new NoSuchNoteError(`there is no note \`${name}\``, { hint: 'see `lanehold note list`' });
  }
  return { workspace, note };
}

/** A suggestion, and what it was inferred from. */
export interface SuggestedNote {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  readonly why: string | null;
  readonly files: readonly string[];
  readonly commands: readonly string[];
  readonly agent: string | null;
  readonly at: string;
  /** Where it stands once it is confirmed; where it stands now, if it is a document already. */
  readonly path: string;
}

/** What waits for somebody to confirm or reject it, newest first. */
export async function listSuggestions(
  context: AppContext,
): Promise<{ readonly suggestions: readonly SuggestedNote[] }> {
  const workspace = await openProject(context);
  indexNotes(workspace);
  const paths = new Map(readNotes(workspace).map(({ file, path }) => [file, path]));
  const items = recallStore(workspace.store).list(workspace.projectId);
  const suggestions = items
    .filter(({ status }) => status === 'suggested')
    .map((it) => {
      const { uid: id, kind, title, body, why, files, commands, agent, at } = it;
      const path = paths.get(it.path ?? '') ?? pathOfSuggestion(it);
      return { id, kind, title, body, why, files, commands, agent, at: at.toISOString(), path };
    });
  return { suggestions };
}

/** The waiting suggestion of this id. */
async function waiting(context: AppContext, id: string) {
  const workspace = await openProject(context);
  const { projectId, store } = workspace;
  const item = recallStore(store).find(id);
  const isHere = item?.projectId === null || item?.projectId === projectId;
  return item !== undefined && isHere && isWaiting(item) ? { workspace, item } : undefined;
}

/**
 * Says that it is still true: binds it to the files as they are now. A suggestion becomes a document.
 *
 * @throws {NoSuchNoteError}
 */
export async function confirmNote(context: AppContext, name: string): Promise<Note> {
  const suggested = await waiting(context, name);
  if (suggested === undefined) return confirmDocument(context, name);
  const { workspace, item } = suggested;
  const { title, body, uid: id, source, files } = item;
  const { root } = workspace.place;
  const lists = {
    ...(item.commands.length === 0 ? {} : { commands: [...item.commands] }),
    ...(item.links.length === 0 ? {} : { links: [...item.links] }),
    ...(files.length === 0 ? {} : { files: [...files], ...anchoredTo(root, files) }),
  };
  const days = { created: dayOf(item.at), checked: dayOf(context.now()) };
  const kind = oneOf('kind', NOTE_KINDS, item.kind);
  const header = { id, kind, title, ...lists, status: 'active' as const, ...days, source };
  writeNote(workspace, noteFile(workspace, pathOfSuggestion(item)), { header, body });
  indexNotes(workspace);
  return (await findNote(context, id)).note;
}

const confirmDocument = (context: AppContext, name: string): Promise<Note> =>
  rewrite(context, name, (header, root) => ({
    ...header,
    status: 'active',
    checked: dayOf(context.now()),
    ...anchoredTo(root, header.files),
  }));

/**
 * A note that is not to be kept stays, told to nobody; a suggestion is not made again.
 *
 * @returns its path, or the id of a suggestion.
 * @throws {NoSuchNoteError}
 */
export async function rejectNote(
  context: AppContext,
  name: string,
): Promise<{ readonly id: string; readonly path: string }> {
  const suggested = await waiting(context, name);
  if (suggested === undefined) {
    return rewrite(context, name, (header) => ({ ...header, status: 'archived' }));
  }
  const { workspace, item } = suggested;
  workspace.store.write(() =>
    putItem(recallStore(workspace.store), { ...item, status: 'archived' }),
  );
  return { id: item.uid, path: item.uid };
}

async function rewrite(
  context: AppContext,
  name: string,
  change: (header: NoteDocument['header'], root: string) => NoteDocument['header'],
): Promise<Note> {
  const { workspace, note } = await findNote(context, name);
  const read = documentIn(note.file);
  writeNote(workspace, note.file, {
    header: change(read.header, workspace.place.root),
    body: read.body,
  });
  return (await findNote(context, note.id)).note;
}

/** @throws {NoSuchNoteError} */
export async function deleteNote(context: AppContext, name: string): Promise<Note> {
  const { workspace, note } = await findNote(context, name);
  removeNote(workspace, note.file);
  return note;
}
