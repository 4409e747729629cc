/** Who takes part in an attempt, as processes that can be killed one by one. */
import { isLive, laneFacts } from './lane-facts.ts';
import type { LaneProject } from './lane-project.ts';
import { signal, statOf } from './marked-processes.ts';

export type Part = 'worker' | 'guard' | 'supervisor';

interface ProcessId {
  readonly pid: number;
  readonly start: string;
}

/** The process that plays a part in the live attempt of a lane; `undefined` if nobody does. */
export function attemptProcess(
  project: LaneProject,
  key: string,
  part: Part,
): ProcessId | undefined {
  const attempt = laneFacts(project).find((it) => it.key === key)?.attempt;
  if (attempt === undefined || !isLive(attempt)) return undefined;
  const pid = {
    worker: () => project.starts(key).at(-1)?.pid,
    guard: () => attempt.guard_pid,
    supervisor: () => attempt.sup_pid,
  }[part]();
  const stat = pid == null ? undefined : statOf(pid);
  // A number of another process altogether is nobody's part.
  const ours = project.processes().some((it) => it.pid === pid);
  return pid == null || stat === undefined || !ours ? undefined : { pid, start: stat.start };
}

/**
 * Sends a signal to all parts at once. First it waits for them: a worker may be well under way before
 * its supervisor has come to write down who it is.
 */
export async function kill(
  project: LaneProject,
  key: string,
  parts: readonly Part[],
  name: NodeJS.Signals = 'SIGKILL',
): Promise<void> {
  const targets = await project.until(`${parts.join(', ')} of ${key}`, () => {
    const found = parts
      .map((part) => attemptProcess(project, key, part))
      .filter((it) => it !== undefined);
    const isTime = parts.join() === 'supervisor' || isAtWork(project, key);
    return isTime && found.length === parts.length ? found : undefined;
  });
  for (const it of targets) signal(it, name);
}

function isAtWork(project: LaneProject, key: string): boolean {
  const attempt = laneFacts(project).find((it) => it.key === key)?.attempt;
  return attempt !== undefined && attempt.state !== 'starting';
}
