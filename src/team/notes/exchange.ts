/**
 * Exchanges notes with the team. Documents stay what people and agents read and write: a document that differs from
 * the revisions it was made from becomes a revision, and a revision of others that counts is written into it.
 */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitIn } from '../../base/git/git-in.ts';
import { parsedJson } from '../../base/text/json.ts';
import { sha256 } from '../../base/text/sha256.ts';
import { orRefusal, RefusedError } from '../../evidence/envelope.ts';
import type { Signer } from '../../evidence/signing.ts';
import type { Workspace } from '../../features/workspace.ts';
import { anchorsOf } from '../../recall/anchors.ts';
import type { NoteDocument } from '../../recall/note-file.ts';
import { type Notebook, noteFile, openNotebook, type ReadNote } from '../../recall/notes.ts';
import { isGlob } from '../../recall/occasions.ts';
import { type SharedNote, teamStore } from '../../store/team.ts';
import { type Board, withBoard } from '../board/board.ts';
import type { Team } from '../exchange.ts';
import { openPayload, type Payload, type Reader, sealPayload } from '../payload.ts';
import {
  type Content,
  headsOf,
  historyOf,
  isMerge,
  type MergeText,
  type Revision,
  revisionOf,
  settle,
} from './revisions.ts';

export interface Exchange {
  readonly team: Team;
  /** All whose key is known. */
  readonly reader: Reader;
  readonly signer: Signer;
  /** The principals whose notes count at once; those of others are suggestions. */
  readonly from: readonly string[];
  /** `all`: also notes that nobody has shared by name. */
  readonly share: 'all' | 'named';
  readonly limitMs: number;
}

type Path = Map<string, Revision>;

/** @returns how many revisions were sent, how many of others came, and why some were not sent, as a clause. */
export async function exchangeNotes(workspace: Workspace, exchange: Exchange) {
  const { team, reader, limitMs } = exchange;
  const book = openNotebook(workspace);
  takeDocuments(book, exchange);
  const came = await withBoard(team.member, limitMs, (board) =>
    fetchRevisions(board, workspace, exchange),
  );
  const mergeText = mergerIn(reader.scratch);
  for (const [path, revisions] of byPath(workspace)) {
    for (const made of await settle(revisions, mergeText)) keep(workspace, made);
    await writeDocument(book, path, revisions, exchange, mergeText);
  }
  book.index();
  const sent = await sendRevisions(workspace, exchange);
  return { ...sent, came };
}

/** The revisions of each note that is known here. */
export function byPath({ store, projectId }: Workspace): ReadonlyMap<string, Path> {
  const found = new Map<string, Path>();
  for (const { digest, body, by } of teamStore(store).noteRevisions(projectId)) {
    const said = parsedJson(body) as Payload<'note'>;
    const revisions = found.get(said.path) ?? new Map();
    found.set(said.path, revisions.set(digest, { by, said, body }));
  }
  return found;
}

const keep = (
  { store, projectId }: Workspace,
  it: Revision & { readonly digest: string },
): void => {
  store.write(() => teamStore(store).addNoteRevision(it, projectId));
};

const remember = ({ store, projectId }: Workspace, it: SharedNote): void => {
  store.write(() => teamStore(store).putSharedNote(it, projectId));
};

export const sharedNotesOf = ({ store, projectId }: Workspace): ReadonlyMap<string, SharedNote> =>
  new Map(
    teamStore(store)
      .sharedNotes(projectId)
      .map((it) => [it.path, it]),
  );

/** Notes of the project on this machine; what is in the repository travels with it. */
const ownNotes = (book: Notebook): readonly ReadNote[] =>
  book.all().filter(({ shelf }) => shelf.scope === 'project' && !shelf.shared);

/** Makes revisions of documents that were changed, added or removed here. */
function takeDocuments(book: Notebook, { team, reader, share }: Exchange): void {
  const { workspace } = book;
  const shared = sharedNotesOf(workspace);
  const notes = new Map(ownNotes(book).map((it) => [it.path, it.note]));
  const isBroken = new Set(book.broken().map(({ path }) => path));
  const make = (path: string, note: Content | null): void => {
    const { repo } = team.project;
    const parents = [...(shared.get(path)?.base ?? [])];
    const made = revisionOf({ at: reader.now.getTime(), repo, path, note, parents });
    keep(workspace, made);
    remember(workspace, { path, base: [made.digest], seen: note === null ? '' : digestOf(note) });
  };
  for (const [path, note] of notes) {
    const known = shared.get(path);
    // What was only suggested here, or put aside, is vouched for by nobody here.
    const isMeant = note.header.status === 'active' && (known !== undefined || share === 'all');
    const content = contentOf(note);
    if (isMeant && known?.seen !== digestOf(content)) make(path, content);
  }
  for (const [path, { seen }] of shared)
    if (seen !== '' && !notes.has(path) && !isBroken.has(path)) make(path, null);
}

function contentOf({ header, body }: NoteDocument): Content {
  const { id, kind, title, when = '', created, source } = header;
  const { files = [], commands = [], links = [] } = header;
  const lists = { files: [...files], commands: [...commands], links: [...links] };
  return { id, kind, title, when, ...lists, created, source, body };
}

const digestOf = (content: Content): string => sha256(JSON.stringify(content));

/** Revisions that are not known here and that a known key has signed. @returns how many. */
async function fetchRevisions(board: Board, workspace: Workspace, { team, reader }: Exchange) {
  const { store, projectId } = workspace;
  const { repo } = team.project;
  const known = new Set(
    teamStore(store)
      .noteRevisions(projectId)
      .map(({ digest }) => digest),
  );
  const missing = [...(await board.noteDigests({ repo }))].filter((it) => !known.has(it));
  let came = 0;
  while (missing.length > 0) {
    const some = missing.splice(0, 200).map((it) => Buffer.from(it, 'hex'));
    for (const { digest, body } of await board.getNotes({ repo, digests: some })) {
      const read = await orRefusal(() => openPayload({ kind: 'note', repo }, body, reader));
      if (read instanceof RefusedError || sha256(read.bytes) !== digest.toString('hex')) continue;
      const by = read.principals[0] ?? '';
      keep(workspace, {
        ...read,
        said: read.payload,
        body: `${read.bytes}`,
        by,
        digest: sha256(read.bytes),
      });
      came += 1;
    }
  }
  return came;
}

/** Sends the revisions of this machine that the board does not have, or has lost. */
async function sendRevisions({ store, projectId }: Workspace, exchange: Exchange) {
  const { team, reader, signer, limitMs } = exchange;
  const { repo } = team.project;
  const own = teamStore(store)
    .noteRevisions(projectId)
    .filter(({ by }) => by === null);
  if (own.length === 0) return { sent: 0, why: '' };
  if (signer.kind === 'none') return { sent: 0, why: signer.why };
  const there = await withBoard(team.member, limitMs, (board) => board.noteDigests({ repo }));
  const waiting = own.filter(({ digest }) => !there.has(digest));
  const sealed: [Buffer, Buffer][] = [];
  for (const { digest, body } of waiting) {
    const payload = parsedJson(body) as Payload<'note'>;
    const by = { key: reader.key, signer, scratch: reader.scratch };
    sealed.push([Buffer.from(digest, 'hex'), await sealPayload(payload, by)]);
  }
  await withBoard(team.member, limitMs, async (board) => {
    for (const [digest, body] of sealed) await board.putNote({ repo, digest, body });
  });
  return { sent: sealed.length, why: '' };
}

const mergerIn =
  ({ folder, env }: Reader['scratch']): MergeText =>
  async (base, one, other) => {
    const names = ['one', 'base', 'other'].map((it) => join(folder, `${it}.md`));
    for (const [at, text] of [one, base, other].entries())
      writeFileSync(names[at] ?? '', `${text}\n`);
    const args = ['merge-file', '-p', '--quiet', ...names];
    const { exitCode, stdout } = await gitIn(folder, env).attempt(args);
    return exitCode === 0 ? stdout.trim() : undefined;
  };

/** Writes the newest revision that goes on from the document, if it counts; one that does not, only as a suggestion. */
async function writeDocument(
  book: Notebook,
  path: string,
  revisions: Path,
  { from }: Exchange,
  mergeText: MergeText,
): Promise<void> {
  const { workspace } = book;
  const { base } = sharedNotesOf(workspace).get(path) ?? { base: [] as string[] };
  const found = ownNotes(book).find((it) => it.path === path);
  const status = found?.note.header.status;
  const known = historyOf(revisions, base);
  const counts = async (head: string): Promise<boolean> => {
    for (const it of historyOf(revisions, [head])) {
      const by = revisions.get(it)?.by ?? null;
      const isTrusted = known.has(it) || by === null || from.includes(by);
      if (!isTrusted && !(await isMerge(revisions, it, mergeText))) return false;
    }
    return true;
  };
  for (const head of successors(revisions, base)) {
    const content = revisions.get(head)?.said.note ?? null;
    const isCounted = await counts(head);
    // What a stranger removes stays.
    const isSuggested = content !== null && (status === undefined || status === 'suggested');
    if (!isCounted && !isSuggested) continue;
    const next = isCounted && status === 'suggested' ? 'active' : status;
    const file = found?.file ?? noteFile(workspace, path);
    const seen = put(book, file, content, next ?? (isCounted ? 'active' : 'suggested'));
    remember(workspace, { path, base: [head], seen });
    return;
  }
}

/** Heads that go on from some revisions, the newest first. */
function successors(revisions: Path, base: readonly string[]): string[] {
  const atOf = (it: string): number => revisions.get(it)?.said.at ?? 0;
  const heads = headsOf(revisions).filter((head) => {
    const history = historyOf(revisions, [head]);
    return !base.includes(head) && base.every((it) => history.has(it));
  });
  return heads.sort((one, other) => atOf(other) - atOf(one));
}

type Status = NoteDocument['header']['status'];

/** @returns the digest of what is shared of the document as it can be read again. */
function put(book: Notebook, file: string, content: Content | null, status: Status): string {
  if (content === null) {
    if (existsSync(file)) book.remove(file);
    return '';
  }
  const written = book.write(file, documentOf(content, status, book.workspace.place.root));
  return digestOf(contentOf(written.note));
}

function documentOf(
  { when, files, commands, links, body, ...content }: Content,
  status: Status,
  root: string,
): NoteDocument {
  const anchors = anchorsOf(
    root,
    files.filter((it) => !isGlob(it)),
    `${content.title} ${body}`,
  );
  const header = {
    ...content,
    status,
    ...(when === '' ? {} : { when }),
    ...(files.length === 0 ? {} : { files }),
    ...(commands.length === 0 ? {} : { commands }),
    ...(links.length === 0 ? {} : { links }),
    ...(Object.keys(anchors).length === 0 ? {} : { anchors }),
  };
  return { header, body };
}
