/** Shows the output of a lane's worker: its end, all of it, or as it grows. */

import { StringDecoder } from 'node:string_decoder';
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

/**
 * Copies the output, without the secrets in it, to the streams it was printed to; again what has come since.
 */
export function rawCopier({ streams }: Context, { stdout, stderr }: AttemptLog) {
  const copies = [
    { next: growingFile(stdout), lines: wholeLines((text) => streams.stdout.write(redact(text))) },
    { next: growingFile(stderr), lines: wholeLines((text) => streams.stderr.write(redact(text))) },
  ];
  return {
    more(): void {
      for (const { next, lines } of copies) for (const piece of next()) lines.push(piece);
    },
    end(): void {
      for (const { lines } of copies) lines.end();
    },
  };
}

/** As many lines at once as there are: a key may have several. */
function wholeLines(write: (text: string) => void) {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const upTo = (end: number): void => {
    if (end > 0) write(rest.slice(0, end));
    rest = rest.slice(end);
  };
  return {
    push(piece: Buffer): void {
      rest += decoder.write(piece);
      upTo(rest.lastIndexOf('\n') + 1);
    },
    end(): void {
      rest += decoder.end();
      upTo(rest.length);
    },
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
  if (style === 'raw' && !json) return rawCopier(context, log);
  const write = (line: string): void => {
    streams.stdout.write(`${json ? JSON.stringify({ line }) : line}\n`);
  };
  const feed = lineFeed((line) => {
    if (style === 'raw') write(redact(line));
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
