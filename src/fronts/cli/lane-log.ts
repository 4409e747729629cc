/** Shows the output of a lane's worker: its end, all of it, or as it grows. */

import { readable } from '../../agents/worker/readable.ts';
import type { LaneLog } from '../../app/lanes/lanes.ts';
import { growingFile } from '../../base/files/growing-file.ts';
import { lineFeed } from '../../base/text/line-feed.ts';
import { redact } from '../../base/text/redact/redact.ts';
import type { AttemptLog } from '../../lanes/look/attempt-log.ts';
import { headline } from '../words/lane-log.ts';
import { type Context, repeatedly } from './command.ts';

const POLL_MS = 250;
/** How much is shown of what was printed before one begins to follow. */
const TAIL_BYTES = 16 * 1024;

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
