/** The readable output of an attempt: its stream, its errors, the logs of its validations. */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { readable } from '../../../agents/worker/readable.ts';
import { UsageError } from '../../../errors.ts';
import { openPlainFile } from '../../../files/plain-file.ts';
import { type Attempt, attemptStore } from '../../../store/attempts.ts';
import { integrationStore } from '../../../store/integrations.ts';
import { laneValidationStore, type Validation } from '../../../store/lane-validations.ts';
import type { LaneView } from '../../../store/lanes.ts';
import { lineFeed } from '../../../text/line-feed.ts';
import { redact } from '../../../text/redact/redact.ts';
import type { LaneContext } from '../../model/context.ts';

export interface AttemptLog {
  readonly attempt: Attempt;
  readonly stdout: string;
  readonly stderr: string;
  /** Of this attempt, in order; for the last attempt also the failed validation of its merge. */
  readonly validations: readonly Validation[];
}

/** @throws {UsageError} if the lane has no such attempt. */
export function attemptLog(
  { store }: LaneContext,
  lane: LaneView,
  n: number | undefined,
): AttemptLog {
  const attempts = attemptStore(store).ofLane(lane.id);
  const attempt = n === undefined ? attempts.at(-1) : attempts.find((it) => it.n === n);
  if (attempt === undefined) {
    const { key } = lane;
    const count = attempts.length;
    const hint =
      count === 0 ? `run \`lanehold orchestrate spawn ${key}\`` : `attempts: 1 to ${count}`;
    const fact = n === undefined ? `lane ${key} has no attempt yet` : `there is no attempt ${n}`;
    throw new UsageError(fact, { hint });
  }
  const validations = laneValidationStore(store)
    .ofLane(lane.id)
    .filter(({ attemptId }) => attemptId === attempt.id);
  if (n === undefined) validations.push(...mergedFailure(store, lane));
  return {
    attempt,
    stdout: join(attempt.dir, 'stdout.log'),
    stderr: join(attempt.dir, 'stderr.log'),
    validations,
  };
}

/** The validation that a lane passed alone, and failed when merged with others. */
function mergedFailure(store: LaneContext['store'], lane: LaneView): Validation[] {
  if (lane.integrationId === null || lane.state !== 'culprit') return [];
  const id = integrationStore(store).byId(lane.integrationId)?.validationId;
  const validation = id == null ? undefined : laneValidationStore(store).byId(id);
  return validation === undefined ? [] : [validation];
}

const STREAM_BYTES = 2 * 1024 * 1024;
const SHOWN = { stream: 60, stderr: 10, validation: 40 };

export interface Excerpt {
  readonly stream: readonly string[];
  readonly stderr: readonly string[];
  /** The end of the last validation's log. */
  readonly validation: readonly string[];
}

export function excerptOf({ stdout, stderr, validations }: AttemptLog): Excerpt {
  const stream: string[] = [];
  const feed = lineFeed((line) => stream.push(...readable(line)));
  for (const piece of growingFile(stdout, STREAM_BYTES)()) feed.push(piece);
  feed.end();
  const last = validations.at(-1);
  return {
    stream: redacted(stream.slice(-SHOWN.stream)),
    stderr: redacted(lastLines(stderr, SHOWN.stderr)),
    validation: last === undefined ? [] : lastLines(last.logPath, SHOWN.validation),
  };
}

/** Of what a worker said or did, as far as it is near the end. */
export function lastLine(stdout: string): string | undefined {
  const readables = lastLines(stdout, LAST_LINES).flatMap(readable);
  return redacted(readables.slice(-1))[0];
}

const LAST_LINES = 50;

/** Workers write these files unfiltered, and the reader may be another agent. */
function redacted(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : redact(lines.join('\n')).split('\n');
}

const PIECE = 1024 * 1024;
const TAIL_BYTES = 256 * 1024;

/**
 * For a file that grows: each call yields, in pieces, what was added since the last one.
 *
 * @param tailBytes start this far before the end, at the start of a line.
 */
export function growingFile(path: string, tailBytes = Infinity): () => Generator<Buffer> {
  let position: number | undefined;
  const next = (): Buffer => {
    const descriptor = openPlainFile(path);
    if (descriptor === undefined) return Buffer.alloc(0);
    try {
      const { size } = fstatSync(descriptor);
      position ??= startOf(descriptor, size, tailBytes);
      // Its middle was left out meanwhile.
      if (position > size) position = size;
      const piece = Buffer.alloc(Math.min(PIECE, Math.max(0, size - position)));
      const count = readSync(descriptor, piece, 0, piece.length, position);
      position += count;
      return piece.subarray(0, count);
    } finally {
      closeSync(descriptor);
    }
  };
  return function* () {
    for (let piece = next(); piece.length > 0; piece = next()) yield piece;
  };
}

function startOf(descriptor: number, size: number, tailBytes: number): number {
  if (size <= tailBytes) return 0;
  const start = size - tailBytes;
  const piece = Buffer.alloc(Math.min(PIECE, tailBytes));
  const count = readSync(descriptor, piece, 0, piece.length, start);
  const end = piece.subarray(0, count).indexOf('\n');
  return end === -1 ? start : start + end + 1;
}

/** The last lines of a file, read from its end. */
function lastLines(path: string, count: number): string[] {
  const end = growingFile(path, TAIL_BYTES)();
  const lines = Buffer.concat([...end])
    .toString('utf8')
    .split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.slice(-count);
}
