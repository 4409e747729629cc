/**
 * Notes: Markdown documents that people and agents write, and the index over them. The documents are authoritative;
 * their rows in the database are updated whenever they have changed.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { attempt, ExplainedError, UsageError } from '../base/errors.ts';
import type { Home } from '../base/files/home.ts';
import { linkOnTheWay } from '../base/files/inside.ts';
import { makePrivateFolder } from '../base/files/private-folder.ts';
import { PRIVATE, replaceFile } from '../base/files/replace-file.ts';
import { lockFile, shortHash, withLock } from '../base/process/with-lock.ts';
import { randomHex } from '../base/text/random-hex.ts';
import { redact } from '../base/text/redact/redact.ts';
import { sha256 } from '../base/text/sha256.ts';
import type { Workspace } from '../features/workspace.ts';
import { type RecallItem, recallStore } from '../store/recall.ts';
import { type BrokenNote, type NoteDocument, parseNote, renderNote } from './note-file.ts';
import { EMPTY_FIELDS, replaceItems } from './put-item.ts';

/** A folder of notes, and the part of a note's path that names it. */
interface Shelf {
  readonly scope: 'project' | 'global' | 'agent';
  readonly folder: string;
  readonly projectId: number | null;
  /** True for the folder in the repository, which everybody who works on it shares. */
  readonly shared: boolean;
}

const SHARED = join('.lanehold', 'notes');

export function shelves({ place, store, projectId }: Workspace): readonly Shelf[] {
  const own = join(store.home.root, 'notes');
  const shared = join(place.root, SHARED);
  // In the home folder, the same path holds the notes of all projects.
  const isOwn = (attempt(() => realpathSync(own)) ?? own) === shared;
  // A link of a repository may lead anywhere.
  const isShared = !isOwn && linkOnTheWay(place.root, shared) === undefined;
  return [
    ...noteFoldersOf(store.home, place.identity).map(
      (folder) => ({ scope: 'project', folder, projectId, shared: false }) as const,
    ),
    ...(isShared ? [{ scope: 'project', folder: shared, projectId, shared: true } as const] : []),
    { scope: 'global', folder: join(own, 'global'), projectId: null, shared: false },
    { scope: 'agent', folder: join(own, 'agent'), projectId: null, shared: false },
  ];
}

const suffixOf = (identity: string): string => `-${sha256(identity).slice(0, 8)}`;

/**
 * The folders of a project's private notes, the one for new notes first. All worktrees of a repository share them;
 * earlier versions had one for each worktree.
 */
function noteFoldersOf({ root }: Pick<Home, 'root'>, identity: string): string[] {
  const all = join(root, 'notes', 'projects');
  const suffix = suffixOf(identity);
  const named = basename(identity) === '.git' ? dirname(identity) : identity;
  const own = `${basename(named).replaceAll(/[^\w.-]/g, '-')}${suffix}`;
  const there = (attempt(() => readdirSync(all)) ?? []).filter((it) => it.endsWith(suffix));
  return [...new Set([own, ...there.sort()])].map((it) => join(all, it));
}

/** Adds the private notes of a project to those of another one, which keeps all of its own. */
export function moveNotes(home: Pick<Home, 'root'>, from: string, to: string): void {
  const [target = ''] = noteFoldersOf(home, to);
  for (const folder of noteFoldersOf(home, from).filter((it) => existsSync(it)))
    renameSync(folder, existsSync(target) ? `${folder}${suffixOf(to)}` : target);
}

export function removeNotes(home: Pick<Home, 'root'>, identity: string): void {
  for (const folder of noteFoldersOf(home, identity))
    rmSync(folder, { recursive: true, force: true });
}

/**
 * File systems allow names of 255 bytes; the names of earlier texts and of drafts are longer. A word that ends in `.md`
 * would name the folder, or the file, of another note.
 */
const PATH =
  /^(project|global|agent)((?:\/(?![^/]*\.md(?:\/|$))[a-z0-9][a-z0-9._-]{0,149}){1,12})$/;

/** Whether it is the path of a note of a project. */
export const isOfProject = (path: string): boolean => PATH.exec(path)?.[1] === 'project';

/** The file of a note, from its path: `project/decisions/auth`. @throws {UsageError} */
export function noteFile(workspace: Workspace, path: string, shared = false): string {
  const [, scope, rest] = PATH.exec(path.replace(/\.md$/, '')) ?? [];
  if (scope === undefined || rest === undefined) {
    throw new UsageError(`\`${path}\` is no path of a note`, {
      hint: 'write it as project/decisions/auth: `project`, `global` or `agent` first, then up to 12 words of a-z, 0-9 and -, each at most 150 long',
    });
  }
  const shelf = shelves(workspace).find((it) => it.scope === scope && it.shared === shared);
  if (shelf === undefined) {
    throw new UsageError('only notes of the project can be shared', { hint: 'leave --shared out' });
  }
  return join(shelf.folder, `${rest.slice(1)}.md`);
}

export const newNoteId = (): string => `lh-${randomHex(6)}`;

/** The note without secrets, which a person may have written into the document. */
export function redactedNote({ header, body }: NoteDocument): NoteDocument {
  const { title, when, links, commands, source, confirmedBy } = header;
  return {
    header: {
      ...header,
      title: redact(title),
      ...(when && { when: redact(when) }),
      source: redact(source),
      ...(confirmedBy && { confirmedBy: redact(confirmedBy) }),
      ...(links && { links: links.map(redact) }),
      ...(commands && { commands: commands.map(redact) }),
    },
    body: redact(body),
  };
}

/** @throws {ExplainedError} if little would remain without its secrets. */
export function withoutSecrets(note: NoteDocument): NoteDocument {
  const clean = redactedNote(note);
  const lengthOf = ({ header, body }: NoteDocument) =>
    `${header.title} ${body}`.replaceAll(/\[redacted:[\w-]+\]/g, '').trim().length;
  if (lengthOf(clean) < lengthOf(note) / 2) {
    throw new ExplainedError('most of this note is a secret', {
      code: 'NOTE_REFUSED',
      hint: 'say where the secret is kept instead of what it is',
    });
  }
  return clean;
}

interface PlacedNote<Note> {
  readonly path: string;
  readonly file: string;
  readonly shelf: Shelf;
  readonly note: Note;
}

export type ReadNote = PlacedNote<NoteDocument>;

/** The notes of a project, whose documents were read once. */
export type Notebook = Omit<ChangeableNotebook, 'write' | 'remove'>;
export type ChangeableNotebook = ReturnType<typeof readNotebook>;

export const openNotebook = (workspace: Workspace): Notebook => readNotebook(workspace);

/**
 * Changes notes while no other process does, so that nothing changes between the look and the writing, and updates the
 * index. Nothing else writes documents.
 */
export function changeNotes<T>(
  workspace: Workspace,
  change: (book: ChangeableNotebook) => T,
): Promise<T> {
  const lock = lockFile(workspace.store.home.locks, 'recall', shortHash('notes'));
  return withLock(lock, { waitMs: 30_000, what: 'another change of notes' }, () => {
    const book = readNotebook(workspace);
    const done = change(book);
    book.index();
    return done;
  });
}

function readNotebook(workspace: Workspace) {
  const notes = new Map<string, ReadNote>();
  const broken: PlacedNote<BrokenNote>[] = [];
  for (const { note, ...at } of readNotes(workspace)) {
    if ('problem' in note) broken.push({ ...at, note });
    else notes.set(at.file, { ...at, note });
  }
  return {
    workspace,
    all: (): readonly ReadNote[] => [...notes.values()],
    broken: (): readonly PlacedNote<BrokenNote>[] => broken,
    /** Writes the document; secrets are removed. @throws {ExplainedError} if little else would be left. */
    write(file: string, document: NoteDocument): ReadNote {
      const text = renderNote(withoutSecrets(document));
      const note = parseNote(text);
      if ('problem' in note) {
        throw new ExplainedError(`this note could not be read again: ${note.problem}`, {
          code: 'NOTE_REFUSED',
          hint: 'a title is one line of at most 200 characters; more of it belongs into the body',
        });
      }
      const shelf = shelves(workspace).find((it) => file.startsWith(it.folder + sep)) as Shelf;
      if (shelf.shared) mkdirSync(dirname(file), { recursive: true });
      else makePrivateFolder(dirname(file));
      replaceFile(file, text, shelf.shared ? {} : { mode: PRIVATE });
      const written = { path: pathOn(shelf, file), file, shelf, note };
      notes.set(file, written);
      return written;
    },
    remove(file: string): void {
      rmSync(file);
      notes.delete(file);
    },
    /** Updates the index from the documents. For a broken document, its last readable state stays. */
    index: (): void => takeOver(workspace, [...notes.values()], broken),
  };
}

/** Reads the documents, and updates the index from them. */
export const indexNotes = (workspace: Workspace): void => openNotebook(workspace).index();

const pathOn = ({ scope, folder }: Shelf, file: string): string =>
  `${scope}/${pathBelow(folder, file)}`;

function readNotes(workspace: Workspace): PlacedNote<NoteDocument | BrokenNote>[] {
  const read = shelves(workspace).flatMap((shelf) =>
    markdownIn(shelf.folder).map((file) => {
      const note = parseNote(readFileSync(file, 'utf8'));
      return { path: pathOn(shelf, file), file, shelf, note };
    }),
  );
  const ids = read.flatMap(({ note }) => ('problem' in note ? [] : note.header.id));
  const owners = recallStore(workspace.store).ownersOf(ids);
  return read.map((it) => {
    const { note, file, shelf } = it;
    if ('problem' in note) return it;
    const owner = owners.get(note.header.id);
    if (owner === undefined || owner === shelf.projectId) return it;
    // A document that was copied from another project has an id in use: it gets a new one.
    const id = `lh-${sha256(file).slice(0, 8)}`;
    return { ...it, note: { ...note, header: { ...note.header, id } } };
  });
}

/** The note's path without suffix: `decisions/auth`. */
export const pathBelow = (folder: string, file: string): string =>
  relative(folder, file).split(sep).join('/').replace(/\.md$/, '');

/** Links are not followed: those of a repository may lead anywhere. */
export function markdownIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder, { withFileTypes: true }).flatMap((it) => {
    const path = join(folder, it.name);
    if (it.isDirectory()) return markdownIn(path);
    return it.isFile() && it.name.endsWith('.md') ? [path] : [];
  });
  return found.sort();
}

function takeOver(
  { store, projectId }: Workspace,
  notes: readonly ReadNote[],
  broken: readonly { readonly file: string }[],
): void {
  const unread = new Set(broken.map(({ file }) => file));
  const known = recallStore(store)
    .list(projectId)
    .filter(({ path }) => path !== null && !unread.has(path));
  replaceItems(store, known, notes.map(itemOf));
}

/** Who wrote the note, and who has confirmed it. */
export const authorsOf = ({ source, confirmedBy }: NoteDocument['header']): string =>
  redact(confirmedBy === undefined ? source : `${source}, confirmed by ${confirmedBy}`);

function itemOf({ file, shelf, path, note: { header, body } }: ReadNote): RecallItem {
  return {
    ...EMPTY_FIELDS,
    uid: header.id,
    projectId: shelf.projectId,
    kind: header.kind,
    status: header.status,
    title: header.title,
    body,
    conditions: header.when ?? '',
    files: header.files ?? [],
    links: header.links ?? [],
    commands: header.commands ?? [],
    path: file,
    source: authorsOf(header),
    agent: shelf.scope === 'agent' ? (path.split('/')[1] ?? null) : null,
    at: new Date(header.created),
    checkedAt: header.checked === undefined ? null : new Date(header.checked),
    digest: sha256(JSON.stringify([header, body])).slice(0, 16),
    anchors: header.anchors ?? null,
  };
}
