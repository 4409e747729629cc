/** Notes that a project shares with its team, and what others say differently. */
import { UsageError } from '../../base/errors.ts';
import { teamStore } from '../../store/team.ts';
import { byPath, sharedNotesOf } from '../../team/notes/exchange.ts';
import { headsOf } from '../../team/notes/revisions.ts';
import { type AppContext, openProject } from '../context.ts';
import { teamMeant } from '../hold/team.ts';

/** @throws {UsageError} for a note that never leaves this machine. @throws {ExplainedError} without a team. */
export async function assertShareable(context: AppContext, path: string): Promise<void> {
  teamMeant(await openProject(context));
  if (path.startsWith('project/')) return;
  throw new UsageError('only notes of the project are shared with the team', {
    hint: 'write it as project/…; what is global or of an agent stays on this machine',
  });
}

/** The note goes to the team with the next sync, whatever `team.share.notes` says. */
export async function shareNote(context: AppContext, path: string): Promise<void> {
  const workspace = await openProject(context);
  const { store, projectId } = workspace;
  const { base } = sharedNotesOf(workspace).get(path) ?? { base: [] };
  store.write(() => teamStore(store).putSharedNote({ path, base, seen: '' }, projectId));
}

export type NoteVersion = Awaited<ReturnType<typeof noteVersions>>[number];

/** What others say differently, and neither git could merge nor this machine takes over; `title` is `null` for a removal. */
export async function noteVersions(context: AppContext) {
  const workspace = await openProject(context);
  const shared = sharedNotesOf(workspace);
  return [...byPath(workspace)].flatMap(([path, revisions]) =>
    headsOf(revisions).flatMap((head) => {
      const { said, by } = revisions.get(head) ?? {};
      if (said === undefined || shared.get(path)?.base.includes(head)) return [];
      const { title = null, body = '' } = said.note ?? {};
      return [{ path, by: by ?? null, at: new Date(said.at), title, body }];
    }),
  );
}

/** What is in the document now is the answer to all versions of the note. @returns how many others there were. */
export async function joinVersions(context: AppContext, path: string): Promise<number> {
  const workspace = await openProject(context);
  const { store, projectId } = workspace;
  const heads = headsOf(byPath(workspace).get(path) ?? new Map());
  const { base = [] } = sharedNotesOf(workspace).get(path) ?? {};
  const others = heads.filter((it) => !base.includes(it));
  if (others.length === 0) return 0;
  store.write(() => teamStore(store).putSharedNote({ path, base: heads, seen: '' }, projectId));
  return others.length;
}
