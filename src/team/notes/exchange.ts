/**
 * Exchanges notes with the team. Documents stay what people and agents read and write: a document that differs from
 * the revisions it was made from becomes a revision, and a revision of others that counts is written into it.
 */
import { existsSync } from 'node:fs';
import { attempt } from '../../base/errors.ts';
import { parsedJson } from '../../base/text/json.ts';
import { sha256 } from '../../base/text/sha256.ts';
import { orRefusal, RefusedError } from '../../evidence/envelope.ts';
import type { Workspace } from '../../features/workspace.ts';
import { type NoteDocument, parseNote, renderNote } from '../../recall/note-file.ts';
import {
  type ChangeableNotebook,
  changeNotes,
  isOfProject,
  type Notebook,
  noteFile,
  openNotebook,
  type ReadNote,
  redactedNote,
} from '../../recall/notes.ts';
import { type SharedNote, teamStore } from '../../store/team.ts';
import { type Board, withBoard } from '../board/board.ts';
import type { Team } from '../exchange.ts';
import { openPayload, type Payload } from '../payload.ts';
import type { Keys } from '../reader.ts';
import { historyOf, type Revision, type Revisions, revisionOf, successors } from './revisions.ts';

export interface Exchange {
  readonly team: Team;
  readonly keys: Keys;
  /** The principals whose notes count at once; those of others are suggestions. */
  readonly from: readonly string[];
  /** `all`: also notes that nobody has shared by name. */
  readonly share: 'all' | 'named';
  readonly limitMs: number;
}

/** @returns how many revisions were sent, how many of others came, and why some were not sent, as a clause. */
export async function exchangeNotes(workspace: Workspace, exchange: Exchange) {
  takeDocuments(openNotebook(workspace), exchange);
  const { there, came } = await withBoard(exchange.team.member, exchange.limitMs, (board) =>
    fetchRevisions(board, workspace, exchange),
  );
  await changeNotes(workspace, (book) => {
    // A document may have changed meanwhile.
    takeDocuments(book, exchange);
    // What cannot be written here, as a note that is mostly a secret, stays a version of others.
    for (const [path, revisions] of byPath(workspace))
      attempt(() => writeDocument(book, path, revisions, exchange));
  });
  return { came, ...(await sendRevisions(workspace, exchange, there)) };
}

const revisionsOf = ({ store, projectId }: Workspace) => teamStore(store).noteRevisions(projectId);

/** The revisions of each note that is known here. */
export function byPath(workspace: Workspace): ReadonlyMap<string, Revisions> {
  const found = new Map<string, Map<string, Revision>>();
  for (const { digest, body, by } of revisionsOf(workspace)) {
    const said = parsedJson(body) as Payload<'note'>;
    const revisions = found.get(said.path) ?? new Map();
    found.set(said.path, revisions.set(digest, { by, said, body }));
  }
  return found;
}

const keep = ({ store, projectId }: Workspace, it: Omit<Revision, 'said'> & { digest: string }) =>
  store.write(() => teamStore(store).addNoteRevision(it, projectId));

export const rememberNote = ({ store, projectId }: Workspace, it: SharedNote) =>
  store.write(() => teamStore(store).putSharedNote(it, projectId));

export const sharedNotesOf = ({ store, projectId }: Workspace): ReadonlyMap<string, SharedNote> =>
  new Map(
    teamStore(store)
      .sharedNotes(projectId)
      .map((it) => [it.path, it]),
  );

/** Notes of the project on this machine; what is in the repository travels with it. */
const ownNotes = (book: Notebook): readonly ReadNote[] =>
  book.all().filter(({ shelf }) => shelf.scope === 'project' && !shelf.shared);

/** The text that is shared of a document: without secrets, and without what one thinks of it here. */
function sharedText({ header: { checked, confirmedBy, ...header }, body }: NoteDocument): string {
  return renderNote(redactedNote({ header: { ...header, status: 'active' }, body }));
}

/** Makes revisions of documents that were changed, added or removed here. */
function takeDocuments(book: Notebook, { team, keys, share }: Exchange): void {
  const { workspace } = book;
  const shared = sharedNotesOf(workspace);
  const notes = new Map(ownNotes(book).map((it) => [it.path, it.note]));
  const isBroken = new Set(book.broken().map(({ path }) => path));
  const make = (path: string, note: string | null): void => {
    const parents = [...(shared.get(path)?.base ?? [])];
    const at = keys.reader.now.getTime();
    const made = revisionOf({ at, repo: team.project.repo, path, note, parents });
    keep(workspace, made);
    rememberNote(workspace, { path, base: [made.digest], seen: note === null ? '' : sha256(note) });
  };
  for (const [path, note] of notes) {
    const known = shared.get(path);
    // What was only suggested here, or put aside, is vouched for by nobody here.
    const isMeant = note.header.status === 'active' && (known !== undefined || share === 'all');
    const text = sharedText(note);
    if (isMeant && known?.seen !== sha256(text)) make(path, text);
  }
  for (const [path, { seen }] of shared)
    if (seen !== '' && !notes.has(path) && !isBroken.has(path)) make(path, null);
}

/** Revisions that are not known here and that a known key has signed. @returns how many, and all that are there. */
async function fetchRevisions(board: Board, workspace: Workspace, { team, keys }: Exchange) {
  const { repo } = team.project;
  const known = new Set(revisionsOf(workspace).map(({ digest }) => digest));
  const there = await board.noteDigests({ repo });
  const missing = [...there].filter((it) => !known.has(it)).map((it) => Buffer.from(it, 'hex'));
  let came = 0;
  while (missing.length > 0) {
    for (const row of await board.getNotes({ repo, digests: missing.splice(0, 200) })) {
      const read = await orRefusal(() =>
        openPayload({ kind: 'note', repo }, row.body, keys.reader),
      );
      const digest = row.digest.toString('hex');
      if (read instanceof RefusedError || sha256(read.bytes) !== digest) continue;
      const { path, note } = read.payload;
      if (!isOfProject(path) || (note !== null && 'problem' in parseNote(note))) continue;
      keep(workspace, { digest, body: `${read.bytes}`, by: read.principals[0] ?? '' });
      came += 1;
    }
  }
  return { there, came };
}

/** Sends the revisions of this machine that the board does not have, or has lost. */
async function sendRevisions(
  workspace: Workspace,
  { team, keys: { signer, seal }, limitMs }: Exchange,
  there: ReadonlySet<string>,
) {
  const { repo } = team.project;
  const own = revisionsOf(workspace).filter(({ by, digest }) => by === null && !there.has(digest));
  if (own.length === 0) return { sent: 0, why: '' };
  if (signer.kind === 'none') return { sent: 0, why: signer.why };
  const sealed: { readonly digest: Buffer; readonly body: Buffer }[] = [];
  for (const { digest, body } of own) {
    const sent = await seal(parsedJson(body) as Payload<'note'>);
    sealed.push({ digest: Buffer.from(digest, 'hex'), body: sent });
  }
  await withBoard(team.member, limitMs, async (board) => {
    for (const it of sealed) await board.putNote({ repo, ...it });
  });
  return { sent: sealed.length, why: '' };
}

/** Writes a revision that goes on from the document, if it counts; one that does not, only as a suggestion. */
function writeDocument(
  book: ChangeableNotebook,
  path: string,
  revisions: Revisions,
  { from }: Pick<Exchange, 'from'>,
): void {
  const { workspace } = book;
  const { base } = sharedNotesOf(workspace).get(path) ?? { base: [] };
  const found = ownNotes(book).find((it) => it.path === path);
  const status = found?.note.header.status;
  const known = historyOf(revisions, base);
  const isTrusted = (digest: string): boolean => {
    const by = revisions.get(digest)?.by;
    return known.has(digest) || by === null || (by !== undefined && from.includes(by));
  };
  for (const head of successors(revisions, base)) {
    const text = revisions.get(head)?.said.note ?? null;
    const isCounted = [...historyOf(revisions, [head])].every(isTrusted);
    // What a stranger removes stays.
    const isSuggested = text !== null && (status === undefined || status === 'suggested');
    if (!isCounted && !isSuggested) continue;
    const kept = status === 'suggested' ? undefined : status;
    const next = kept ?? (isCounted ? 'active' : 'suggested');
    const seen = put(book, found?.file ?? noteFile(workspace, path), text, next);
    return void rememberNote(workspace, { path, base: [head], seen });
  }
}

/** @returns the digest of what is shared of the document as it can be read again. */
function put(
  book: ChangeableNotebook,
  file: string,
  text: string | null,
  status: NoteDocument['header']['status'],
): string {
  const note = text === null ? undefined : parseNote(text);
  if (note === undefined || 'problem' in note) {
    if (existsSync(file)) book.remove(file);
    return '';
  }
  const { header, body } = note;
  return sha256(sharedText(book.write(file, { header: { ...header, status }, body }).note));
}
