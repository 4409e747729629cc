/** Who takes part in an attempt, as processes that can be killed one by one. */
import { isLive, laneFacts } from './lane-facts.ts';
import type { LaneWorld } from './lanes.ts';
import { signal, statOf } from './world-processes.ts';

export type Part = 'worker' | 'guard' | 'supervisor';

interface Victim {
  readonly pid: number;
  readonly start: string;
}

/** The process that plays a part in the live attempt of a lane; `undefined` if nobody does. */
export function victim(world: LaneWorld, key: string, part: Part): Victim | undefined {
  const attempt = laneFacts(world).find((it) => it.key === key)?.attempt;
  if (attempt === undefined || !isLive(attempt)) return undefined;
  const pid = {
    worker: () => world.starts(key).at(-1)?.pid,
    guard: () => attempt.guard_pid,
    supervisor: () => attempt.sup_pid,
  }[part]();
  const stat = pid == null ? undefined : statOf(pid);
  // A number of another process altogether is nobody's part.
  const ours = world.processes().some((it) => it.pid === pid);
  return pid == null || stat === undefined || !ours ? undefined : { pid, start: stat.start };
}

/**
 * Sends a signal to all parts at once. First it waits for them: a worker may be well under way before
 * its supervisor has come to write down who it is.
 */
export async function strike(
  world: LaneWorld,
  key: string,
  parts: readonly Part[],
  name: NodeJS.Signals = 'SIGKILL',
): Promise<void> {
  const victims = await world.until(`${parts.join(', ')} of ${key}`, () => {
    const found = parts.map((part) => victim(world, key, part)).filter((it) => it !== undefined);
    const isTime = parts.join() === 'supervisor' || isAtWork(world, key);
    return isTime && found.length === parts.length ? found : undefined;
  });
  for (const it of victims) signal(it, name);
}

function isAtWork(world: LaneWorld, key: string): boolean {
  const attempt = laneFacts(world).find((it) => it.key === key)?.attempt;
  return attempt !== undefined && attempt.state !== 'starting';
}
