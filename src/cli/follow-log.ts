/** Copies the stream of a worker to ours as it grows. */
import type { AttemptLog } from '../lanes/logs/attempt-log.ts';
import { growingFile, pieces } from '../lanes/logs/growing-file.ts';
import { readable } from '../lanes/logs/readable.ts';
import { lineFeed } from '../text/line-feed.ts';
import { redact } from '../text/redact/redact.ts';
import type { Context } from './context.ts';

/** Where somebody who begins to follow begins to read. */
const TAIL_BYTES = 16 * 1024;

export interface Copier {
  more(): void;
  /** Nothing more comes: the last line may have no end. */
  end(): void;
}

export function copier(
  { json, streams }: Context,
  { stdout, stderr }: AttemptLog,
  style: 'raw' | 'readable',
): Copier {
  if (style === 'raw' && !json) {
    const [out, err] = [growingFile(stdout), growingFile(stderr)];
    return {
      more() {
        for (const piece of pieces(out)) streams.stdout.write(piece);
        for (const piece of pieces(err)) streams.stderr.write(piece);
      },
      end: () => undefined,
    };
  }
  const write = (line: string): void => {
    streams.stdout.write(`${json ? JSON.stringify({ line }) : line}\n`);
  };
  const feed = lineFeed((line) => {
    for (const text of style === 'raw' ? [line] : readable(line))
      write(style === 'raw' ? text : redact(text));
  });
  const file = growingFile(stdout, TAIL_BYTES);
  return {
    more() {
      for (const piece of pieces(file)) feed.push(piece);
    },
    end: () => feed.end(),
  };
}
