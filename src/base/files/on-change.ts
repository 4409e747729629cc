/** Notices changes of files without looking again and again, which costs more than all else that waits. */
import { watch } from 'node:fs';
import { attempt } from '../errors.ts';

export interface Rhythm {
  /** Between two calls, however much changes. */
  readonly leastMs: number;
  /** Without a change: what is not noticed is found then. */
  readonly mostMs: number;
}

/**
 * Calls `act` after changes of these files, and of the entries of these folders, and now and then without one;
 * often where the system cannot tell of changes.
 *
 * @returns ends it.
 */
export function onChange(
  paths: readonly string[],
  { leastMs, mostMs }: Rhythm,
  act: () => void,
): () => void {
  let last = 0;
  let isNoticed = false;
  const run = (): void => {
    isNoticed = false;
    last = performance.now();
    timer = setTimeout(run, restMs);
    act();
  };
  const ring = (): void => {
    if (isNoticed) return;
    isNoticed = true;
    clearTimeout(timer);
    timer = setTimeout(run, Math.max(0, last + leastMs - performance.now()));
  };
  const watchers = paths.flatMap((path) => attempt(() => watch(path, ring)) ?? []);
  const isTold = process.platform === 'linux' && watchers.length === paths.length;
  const restMs = isTold ? mostMs : leastMs;
  // A folder that is removed ends its watch.
  for (const it of watchers) it.on('error', ring);
  let timer = setTimeout(run, restMs);
  return () => {
    clearTimeout(timer);
    for (const it of watchers) it.close();
  };
}
