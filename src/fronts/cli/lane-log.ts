/** Shows the output of a lane's worker: its end, all of it, or as it grows. */

import { readable } from '../../agents/worker/readable.ts';
import type { LaneLog } from '../../app/lanes/lanes.ts';
import { growingFile } from '../../base/files/growing-file.ts';
import { lineFeed } from '../../base/text/line-feed.ts';
import { printable, printableLine } from '../../base/text/printable.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { duration } from '../../base/text/time.ts';
import type { AttemptLog } from '../../lanes/look/attempt-log.ts';
import { endWords } from '../../lanes/spec/outcomes.ts';
import type { Attempt } from '../../store/attempts.ts';
import type { Validation } from '../../store/lane-validations.ts';
import { type Context, repeatedly } from './command.ts';

const POLL_MS = 250;
/** How much is shown of what was printed before one begins to follow. */
const TAIL_BYTES = 16 * 1024;

export function logText(log: ReturnType<LaneLog['excerpt']>, now: Date): string {
  const { attempt, stream, stderr, validation, validations, messages } = log;
  const last = validations.at(-1);
  return [
    headline(attempt, now),
    ...messages.map(messageLine),
    ...(stream.length === 0 ? ['(it has said nothing)'] : stream),
    ...(stderr.length === 0 ? [] : ['stderr:', ...stderr.map(indented)]),
    ...(last === undefined ? [] : [validationLine(last), ...validation.map(indented)]),
  ].join('\n');
}

function headline(attempt: Attempt | null, now: Date): string {
  if (attempt === null) return 'no attempt yet; its validation, on the commit that it starts from:';
  const { n, agent, state, startedAt, endedAt } = attempt;
  const lasted = duration((endedAt ?? now).getTime() - startedAt.getTime());
  const end = endWords(attempt);
  const ended = end === '' ? '' : `, ${printableLine(end, 400)}`;
  return `attempt ${n} by ${printableLine(agent ?? 'nobody')}: ${state}${ended}, ${lasted}`;
}

function validationLine({ cmd, result, exitCode, why }: Validation): string {
  const exit = exitCode === null ? '' : `exit code ${exitCode}`;
  const how = [result, printableLine(why || exit, 400)].filter((it) => it !== '').join(', ');
  return `validation \`${printableLine(cmd)}\`: ${how}`;
}

type Message = ReturnType<LaneLog['excerpt']>['messages'][number];

function messageLine({ body, by, deliveredAt }: Message): string {
  const state = deliveredAt === null ? 'not delivered yet' : 'delivered';
  return `message of ${printableLine(by, 100)}, ${state}: ${printableLine(body, 400)}`;
}

function indented(line: string): string {
  return `  ${printable(line)}`;
}

/** Copies the output unchanged, to the streams it was printed to; again what has come since. */
export function rawCopier({ streams }: Context, { stdout, stderr }: AttemptLog): () => void {
  const [out, err] = [growingFile(stdout), growingFile(stderr)];
  return () => {
    for (const piece of out()) streams.stdout.write(piece);
    for (const piece of err()) streams.stderr.write(piece);
  };
}

type Style = 'raw' | 'readable';

export async function followLog(context: Context, { log, now }: LaneLog, style: Style) {
  const copy = copierOf(context, log, style);
  await repeatedly(context.streams, POLL_MS, async () => {
    // Asked first: what was printed before the end can still be read after it.
    const { attempt, live } = now();
    copy.more();
    if (live) return 'more';
    copy.end();
    context.progress(headline(attempt, context.now()));
    return 'done';
  });
}

function copierOf(context: Context, log: AttemptLog, style: Style) {
  const { json, streams } = context;
  if (style === 'raw' && !json) return { more: rawCopier(context, log), end: () => undefined };
  const write = (line: string): void => {
    streams.stdout.write(`${json ? JSON.stringify({ line }) : line}\n`);
  };
  const feed = lineFeed((line) => {
    if (style === 'raw') write(line);
    else for (const text of readable(line)) write(redact(text));
  });
  const file = growingFile(log.stdout, TAIL_BYTES);
  return {
    more() {
      for (const piece of file()) feed.push(piece);
    },
    // The last line may have no end.
    end: () => feed.end(),
  };
}
