/** The readable output of an attempt: its stream, its errors, the logs of its validations. */
import { readSync } from 'node:fs';
import { join } from 'node:path';
import { readable } from '../../agents/worker/readable.ts';
import { UsageError } from '../../base/errors.ts';
import { fromPlainFile, NO_LINK } from '../../base/files/plain-file.ts';
import { jsonLine, at as textAt } from '../../base/text/json.ts';
import { printable } from '../../base/text/printable.ts';
import { redact, redactAfter } from '../../base/text/redact/redact.ts';
import { attemptStore } from '../../store/attempts.ts';
import { integrationStore } from '../../store/integrations.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import type { LaneView, Run } from '../../store/lanes.ts';
import type { LaneContext } from '../spec/context.ts';
import { lastOfBase } from '../spec/outcomes.ts';

export type AttemptLog = ReturnType<typeof attemptLog>;

/**
 * Without an attempt so far (`attempt` is `null`), the log is that of the validation on the base.
 *
 * @throws {UsageError} if the lane has no such attempt.
 */
export function attemptLog(
  { store }: LaneContext,
  run: Run,
  lane: LaneView,
  n: number | undefined,
) {
  const attempts = attemptStore(store).ofLane(lane.id);
  const attempt = n === undefined ? attempts.at(-1) : attempts.find((it) => it.n === n);
  if (attempt === undefined) {
    const base = n === undefined ? lastOfBase(store, run, lane) : undefined;
    if (base === undefined) throw noAttempt(lane, attempts.length, n);
    return { attempt: null, stdout: base.logPath, stderr: '', validations: [base] };
  }
  const validations = laneValidationStore(store)
    .ofLane(lane.id)
    .filter(({ attemptId }) => attemptId === attempt.id);
  // A lane that broke a merge has passed alone.
  if (n === undefined && lane.state === 'culprit') {
    const { validationId } = integrationStore(store).byId(lane.integrationId ?? '') ?? {};
    const failed = laneValidationStore(store).byId(validationId ?? '');
    if (failed !== undefined) validations.push(failed);
  }
  return {
    attempt,
    stdout: join(attempt.dir, 'stdout.log'),
    stderr: join(attempt.dir, 'stderr.log'),
    /** In order; for the last attempt, with the failed one of its merge. */
    validations,
  };
}

function noAttempt({ key }: LaneView, count: number, n: number | undefined): UsageError {
  const spawn = `run \`lanehold orchestrate spawn ${key}\``;
  return new UsageError(
    n === undefined ? `lane ${key} has no attempt yet` : `there is no attempt ${n}`,
    { hint: count === 0 ? spawn : `attempts: 1 to ${count}` },
  );
}

const SHOWN = { stream: 60, stderr: 10, validation: 40 };

export function excerptOf({ attempt, stdout, stderr, validations }: AttemptLog) {
  const last = attempt === null ? undefined : validations.at(-1);
  return {
    stream: excerpt(stdout, SHOWN.stream),
    stderr: excerpt(stderr, SHOWN.stderr, 'raw'),
    validation: last === undefined ? [] : excerpt(last.logPath, SHOWN.validation, 'raw'),
  };
}

/** The last lines of a log, without secrets: workers write it unfiltered, and the reader may be another agent. */
export function excerpt(path: string, count: number, style?: 'raw'): string[] {
  for (const most of [CONTEXT_BYTES, PIECE_BYTES, STREAM_BYTES]) {
    const { from, lines } = logPiece(path, { most, isWhole: true, raw: style === 'raw' });
    if (lines.length < count && from > 0 && most < STREAM_BYTES) continue;
    const texts = lines.slice(-count).map(({ text }) => text);
    // Within JSON, a secret may be written in another way.
    return texts.length === 0 ? [] : redact(texts.join('\n')).split('\n');
  }
  return [];
}

/** Boards are read every second; this is mostly enough, and longer than a private key. */
const CONTEXT_BYTES = 16 * 1024;
const STREAM_BYTES = 2 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;

/** The kind of a line in a log: the worker's text, a tool call, a failure, or the end. */
export type LineKind = 'text' | 'tool' | 'error' | 'end' | 'raw';

const KINDS: Readonly<Record<string, LineKind>> = { '→ ': 'tool', '✗ ': 'error', '= ': 'end' };

interface PieceWish {
  readonly from?: number | undefined;
  /** The position at which the piece ends, if there is no `from`; absent: the end of the file. */
  readonly before?: number | undefined;
  /** The file is complete, so that a last line without a line end counts. */
  readonly isWhole: boolean;
  readonly most?: number | undefined;
}

/**
 * Whole lines of a file from a byte on, without secrets, even a key that begins earlier; of a long file a limited
 * number of bytes, but at least one line.
 *
 * @returns `to`: the start of the next piece.
 */
export function textPiece(path: string, { most = PIECE_BYTES, ...wish }: PieceWish) {
  // A worker could put a link to any file in the place of its log.
  const read = (fd: number, size: number) =>
    readPiece(fd, size, { ...wish, most: Math.min(most, STREAM_BYTES) });
  const piece = fromPlainFile(path, read, NO_LINK);
  const { from, before, bytes, size } = piece ?? { ...NOTHING, from: wish.from ?? 0 };
  const isLast = wish.isWhole && from + bytes.length >= size;
  const length =
    isLast || bytes.length > MOST_LINE_BYTES ? bytes.length : bytes.lastIndexOf('\n') + 1;
  const text = redactAfter(before.toString('utf8'), bytes.subarray(0, length).toString('utf8'));
  return { from, to: from + length, size, text };
}

const NOTHING = { before: Buffer.alloc(0), bytes: Buffer.alloc(0), size: 0 };

export function logPiece(path: string, wish: PieceWish & { readonly raw: boolean }) {
  const { text, ...piece } = textPiece(path, wish);
  return { ...piece, lines: linesOf(text, wish.raw) };
}

/** A line of a worker's stream becomes several lines for a reader, or none. */
export function linesOf(text: string, raw: boolean) {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  return lines.flatMap(raw ? rawLine : readableLine);
}

const MOST_LINE_BYTES = 32 * 1024 * 1024;

type PieceRead = Pick<PieceWish, 'from' | 'before'> & { readonly most: number };

function readPiece(fd: number, size: number, { from, before = size, most }: PieceRead) {
  const end = Math.min(from === undefined ? before : size, size);
  for (let length = most; ; length *= 4) {
    const start = Math.min(from ?? Math.max(0, end - length), size);
    const context = bytesAt(fd, Math.max(0, start - CONTEXT_BYTES), start);
    const read = bytesAt(fd, start, Math.min(start + length, end));
    // Half a line may begin with half a secret.
    const isWithin = start > 0 && context.at(-1) !== LINE_END;
    const lineEnd = read.indexOf(LINE_END);
    const skipped = isWithin ? (lineEnd === -1 ? read.length : lineEnd + 1) : 0;
    const isLine = read.includes(LINE_END, skipped) || read.length < length;
    if (!isLine && length <= MOST_LINE_BYTES) continue;
    const contextBefore = Buffer.concat([context, read.subarray(0, skipped)]);
    return { from: start + skipped, before: contextBefore, bytes: read.subarray(skipped), size };
  }
}

const LINE_END = 10;

function bytesAt(fd: number, start: number, end: number): Buffer {
  const bytes = Buffer.alloc(end - start);
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, start));
}

const rawLine = (line: string) => [{ kind: 'raw' as LineKind, at: null, text: printable(line) }];

function readableLine(line: string) {
  const at = textAt.text(jsonLine(line), 'timestamp') ?? null;
  return readable(line).map((text) => ({ kind: KINDS[text.slice(0, 2)] ?? 'text', at, text }));
}
