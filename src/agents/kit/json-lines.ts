/** Transcripts that are files of JSON lines, read from where the last reading ended. */
import { lstatSync, readdirSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { fromPlainFile } from '../../base/files/plain-file.ts';
import { isWithin } from '../../base/git/tree-entry.ts';
import { at as field, type JsonObject, objectOr, parsedObject } from '../../base/text/json.ts';
import type {
  AgentTranscripts,
  Extent,
  ListedTranscript,
  RecordedAction,
  TranscriptEntry,
  TranscriptOrigin,
  Wanted,
} from '../definition.ts';
import { patchedPaths, type Tools } from './payload.ts';

/** A longer rest is read from its end only: a turn writes less, and a hook has little time. */
export const MOST_BYTES = 4 * 1024 * 1024;
const HEAD_BYTES = 64 * 1024;
/** The most of a file that is in memory when it is read whole; a longer line is skipped. */
const BLOCK_BYTES = 16 * 1024 * 1024;
const MOST_SESSIONS = 40;

export type LinePart =
  | RecordedAction
  /** The action counts when its result is there. */
  | { readonly kind: 'asked'; readonly id: string; readonly action: RecordedAction }
  /** `ran`: false if it was refused before it ran. */
  | { readonly kind: 'done'; readonly id: string; readonly ran: boolean; readonly at: Date };

/** One entry for a text, none if there is no text. */
export function said(
  kind: 'prompt' | 'message' | 'summary',
  text: unknown,
  at: Date,
): RecordedAction[] {
  return typeof text === 'string' && text !== '' ? [{ kind, text, at }] : [];
}

/** The texts in the `content` of an object, a line each. */
export const contentText = (of: JsonObject): string =>
  field
    .objects(of, 'content')
    .map((it) => field.text(it, 'text') ?? '')
    .join('\n');

/** The time in a text; an invalid date for any other value. */
export const timeIn = (text: unknown): Date => new Date(typeof text === 'string' ? text : '');

/** Reads the lines of one file, in their order. */
export type LineReader = (line: JsonObject) => readonly LinePart[];

interface Spec {
  /** The folder with all transcripts of the agent. */
  folder(env: NodeJS.ProcessEnv): string;
  /** The paths of all transcripts that may be of one of the working trees. */
  list(folder: string, roots: readonly string[], days?: number): readonly string[];
  /** The files of the sub-agents of a session; absent if they are in the file of the session. */
  ofSubAgents?(transcript: string): readonly string[];
  origin(file: string): TranscriptOrigin | undefined;
  /** @param whose the origin of the file, which is read once. */
  reader(whose: () => TranscriptOrigin | undefined): LineReader;
}

export const jsonLines = (spec: Spec): AgentTranscripts => ({
  ...spec,
  files: (transcript) => [transcript, ...(spec.ofSubAgents?.(transcript) ?? [])],
  entries: (file, from, wanted = 'all', extent = 'end') =>
    entriesIn(file, from, { wanted, extent }, spec.reader(once(() => spec.origin(file)))),
  listed({ roots, env }, days) {
    const base = spec.folder(env);
    return listedFiles(base, spec.list(base, roots, days));
  },
});

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Absolute paths in their order; none if there is no folder. */
export function below(folder: string, ending = ''): string[] {
  const names = attempt(() => readdirSync(folder)) ?? [];
  return names
    .sort()
    .filter((it) => it.endsWith(ending))
    .map((it) => join(folder, it));
}

/** The action of a call, from the names of the agent's tools. */
export function actionOf(
  { shell, edit, path = ['file_path'], patch }: Tools,
  { name, input, cwd, at }: Readonly<Record<'name' | 'cwd', string>> & { input: unknown; at: Date },
): RecordedAction {
  const fields = objectOr(input);
  const first = (names: readonly string[]) =>
    names.map((it) => field.text(fields, it)).find((it) => it !== undefined);
  const text = shell.includes(name) ? first(['command']) : undefined;
  if (text !== undefined) return { kind: 'command', text, cwd, at, done: at };
  const file = edit.includes(name) ? first(path) : undefined;
  const changes = typeof input === 'string' ? input : (first(['input', 'patchText']) ?? '');
  const patched = patch?.includes(name) ? patchedPaths(changes, cwd) : [];
  const paths = file === undefined ? patched : [resolve(cwd, file)];
  return paths.length > 0
    ? { kind: 'edit', text: name, paths, at }
    : { kind: 'tool', text: name, at };
}

/** A command or an edit counts when its result is there. */
export const asked = (id: string, action: RecordedAction): LinePart =>
  action.kind === 'tool' ? action : { kind: 'asked', id, action };

/** @throws if the file cannot be read. */
function* entriesIn(
  file: string,
  from: number,
  { wanted, extent }: { readonly wanted: Wanted; readonly extent: Extent },
  partsOf: LineReader,
): Generator<TranscriptEntry, number> {
  const open = new Map<string, TranscriptEntry>();
  let end = from;
  for (const { text, start, next } of linesFrom(file, from, extent)) {
    end = next;
    const line = parsedObject(text);
    for (const part of line === undefined ? [] : partsOf(line)) {
      // A call without a result at the next prompt will not get one.
      if (extent === 'whole' && part.kind === 'prompt') open.clear();
      const entry = entryOf(part, start, open);
      if (entry !== undefined && isWanted(entry, wanted)) yield entry;
    }
  }
  // Calls without a result are read again.
  return Math.min(end, ...[...open.values()].map(({ position }) => position));
}

export const isWanted = ({ kind }: RecordedAction, wanted: Wanted): boolean =>
  wanted === 'all' || kind === 'command';

/** @param open the calls without a result: added and removed here. */
function entryOf(
  part: LinePart,
  position: number,
  open: Map<string, TranscriptEntry>,
): TranscriptEntry | undefined {
  if (part.kind === 'asked') {
    open.set(part.id, { ...part.action, position });
    return undefined;
  }
  if (part.kind !== 'done') return { ...part, position };
  const known = open.get(part.id);
  open.delete(part.id);
  if (!part.ran) return undefined;
  return known?.kind === 'command' ? { ...known, done: part.at } : known;
}

/** Parses the first lines one by one, as far as they are complete. */
export function headOf(file: string): IteratorObject<JsonObject> {
  const { bytes } = read(file, () => [0, HEAD_BYTES]);
  const texts = bytes.toString('utf8', 0, bytes.lastIndexOf('\n') + 1).split('\n');
  return texts
    .values()
    .map((it) => parsedObject(it))
    .filter((it) => it !== undefined);
}

/** The files that are really in the folder: a link may lead anywhere. */
export function listedFiles(folder: string, files: readonly string[]): ListedTranscript[] {
  const base = attempt(() => realpathSync(folder));
  if (base === undefined) return [];
  const inside = new Map<string, boolean>();
  const isInside = (parent: string): boolean => {
    const known = inside.get(parent) ?? isWithin(base, attempt(() => realpathSync(parent)) ?? '');
    inside.set(parent, known);
    return known;
  };
  return files.flatMap((file) => {
    const stats = attempt(() => lstatSync(file));
    if (!stats?.isFile() || !isInside(dirname(file))) return [];
    return [{ file, size: stats.size, changed: Math.trunc(stats.mtimeMs) }];
  });
}

/** The kernel gives a file the time of its last tick, which is earlier than the clock's. */
export const TICK_MS = 10;

/** The files that were written to since then, the newest first; some dozens at most. */
export function newestFiles(files: readonly string[], since: Date) {
  return files
    .map((file) => ({
      file,
      at: attempt(() => statSync(file, { throwIfNoEntry: false }))?.mtime ?? new Date(0),
    }))
    .filter(({ at }) => at.getTime() >= since.getTime() - TICK_MS)
    .sort((one, other) => other.at.getTime() - one.at.getTime())
    .slice(0, MOST_SESSIONS);
}

/** Reads a file of any length, one block at a time; from the beginning again if it has become shorter. */
function* linesFrom(file: string, from: number, extent: Extent) {
  let isSkipping = false;
  let { at: next } = read(file, (size) => {
    const begin = from > size ? 0 : from;
    const start = extent === 'end' ? Math.max(begin, size - MOST_BYTES) : begin;
    isSkipping = start > begin;
    return [start, start];
  });
  for (;;) {
    const { bytes, at } = read(file, () => [next, next + BLOCK_BYTES]);
    const end = bytes.lastIndexOf('\n') + 1;
    if (end > 0) {
      // The end of a line that is too long is no line.
      const first = isSkipping ? bytes.indexOf('\n') + 1 : 0;
      yield* linesIn(bytes.subarray(first, end), at + first);
      isSkipping = false;
      next = at + end;
    } else if (bytes.length < BLOCK_BYTES) return;
    else {
      isSkipping = true;
      next = at + bytes.length;
    }
  }
}

/** The lines, where each starts, and where the next one does. */
function* linesIn(bytes: Buffer, at: number) {
  for (let start = 0; ; ) {
    const end = bytes.indexOf('\n', start);
    if (end === -1) return;
    yield { text: bytes.toString('utf8', start, end), start: at + start, next: at + end + 1 };
    start = end + 1;
  }
}

/**
 * A part of a file; empty if there is no file, which a client may make after the first hooks of a session.
 *
 * @param range the first and the last byte, in a file of this size.
 */
function read(file: string, range: (size: number) => readonly [number, number]) {
  const part = fromPlainFile(file, (descriptor, size) => {
    const [at, end] = range(size);
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(end, size) - at));
    return { bytes: bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, at)), at };
  });
  return part ?? { bytes: Buffer.alloc(0), at: 0 };
}
