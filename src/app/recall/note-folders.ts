/** Notes as a folder of Markdown documents that a person reads and a repository holds. */
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { replaceFile } from '../../base/files/replace-file.ts';
import {
  type BrokenNote,
  type NoteDocument,
  parseNote,
  renderNote,
} from '../../recall/note-file.ts';
import {
  type ChangeableNotebook,
  changeNotes,
  markdownIn,
  newNoteId,
  noteFile,
  openNotebook,
  pathBelow,
  redactedNote,
  withoutSecrets,
} from '../../recall/notes.ts';
import { type AppContext, openProject } from '../context.ts';

export type ExportedNotes = Awaited<ReturnType<typeof exportNotes>>;
export type ImportedNotes = Awaited<ReturnType<typeof importNotes>>;

/**
 * Writes each note of this project, and those of all projects, below a folder under its path.
 *
 * @throws {UsageError} if a file there has another content; nothing is written then.
 */
export async function exportNotes(context: AppContext, to: string) {
  const workspace = await openProject(context);
  const folder = resolve(context.cwd, to);
  const texts = openNotebook(workspace)
    .all()
    .filter(({ note }) => note.header.status !== 'suggested')
    .map(({ path, note }) => {
      return { path, file: join(folder, `${path}.md`), text: renderNote(redactedNote(note)) };
    });
  const other = texts.find(
    ({ file, text }) => existsSync(file) && readFileSync(file, 'utf8') !== text,
  );
  if (other !== undefined) {
    throw new UsageError(`${other.file} is there already and has another content`, {
      hint: 'choose an empty folder, or remove the file',
    });
  }
  for (const { file, text } of texts) {
    mkdirSync(dirname(file), { recursive: true });
    replaceFile(file, text, {});
  }
  return { folder, exported: texts.map(({ path }) => path) };
}

/**
 * Imports the Markdown documents of a folder. A document without a header becomes a fact with its first heading as the
 * title. An existing note with another text stays, and is reported.
 *
 * @throws {UsageError} if there is no such folder.
 */
export async function importNotes(context: AppContext, from: string) {
  const workspace = await openProject(context);
  const folder = resolve(context.cwd, from);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UsageError(`there is no folder ${from}`, {
      hint: 'name one that holds Markdown files',
    });
  }
  return changeNotes(workspace, (book) => takeFolder(book, folder, context.now()));
}

function takeFolder(book: ChangeableNotebook, folder: string, now: Date) {
  const known = [...book.all(), ...book.broken()];
  const ids = new Set(book.all().map(({ note }) => note.header.id));
  const imported: string[] = [];
  const unchanged: string[] = [];
  const skipped: { file: string; problem: string }[] = [];
  for (const file of markdownIn(folder)) {
    const below = pathBelow(folder, file);
    const path = notePath(below);
    try {
      const document = withoutSecrets(documentOf(file, below, now));
      const target = noteFile(book.workspace, path);
      const there = known.find((it) => it.file === target || it.path === path);
      if (there !== undefined) {
        if (isSame(there.note, document)) unchanged.push(path);
        else skipped.push({ file, problem: `there is another note at ${path}` });
        continue;
      }
      const id = ids.has(document.header.id) ? newNoteId() : document.header.id;
      ids.add(id);
      book.write(target, { ...document, header: { ...document.header, id } });
      imported.push(path);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      skipped.push({ file, problem: error.message });
    }
  }
  return { imported, unchanged, skipped };
}

/** The path of a note, `project/` by default, in the letters that such paths can have. */
function notePath(below: string): string {
  const names = below
    .toLowerCase()
    .split('/')
    .map((it) => it.replaceAll(/[^a-z0-9._-]+/g, '-').replace(/^[^a-z0-9]+/, '') || 'note');
  const isScoped = names.length > 1 && ['project', 'global', 'agent'].includes(names[0] ?? '');
  return (isScoped ? names : ['project', ...names]).join('/');
}

const LARGEST = 200_000;

function documentOf(file: string, below: string, now: Date): NoteDocument {
  if (statSync(file).size > LARGEST) throw new UsageError('it is larger than 200 kB');
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  if (text.startsWith('---')) {
    const note = parseNote(text);
    if ('problem' in note) throw new UsageError(`line ${note.line}: ${note.problem}`);
    return note;
  }
  const [, heading] = /^#+\s+(.+)$/m.exec(text) ?? [];
  const title = (heading ?? below).trim().slice(0, 200);
  const body = heading === undefined ? text : text.replace(/^#+\s+.+$/m, '');
  const created = now.toISOString();
  const header = { id: newNoteId(), kind: 'fact', title, status: 'active', created } as const;
  return { header: { ...header, source: 'import' }, body: body.trim() };
}

function isSame(there: NoteDocument | BrokenNote, it: NoteDocument): boolean {
  if ('problem' in there) return false;
  return there.header.title === it.header.title && there.body.trim() === it.body.trim();
}
