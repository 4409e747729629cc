/** Transcripts that are files of JSON lines, read from where the last reading ended. */
import { lstatSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { fromPlainFile } from '../../base/files/plain-file.ts';
import { isWithin } from '../../base/git/tree-entry.ts';
import { type JsonObject, parsedObject } from '../../base/text/json.ts';
import type {
  Extent,
  ListedTranscript,
  RecordedAction,
  TranscriptEntry,
  Wanted,
} from '../definition.ts';

/** A longer rest is read from its end only: a turn writes less, and a hook has little time. */
export const MOST_BYTES = 4 * 1024 * 1024;
const HEAD_BYTES = 64 * 1024;
/** What is held of a file that is read whole; a longer line is passed over. */
const BLOCK_BYTES = 16 * 1024 * 1024;
const MOST_SESSIONS = 40;

/** What a line says. */
export type LinePart =
  | RecordedAction
  /** Counts once there is a result of it. */
  | { readonly kind: 'asked'; readonly id: string; readonly action: RecordedAction }
  /** `ran`: false if it was refused before it ran. */
  | { readonly kind: 'done'; readonly id: string; readonly ran: boolean; readonly at: Date };

/** Nothing if there is no text. */
export function said(
  kind: 'prompt' | 'message' | 'summary',
  text: unknown,
  at: Date,
): RecordedAction[] {
  return typeof text === 'string' && text !== '' ? [{ kind, text, at }] : [];
}

/** Not a valid date for anything but the text of one. */
export const timeIn = (text: unknown): Date => new Date(typeof text === 'string' ? text : '');

/** Reads the lines of one file, in their order. */
export interface LineReader {
  /** Whether a line may ask for a command, or tell of one: where only they are wanted, most are not parsed. */
  mayRun(line: string): boolean;
  parts(line: JsonObject): readonly LinePart[];
}

/** @throws if the file cannot be read. */
export function* entriesIn(
  file: string,
  from: number,
  { wanted, extent }: { readonly wanted: Wanted; readonly extent: Extent },
  reader: LineReader,
): Generator<TranscriptEntry, number> {
  const asked = new Map<string, TranscriptEntry>();
  let end = from;
  for (const { text, start, next } of linesFrom(file, from, extent)) {
    end = next;
    const isResult = () => [...asked.keys()].some((id) => text.includes(id));
    if (wanted === 'commands' && !reader.mayRun(text) && !isResult()) continue;
    for (const part of partsOf(text, reader)) {
      if (extent === 'whole') giveUpAt(part, asked);
      const entry = entryOf(part, start, asked);
      if (entry !== undefined && isWanted(entry, wanted)) yield entry;
    }
  }
  // What has no result yet is read again.
  return Math.min(end, ...[...asked.values()].map(({ position }) => position));
}

/** What has no result when the next prompt comes will have none. */
function giveUpAt({ kind }: LinePart, asked: Map<string, unknown>): void {
  if (kind === 'prompt') asked.clear();
}

function partsOf(text: string, reader: LineReader): readonly LinePart[] {
  const line = parsedObject(text);
  return line === undefined ? [] : reader.parts(line);
}

export const isWanted = ({ kind }: RecordedAction, wanted: Wanted): boolean =>
  wanted === 'all' || kind === 'command';

/** @param asked what has no result yet: taken up and given back. */
function entryOf(
  part: LinePart,
  position: number,
  asked: Map<string, TranscriptEntry>,
): TranscriptEntry | undefined {
  if (part.kind === 'asked') {
    asked.set(part.id, { ...part.action, position });
    return undefined;
  }
  if (part.kind !== 'done') return { ...part, position };
  const known = asked.get(part.id);
  asked.delete(part.id);
  if (!part.ran) return undefined;
  return known?.kind === 'command' ? { ...known, done: part.at } : known;
}

/** Parses the first lines one by one, as far as they are whole. */
export function headOf(file: string): IteratorObject<JsonObject> {
  const { bytes } = read(file, () => [0, HEAD_BYTES]);
  const texts = bytes.toString('utf8', 0, bytes.lastIndexOf('\n') + 1).split('\n');
  return texts
    .values()
    .map((it) => parsedObject(it))
    .filter((it) => it !== undefined);
}

/** The files that are really in the folder: a link may lead to anything. */
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

/** The kernel writes the time of its last tick to a file, which is earlier than what a clock says. */
export const TICK_MS = 10;

/** The files that were written to since then, the newest first; some dozens at the most. */
export function newestFiles(
  files: readonly string[],
  since: Date,
): { readonly file: string; readonly at: Date }[] {
  return files
    .map((file) => ({
      file,
      at: attempt(() => statSync(file, { throwIfNoEntry: false }))?.mtime ?? new Date(0),
    }))
    .filter(({ at }) => at.getTime() >= since.getTime() - TICK_MS)
    .sort((one, other) => other.at.getTime() - one.at.getTime())
    .slice(0, MOST_SESSIONS);
}

interface Line {
  readonly text: string;
  readonly start: number;
  /** Where the next line starts. */
  readonly next: number;
}

/** Reads a file of any length, a block at a time; from the beginning again if it has become shorter. */
function* linesFrom(file: string, from: number, extent: Extent): Generator<Line> {
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

function* linesIn(bytes: Buffer, at: number): Generator<Line> {
  for (let start = 0; ; ) {
    const end = bytes.indexOf('\n', start);
    if (end === -1) return;
    yield { text: bytes.toString('utf8', start, end), start: at + start, next: at + end + 1 };
    start = end + 1;
  }
}

/**
 * None where there is no file: a client begins that of a session after its first hooks.
 *
 * @param range from which byte to which one, in a file of this size.
 */
function read(file: string, range: (size: number) => readonly [number, number]) {
  const part = fromPlainFile(file, (descriptor, size) => {
    const [at, end] = range(size);
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(end, size) - at));
    return { bytes: bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, at)), at };
  });
  return part ?? { bytes: Buffer.alloc(0), at: 0 };
}
