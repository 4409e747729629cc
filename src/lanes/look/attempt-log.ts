/** The readable output of an attempt: its stream, its errors, the logs of its validations. */
import { join } from 'node:path';
import { readable } from '../../agents/worker/readable.ts';
import { UsageError } from '../../base/errors.ts';
import { growingFile } from '../../base/files/growing-file.ts';
import { lineFeed } from '../../base/text/line-feed.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { type Attempt, attemptStore } from '../../store/attempts.ts';
import { integrationStore } from '../../store/integrations.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import type { LaneView } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../spec/context.ts';
import { lastOfBase } from '../spec/outcomes.ts';

export interface AttemptLog {
  /** `null` before the first: then it is that of the validation on the base. */
  readonly attempt: Attempt | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The validations of this attempt, in order; the last attempt has the failed one of its merge, too. */
  readonly validations: readonly Validation[];
}

/** @throws {UsageError} if the lane has no such attempt. */
export function attemptLog(
  { store }: LaneContext,
  run: Pick<Run, 'baseSha'>,
  lane: LaneView,
  n: number | undefined,
): AttemptLog {
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
  // One that was merged with others and failed has passed alone.
  if (n === undefined && lane.state === 'culprit') {
    const { validationId } = integrationStore(store).byId(lane.integrationId ?? '') ?? {};
    const failed = laneValidationStore(store).byId(validationId ?? '');
    if (failed !== undefined) validations.push(failed);
  }
  return {
    attempt,
    stdout: join(attempt.dir, 'stdout.log'),
    stderr: join(attempt.dir, 'stderr.log'),
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

const STREAM_BYTES = 2 * 1024 * 1024;
const SHOWN = { stream: 60, stderr: 10, validation: 40 };

export function excerptOf({ attempt, stdout, stderr, validations }: AttemptLog) {
  const stream: string[] = [];
  const feed = lineFeed((line) => stream.push(...readable(line)));
  for (const piece of growingFile(stdout, STREAM_BYTES)()) feed.push(piece);
  feed.end();
  const last = attempt === null ? undefined : validations.at(-1);
  return {
    stream: redacted(stream.slice(-SHOWN.stream)),
    stderr: redacted(lastLines(stderr, SHOWN.stderr)),
    validation: last === undefined ? [] : lastLines(last.logPath, SHOWN.validation),
  };
}

/** The last thing that a worker said or did, if it is near the end of the output. */
export function lastLine(stdout: string): string | undefined {
  return redacted(lastLines(stdout, 50).flatMap(readable).slice(-1))[0];
}

/** Workers write these files unfiltered, and the reader may be another agent. */
function redacted(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : redact(lines.join('\n')).split('\n');
}

const TAIL_BYTES = 256 * 1024;

/** The last lines of a file, read from its end. */
function lastLines(path: string, count: number): string[] {
  const end = Buffer.concat([...growingFile(path, TAIL_BYTES)()]).toString('utf8');
  return end === '' ? [] : end.replace(/\n$/, '').split('\n').slice(-count);
}
