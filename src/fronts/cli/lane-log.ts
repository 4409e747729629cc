/** Shows the output of a lane's worker: all of it, or as it grows. */
import type { LaneLog } from '../../app/lanes/lanes.ts';
import { type AttemptLog, linesOf, textPiece } from '../../lanes/look/attempt-log.ts';
import { headline } from '../words/lane-log.ts';
import { type Context, repeatedly } from './command.ts';

const POLL_MS = 250;
/** The bytes of earlier output that are shown first. */
const TAIL_BYTES = 16 * 1024;

type Style = 'raw' | 'readable';

interface Copied {
  readonly path: string;
  readonly stream: Context['streams']['stdout'];
  /** The next byte; `undefined`: near the end. */
  from: number | undefined;
}

/**
 * Copies the output without its secrets, raw to the streams on which it was printed; each call copies what is new.
 *
 * @param most the bytes of the present output.
 */
export function logCopier(
  { streams, json }: Context,
  { stdout, stderr }: AttemptLog,
  style: Style,
  most = Number.POSITIVE_INFINITY,
) {
  const isCopy = style === 'raw' && !json;
  const start = most === Number.POSITIVE_INFINITY ? 0 : undefined;
  const files: Copied[] = [{ path: stdout, stream: streams.stdout, from: start }];
  if (isCopy) files.push({ path: stderr, stream: streams.stderr, from: 0 });
  const shown = (text: string): string => {
    if (isCopy) return text;
    const lines = linesOf(text, style === 'raw').map((it) => it.text);
    return lines.map((line) => `${json ? JSON.stringify({ line }) : line}\n`).join('');
  };
  /** @param isWhole whether nothing more comes: the last line may then have no end. */
  return (isWhole: boolean): void => {
    for (const file of files) {
      let piece: ReturnType<typeof textPiece>;
      do {
        piece = textPiece(file.path, { from: file.from, isWhole, most });
        if (piece.text !== '') file.stream.write(shown(piece.text));
        file.from = piece.to;
      } while (piece.to > piece.from && piece.to < piece.size);
    }
  };
}

export async function followLog(context: Context, { log, now }: LaneLog, style: Style) {
  const most = style === 'raw' && !context.json ? undefined : TAIL_BYTES;
  const copy = logCopier(context, log, style, most);
  await repeatedly(context.streams, POLL_MS, async () => {
    // This is read first: output from before the end can still be read after it.
    const { attempt, live } = now();
    copy(!live);
    if (live) return 'more';
    context.progress(headline(attempt, context.now()));
    return 'done';
  });
}
