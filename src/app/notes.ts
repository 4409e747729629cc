/** Notes: what a project's people and agents want to be remembered. */
import { readFileSync } from 'node:fs';
import { ExplainedError, UsageError } from '../errors.ts';
import { anchorsOf, type Drift, driftOf } from '../recall/anchors.ts';
import { type NoteDocument, parseNote } from '../recall/note-file.ts';
import {
  indexNotes,
  newNoteId,
  noteFile,
  readNotes,
  removeNote,
  writeNote,
} from '../recall/notes.ts';
import { isGlob } from '../recall/occasions.ts';
import type { NoteKind } from '../store/recall.ts';
import { type AppContext, openProject } from './context.ts';

export class NoSuchNoteError extends ExplainedError {
  override readonly code = 'NO_SUCH_NOTE';
}

export interface NewNote {
  /** `project/decisions/auth`. */
  readonly path: string;
  readonly kind: NoteKind;
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

/** @throws {UsageError} if the path is none, or taken. @throws {NoteRefusedError} */
export async function addNote(context: AppContext, wish: NewNote): Promise<Note> {
  const workspace = await openProject(context);
  const file = noteFile(workspace, wish.path, wish.shared);
  const path = wish.path.replace(/\.md$/, '');
  if (readNotes(workspace).some((it) => it.file === file)) {
    throw new UsageError(`there is a note at ${path} already`, {
      hint: `change it with \`lanehold note edit ${path}\`, or choose another path`,
    });
  }
  const { root } = workspace.place;
  const header = {
    id: newNoteId(),
    kind: wish.kind,
    title: wish.title,
    ...(wish.when === undefined ? {} : { when: wish.when }),
    ...boundTo(root, wish.files),
    ...(wish.commands === undefined ? {} : { commands: [...wish.commands] }),
    ...(wish.links === undefined ? {} : { links: [...wish.links] }),
    status: 'active' as const,
    created: dayOf(context.now()),
    source: wish.source,
  };
  writeNote(workspace, file, { header, body: wish.body });
  indexNotes(workspace);
  return (await findNote(context, header.id)).note;
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
  return { files: [...files], ...(paths.length === 0 ? {} : { anchors }) };
}

export async function listNotes(context: AppContext): Promise<NoteList> {
  const workspace = await openProject(context);
  const broken = indexNotes(workspace).map(({ file, note }) => ({ file, ...note }));
  const notes = readNotes(workspace).flatMap(({ note, path, file, shelf }) => {
    if ('problem' in note) return [];
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
    } = note.header;
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
        body: note.body,
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
  const { notes } = await listNotes(context);
  const wanted = name.replace(/\.md$/, '');
  const note = notes.find((it) => it.id === wanted || it.path === wanted);
  if (note === undefined) {
    throw new NoSuchNoteError(`there is no note \`${name}\``, { hint: 'see `lanehold note list`' });
  }
  return { workspace, note };
}

/** Says that it is still true: binds it to the files as they are now. @throws {NoSuchNoteError} */
export const confirmNote = (context: AppContext, name: string): Promise<Note> =>
  rewrite(context, name, (header, root) => ({
    ...header,
    status: 'active',
    checked: dayOf(context.now()),
    ...(header.files === undefined ? {} : { anchors: anchorsOf(root, header.files) }),
  }));

/** A suggestion that is not to be kept stays as a document and is told to nobody. @throws {NoSuchNoteError} */
export const rejectNote = (context: AppContext, name: string): Promise<Note> =>
  rewrite(context, name, (header) => ({ ...header, status: 'archived' }));

async function rewrite(
  context: AppContext,
  name: string,
  change: (header: NoteDocument['header'], root: string) => NoteDocument['header'],
): Promise<Note> {
  const { workspace, note } = await findNote(context, name);
  const read = parseNote(readFileSync(note.file, 'utf8'));
  if ('problem' in read) throw new ExplainedError(`${note.file} ${read.problem}`);
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
