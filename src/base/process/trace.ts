/** Measures where the time of a hook goes, if LANEHOLD_TRACE is set; the benchmark reads it. */

/** Asked once: the process that answers many hooks has no environment of its own to ask. */
const isMeasured = Boolean(process.env.LANEHOLD_TRACE);

const nothing = (): undefined => undefined;
const totals = new Map<string, number>();
const running = new Map<string, { count: number; since: number }>();

/** Starts a phase and returns what ends it; overlapping runs of one phase count once. */
export function phase(name: string): () => void {
  if (!isMeasured) return nothing;
  const current = running.get(name) ?? { count: 0, since: performance.now() };
  if (current.count === 0) current.since = performance.now();
  current.count += 1;
  running.set(name, current);
  return () => {
    current.count -= 1;
    if (current.count > 0) return;
    totals.set(name, (totals.get(name) ?? 0) + performance.now() - current.since);
  };
}

/** Milliseconds by phase; `start` is the time before the program's first line. */
export function phases(startedAt: number): Record<string, number> {
  return { start: startedAt, ...Object.fromEntries(totals), total: performance.now() };
}
