/** Watches files for changes, because polling costs more than everything else that waits. */
import { watch } from 'node:fs';
import { attempt } from '../errors.ts';

export interface Rhythm {
  /** The shortest time between two calls, however much changes. */
  readonly leastMs: number;
  /** The longest time without a call, after which a missed change is found. */
  readonly mostMs: number;
}

/**
 * Calls `act` after changes of these files, and of the entries of these folders, and now and then
 * without a change; often if the system cannot report changes.
 *
 * @returns a function that ends it.
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
  // Removing a folder ends its watch.
  for (const it of watchers) it.on('error', ring);
  let timer = setTimeout(run, restMs);
  return () => {
    clearTimeout(timer);
    for (const it of watchers) it.close();
  };
}
