/** A line on a terminal that names the running step, once it has taken longer than a second. */
import { printableLine } from '../../base/text/printable.ts';
import { duration } from '../../base/text/time.ts';
import { frameOn } from './frame.ts';
import type { Output } from './output.ts';
import { cut } from './table.ts';

/** A shorter step gets no line. */
export const SLOW_MS = 1_000;
const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const FRAME_MS = 100;
const USUAL_COLUMNS = 80;

/** `undefined` if lines cannot be replaced. */
export function spinner({ streams: { stderr }, json, quiet, env }: Omit<Output, 'verbose'>) {
  if (stderr.isTTY !== true || json || quiet || env.TERM === 'dumb') return undefined;
  const frame = frameOn(stderr, 'shown');
  let timer: NodeJS.Timeout | undefined;
  let label = '';
  return {
    /** The time counts from the first label. */
    show(text: string): void {
      label = printableLine(text);
      const started = performance.now();
      timer ??= setInterval(() => {
        const elapsed = performance.now() - started;
        const sign = FRAMES[Math.floor(elapsed / FRAME_MS) % FRAMES.length];
        const line = `${sign} ${label} (${duration(elapsed)})`;
        if (elapsed > SLOW_MS) frame.draw([cut(line, stderr.columns || USUAL_COLUMNS)]);
      }, FRAME_MS);
    },
    stop(): void {
      clearInterval(timer);
      timer = undefined;
      frame.clear();
    },
  };
}
