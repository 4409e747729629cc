/** Notes that a project shares with its team, and what others say differently. */
import { keptFromTeam } from '../../base/config/files.ts';
import { UsageError } from '../../base/errors.ts';
import { parseNote } from '../../recall/note-file.ts';
import { byPath, rememberNote, sharedNotesOf } from '../../team/notes/exchange.ts';
import { headsOf } from '../../team/notes/revisions.ts';
import { type AppContext, openProject } from '../context.ts';
import { teamMeant } from '../hold/team.ts';

/** @throws {UsageError} for a note that never leaves this machine. @throws {ExplainedError} without a team. */
export async function assertShareable(context: AppContext, path: string): Promise<void> {
  const workspace = await openProject(context);
  teamMeant(workspace);
  if (keptFromTeam(workspace.place.root).notes === 'off')
    throw new UsageError('the `lanehold.json` of this repository keeps its notes from teams', {
      hint: 'leave --team out',
    });
  if (path.startsWith('project/')) return;
  throw new UsageError('only notes of the project are shared with the team', {
    hint: 'write it as project/…; what is global or of an agent stays on this machine',
  });
}

/** The note goes to the team with the next sync, whatever `team.share.notes` says. */
export async function shareNote(context: AppContext, path: string): Promise<void> {
  const workspace = await openProject(context);
  const { base } = sharedNotesOf(workspace).get(path) ?? { base: [] };
  rememberNote(workspace, { path, base, seen: '' });
}

export type NoteVersion = Awaited<ReturnType<typeof noteVersions>>[number];

/** What others say differently, and this machine does not take over; `title` is `null` for a removal. */
export async function noteVersions(context: AppContext) {
  const workspace = await openProject(context);
  const shared = sharedNotesOf(workspace);
  return [...byPath(workspace)].flatMap(([path, revisions]) => {
    const base = shared.get(path)?.base ?? [];
    const heads = headsOf(revisions).map((head) => ({ head, ...revisions.get(head) }));
    const isKept = heads.some(({ said }) => said?.note !== null);
    return heads.flatMap(({ head, said, by = null }) => {
      // An edit has won over a removal.
      if (said === undefined || base.includes(head) || (said.note === null && isKept)) return [];
      const read = said.note === null ? undefined : parseNote(said.note);
      const note = read === undefined || 'problem' in read ? undefined : read;
      const { header, body = '' } = note ?? {};
      return [{ path, by, at: new Date(said.at), title: header?.title ?? null, body }];
    });
  });
}

/** Who has signed what the document of a note has, if it was another one. */
export async function signersOfNotes(context: AppContext) {
  const workspace = await openProject(context);
  const [known, shared] = [byPath(workspace), sharedNotesOf(workspace)];
  return (path: string) => known.get(path)?.get(shared.get(path)?.base[0] ?? '')?.by ?? null;
}

/** What is in the document now is the answer to all versions of the note. @returns how many others there were. */
export async function joinVersions(context: AppContext, path: string): Promise<number> {
  const workspace = await openProject(context);
  const heads = headsOf(byPath(workspace).get(path) ?? new Map());
  const { base = [] } = sharedNotesOf(workspace).get(path) ?? {};
  const others = heads.filter((it) => !base.includes(it));
  if (others.length === 0) return 0;
  rememberNote(workspace, { path, base: heads, seen: '' });
  return others.length;
}
