/** Transcripts that are files of JSON lines: which commands ran, read from where the last reading ended. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isJsonObject, type JsonObject, parsedJson } from '../text/json.ts';
import type { RanCommand, RanCommands } from './definition.ts';

/** A longer rest is read from its end only: a turn writes less, and a hook has little time. */
const MOST_BYTES = 4 * 1024 * 1024;
const HEAD_BYTES = 64 * 1024;

export type TranscriptEntry =
  | {
      readonly kind: 'asked';
      readonly id: string;
      readonly command: string;
      readonly cwd: string;
      readonly at: Date;
    }
  /** `ran`: false if the command was refused before it ran. */
  | { readonly kind: 'done'; readonly id: string; readonly ran: boolean; readonly at: Date };

export interface LineReader {
  /** Whether a line may say that a command was asked for: most lines are not parsed. */
  mayAsk(line: string): boolean;
  entries(line: JsonObject): readonly TranscriptEntry[];
}

type Asked = Extract<TranscriptEntry, { kind: 'asked' }>;

/** @throws if the file cannot be read. */
export function ranCommandsIn(
  file: string,
  from: number,
  { mayAsk, entries }: LineReader,
): RanCommands {
  const asked = new Map<string, Asked & { readonly start: number }>();
  const commands: RanCommand[] = [];
  let end = from;
  for (const { text, start, next } of linesFrom(file, from)) {
    end = next;
    const isResult = [...asked.keys()].some((id) => text.includes(id));
    const line = isResult || mayAsk(text) ? parsedJson(text) : undefined;
    if (!isJsonObject(line)) continue;
    for (const entry of entries(line)) {
      if (entry.kind === 'asked') {
        asked.set(entry.id, { ...entry, start });
        continue;
      }
      const known = asked.get(entry.id);
      if (!asked.delete(entry.id) || known === undefined || !entry.ran) continue;
      const { command, cwd, at } = known;
      commands.push({ command, cwd, asked: at, done: entry.at });
    }
  }
  // What has no result yet is read again.
  return { commands, end: Math.min(end, ...[...asked.values()].map(({ start }) => start)) };
}

/** The first lines, as far as they are whole. */
export function headOf(file: string): JsonObject[] {
  const bytes = read(file, 0, HEAD_BYTES);
  const lines = bytes.toString('utf8', 0, bytes.lastIndexOf('\n') + 1).split('\n');
  return lines.map((it) => parsedJson(it)).filter(isJsonObject);
}

interface Line {
  readonly text: string;
  readonly start: number;
  /** Where the next line starts. */
  readonly next: number;
}

function* linesFrom(file: string, from: number): Generator<Line> {
  const { bytes, at } = restOf(file, from);
  for (let start = 0; ; ) {
    const end = bytes.indexOf('\n', start);
    if (end === -1) return;
    yield { text: bytes.toString('utf8', start, end), start: at + start, next: at + end + 1 };
    start = end + 1;
  }
}

/** From the beginning again if the file has become shorter. */
function restOf(file: string, from: number): { bytes: Buffer; at: number } {
  const size = sizeOf(file);
  const begin = from > size ? 0 : from;
  if (size - begin <= MOST_BYTES) return { bytes: read(file, begin, size - begin), at: begin };
  const bytes = read(file, size - MOST_BYTES, MOST_BYTES);
  const cut = bytes.indexOf('\n') + 1;
  return { bytes: bytes.subarray(cut), at: size - MOST_BYTES + cut };
}

function sizeOf(file: string): number {
  return withFile(file, (fd) => {
    const stats = fstatSync(fd);
    return stats.isFile() ? stats.size : 0;
  });
}

function read(file: string, from: number, length: number): Buffer {
  if (length === 0) return Buffer.alloc(0);
  return withFile(file, (fd) => {
    const bytes = Buffer.allocUnsafe(length);
    let done = 0;
    while (done < length) {
      const count = readSync(fd, bytes, done, length - done, from + done);
      if (count === 0) break;
      done += count;
    }
    return bytes.subarray(0, done);
  });
}

function withFile<T>(file: string, use: (fd: number) => T): T {
  const fd = openSync(file, 'r');
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}
