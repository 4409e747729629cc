/** The overview of a project, and the note that keeps it. */
import { basename } from 'node:path';
import { captureOf } from '../../base/config/capture.ts';
import { projectPaths, projectText } from '../../base/git/project-files.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { recentChanges } from '../../recall/changes.ts';
import { overviewMarkdown } from '../../recall/overview/markdown.ts';
import { overviewOf } from '../../recall/overview/overview.ts';
import { type AppContext, openFeatures } from '../context.ts';
import { addNote, confirmNote, editNote } from './note-editing.ts';
import { listNotes, type Note } from './notes.ts';

const NOTE = 'project/overview';

export type Scanned = Awaited<ReturnType<typeof scanProject>>;

export type SavedOverview = ReturnType<typeof kept>;

/** @throws {UsageError} in a bare repository. */
export async function scanProject(context: AppContext, { save }: { readonly save: boolean }) {
  const { workspace, registry } = await openFeatures(context);
  const { git, place } = workspace;
  const { root } = place;
  const { mode, ignores } = await captureOf(root, context.env);
  const all = await projectPaths(git, place);
  const overview = overviewOf({
    name: basename(root),
    // With recording off, all files count as ignored; but this only prints.
    paths: mode === 'off' ? all : all.filter((path) => !ignores(path)),
    readFile: (path) => projectText(root, path),
    features: [...registry.features.values()],
    changes: await recentChanges(workspace),
  });
  const markdown = redact(overviewMarkdown(overview));
  const saved = save ? await saveOverview(context, overview.name, markdown) : null;
  return { root, ...overview, markdown, saved };
}

async function saveOverview(
  context: AppContext,
  name: string,
  markdown: string,
): Promise<SavedOverview> {
  const text = {
    title: `Overview of ${name}`.slice(0, 200),
    body: markdown.replace(/^# .*\n+/, '').trim(),
  };
  const { notes } = await listNotes(context);
  const before = notes.find(({ path }) => path === NOTE);
  const source = 'scan';
  if (before === undefined) {
    return kept(await addNote(context, { path: NOTE, kind: 'fact', ...text, source }), 'new');
  }
  const isSame = before.title === text.title && before.body.trim() === text.body;
  const note = isSame ? before : await editNote(context, NOTE, { ...text, source });
  // The note was put aside, and is now requested again.
  const active = note.status === 'active' ? note : await confirmNote(context, note.id);
  return kept(active, isSame ? 'unchanged' : 'changed');
}

/** `changed`: the earlier text stays as a superseded note. */
function kept({ id, path, file }: Note, state: 'new' | 'changed' | 'unchanged') {
  return { id, path, file, state };
}
