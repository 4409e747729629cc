/**
 * Imports what agents themselves have recorded of their sessions in a project, as if hooks had observed it. Transcripts
 * are never written, and read from the position where the last reading ended.
 *
 * A session that hooks have recorded is not imported. What a sub-agent did belongs to its parent; the messages between
 * the two are not kept.
 */

import { sep } from 'node:path';
import type { AgentTranscripts, ListedTranscript, TranscriptEntry } from '../agents/definition.ts';
import { agentsWith } from '../agents/registry.ts';
import { attempt } from '../base/errors.ts';
import { startOfFile } from '../base/files/plain-file.ts';
import { projectPlace } from '../base/git/project.ts';
import { isWithin } from '../base/git/tree-entry.ts';
import { sha256 } from '../base/text/sha256.ts';
import type { Workspace } from '../features/workspace.ts';
import { observationStore, type Seen } from '../store/observations.ts';
import { sessionStore } from '../store/sessions.ts';
import { type TranscriptFile, transcriptFileStore } from '../store/transcript-files.ts';
import { commandSeen, EMPTY_OBSERVATION, editedFiles, type Kept } from './actions.ts';
import { isUnrecorded } from './observed.ts';
import { saidText, spokenBy } from './prompts.ts';
import { putSummary, type SessionName } from './summaries.ts';

export interface TranscriptsTaken {
  /** The number of new sessions, and of those of which more was read. */
  readonly sessions: number;
  readonly files: number;
}

export interface Taking {
  readonly workspace: Workspace;
  readonly env: NodeJS.ProcessEnv;
  /** Roots of the project's working trees. */
  readonly roots: readonly string[];
  readonly ignores: Kept['ignores'];
  /** Called before each session that is read. */
  readonly progress: (done: number, all: number) => void;
}

interface RecordedSession extends SessionName {
  readonly transcripts: AgentTranscripts;
  /** Files with new content. */
  readonly sources: readonly Source[];
}

interface Source {
  readonly row: TranscriptFile;
  readonly listed: ListedTranscript;
  /** The root of the working tree in which it works. */
  readonly root: string;
}

export async function takeTranscripts(taking: Taking): Promise<TranscriptsTaken> {
  const taken = { sessions: 0, files: 0 };
  let isAgain = false;
  for (let turn = 0; turn === 0 || (isAgain && turn === 1); turn += 1) {
    const found = await changedSessions(taking);
    for (const [at, session] of found.entries()) {
      taking.progress(at, found.length);
      const outcome = takeSession(session, taking);
      isAgain ||= outcome === 'replaced';
      taken.sessions += outcome === 'taken' ? 1 : 0;
      taken.files += session.sources.length;
    }
  }
  return taken;
}

/** The newest first, so that an interrupted reading has the sessions that are searched for most. */
async function changedSessions(taking: Taking): Promise<RecordedSession[]> {
  const rootOf = rootFinder(taking);
  const found: RecordedSession[] = [];
  for (const { name: agent, transcripts: load } of agentsWith('transcripts')) {
    const transcripts = await load();
    const sources = changedFiles(agent, transcripts, taking, rootOf);
    for (const [session, of] of Map.groupBy(sources, ({ row }) => row.session)) {
      found.push({ agent, session, transcripts, sources: of });
    }
  }
  const changed = ({ sources }: RecordedSession) =>
    Math.max(...sources.map(({ listed }) => listed.changed));
  return found.sort((one, other) => changed(other) - changed(one));
}

/** Records which files belong to other projects, so that they are not opened again. */
function changedFiles(
  agent: string,
  transcripts: AgentTranscripts,
  { workspace: { store }, roots, env }: Taking,
  rootOf: ReturnType<typeof rootFinder>,
): Source[] {
  const files = transcriptFileStore(store);
  const known = new Map(files.ofAgent(agent).map((it) => [it.file, it]));
  const isSame = (row: TranscriptFile | undefined, { size, changed }: ListedTranscript) =>
    row?.size === size && row.changed === changed;
  const changed = transcripts
    .listed({ roots, env })
    .filter((it) => !isSame(known.get(it.file), it))
    .map((listed) => ({ listed, row: rowOf(agent, listed, known.get(listed.file), transcripts) }));
  const unknown = changed.filter(({ row }) => !known.has(row.file));
  if (unknown.length > 0) {
    store.write(() => {
      for (const { row } of unknown) files.put(row);
    });
  }
  return changed.flatMap(({ row, listed }) => {
    const root = row.session === '' ? undefined : rootOf(row.folder);
    return root === undefined || root === env.HOME || root === '/' ? [] : [{ row, listed, root }];
  });
}

/** A transcript that does not name its folder yet is read again when it has changed. */
function rowOf(
  agent: string,
  { file, size, changed }: ListedTranscript,
  known: TranscriptFile | undefined,
  transcripts: AgentTranscripts,
): TranscriptFile {
  if (known !== undefined && known.session !== '') return known;
  const origin = attempt(() => transcripts.origin(file));
  const row = { agent, file, position: 0, head: '' };
  if (origin === undefined)
    return { ...row, session: '', folder: '', isSub: false, began: 0, size, changed };
  const { session, cwd: folder, isSubAgent: isSub, began } = origin;
  return { ...row, session, folder, isSub, began: began.getTime(), size: -1, changed: 0 };
}

/** `replaced`: what was read before has gone; all of it is read the next time. */
function takeSession(session: RecordedSession, taking: Taking): 'taken' | 'nothing' | 'replaced' {
  const { store, projectId } = taking.workspace;
  const { agent, session: id } = session;
  const files = transcriptFileStore(store);
  const observations = observationStore(store);
  const isLeftOut =
    observations.isHooked(agent, id) !== undefined ||
    files.isOfWorker(agent, id) !== undefined ||
    isUnrecorded(store.home, session);
  // The parent comes first, because its words precede the work that was done for it.
  const sources = session.sources.toSorted((a, b) => Number(a.row.isSub) - Number(b.row.isSub));
  const read = isLeftOut ? [] : sources.map((it) => readSource(it, session, taking));
  const parts = read.filter((it) => it !== 'replaced');
  if (parts.length < read.length) {
    store.write(() => {
      observations.forgetTranscript(agent, id);
      files.rewind(agent, id);
    });
    return 'replaced';
  }
  const seen = parts
    .flatMap((it) => it.seen)
    .sort((one, other) => one.at.getTime() - other.at.getTime());
  store.write(() => {
    if (parts.some(({ goesOn }) => goesOn)) observations.dropLastWords(agent, id);
    for (const it of seen) {
      observations.add({ ...it, agent, session: id, projectId, source: 'transcript' });
    }
    for (const { row, listed } of sources) {
      const { position, head } = parts.find(({ file }) => file === row.file) ?? row;
      files.put({ ...row, size: listed.size, changed: listed.changed, position, head });
    }
    const [last] = seen.slice(-1);
    if (last === undefined) return;
    const { root } = sources[0] as Source;
    const whose = { agent, id, projectId, worktree: root, head: undefined };
    sessionStore(store).seen(whose, last.at);
    putSummary(store, session);
  });
  return seen.length > 0 ? 'taken' : 'nothing';
}

const HEAD_BYTES = 256;

/** `replaced`: the file no longer contains what was read before. */
function readSource(
  { row, listed, root }: Source,
  { transcripts }: RecordedSession,
  { ignores }: Taking,
) {
  const { file, isSub, position: from } = row;
  const start = startOfFile(file, HEAD_BYTES);
  if (from > 0 && (listed.size < from || !beginsWith(start, row.head))) return 'replaced';
  const read = attempt(() => wholeEntries(transcripts.entries(file, from, 'all', 'whole')));
  // An unreadable one is tried again when it has changed.
  const { entries, position } = read ?? { entries: [], position: from };
  const began = new Date(Number.isFinite(row.began) ? row.began : 0);
  const seen = seenIn(entries, { kept: { root, ignores }, began, isSub });
  return { ...seen, file, position, head: headOf(start) };
}

/** The length of the start and its digest: a short file may be longer the next time. */
const headOf = (start: Buffer): string => `${start.length}:${sha256(start).slice(0, 16)}`;

const beginsWith = (start: Buffer, head: string): boolean =>
  headOf(start.subarray(0, Number.parseInt(head, 10))) === head;

/** Entries after a call that has no result yet are left for the next reading. */
function wholeEntries(reading: Generator<TranscriptEntry, number>) {
  const entries: TranscriptEntry[] = [];
  for (;;) {
    const { done, value } = reading.next();
    if (!done) entries.push(value);
    else return { entries: entries.filter((it) => it.position < value), position: value };
  }
}

/** Finds the root of a folder's working tree; `undefined` if it belongs to another project, or to a lane. */
function rootFinder({ workspace: { place, store }, roots }: Taking) {
  const ofLanes = transcriptFileStore(store).worktreesOfLanes();
  const isInLane = (path: string) => ofLanes.some((it) => isWithin(it, path));
  const known = new Map<string, string | undefined>();

  function rootOf(folder: string): string | undefined {
    if (isInLane(folder)) return undefined;
    const found = attempt(() => projectPlace(folder));
    // A folder that is gone is recognised by its name alone.
    if (found === undefined) return roots.find((it) => folder.startsWith(it + sep));
    return found.identity === place.identity && !isInLane(found.root) ? found.root : undefined;
  }

  return (folder: string) => {
    if (!known.has(folder)) known.set(folder, rootOf(folder));
    return known.get(folder);
  };
}

/**
 * Reduces entries to what hooks record of a session. `goesOn`: they continue a turn that was recorded before, and whose
 * last message changes.
 *
 * @param began the time of entries before the first one with a time.
 */
function seenIn(
  entries: readonly TranscriptEntry[],
  { kept, began, isSub }: { readonly kept: Kept; readonly began: Date; readonly isSub: boolean },
): { readonly seen: readonly Seen[]; readonly goesOn: boolean } {
  const seen: Seen[] = [];
  let goesOn = false;
  let at = began;
  /** The last message of the turn, which is the only one that is kept. */
  let last: Seen | undefined;
  const endTurn = (): void => {
    const text = last?.text ? saidText(last.text) : '';
    if (last === undefined || text === '') return;
    goesOn ||= !seen.some(({ kind }) => kind === 'prompt');
    seen.push({ ...last, text });
    last = undefined;
  };
  for (const entry of entries) {
    if (!Number.isNaN(entry.at.getTime())) at = entry.at;
    if (isSub && !DEEDS.includes(entry.kind)) continue;
    const told = keptOf(entry, kept);
    const found = told && { ...EMPTY_OBSERVATION, ...told, at };
    if (found?.kind === 'stop') last = found;
    else if (found !== undefined) {
      if (found.kind === 'prompt') endTurn();
      seen.push(found);
    }
  }
  endTurn();
  return { seen, goesOn };
}

/** The last entries of a transcript, as they would be recorded; `undefined` if the agent has none that can be read. */
export async function lastOfTranscript(
  agent: string,
  file: string,
  kept: Kept,
): Promise<Seen[] | undefined> {
  const transcripts = await agentsWith('transcripts')
    .find(({ name }) => name === agent)
    ?.transcripts();
  const entries = transcripts && attempt(() => [...transcripts.entries(file, 0, 'all', 'end')]);
  return entries?.flatMap((entry) => {
    const told = keptOf(entry, kept);
    const text = told?.kind === 'stop' ? saidText(told.text ?? '') : (told?.text ?? null);
    return told === undefined ? [] : [{ ...EMPTY_OBSERVATION, ...told, text, at: entry.at }];
  });
}

/** The entries of a sub-agent that are kept; messages between it and its parent are not. */
const DEEDS: readonly TranscriptEntry['kind'][] = ['command', 'edit'];

function keptOf(
  entry: TranscriptEntry,
  kept: Kept,
): (Pick<Seen, 'kind'> & Partial<Seen>) | undefined {
  switch (entry.kind) {
    case 'prompt': {
      const spoken = spokenBy(entry.text);
      return spoken && { kind: 'prompt', ...spoken };
    }
    case 'message':
      return entry.text.trim() === '' ? undefined : { kind: 'stop', text: entry.text };
    case 'summary':
      return { kind: 'compaction' };
    case 'command':
      return { kind: 'command', ...commandSeen(entry.text) };
    case 'edit': {
      const files = editedFiles(entry.paths, kept);
      return files.length === 0 ? undefined : { kind: 'edit', files };
    }
    case 'tool':
      return undefined;
  }
}
