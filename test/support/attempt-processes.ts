/** The processes of an attempt: worker, guard and supervisor, each of which a test can signal. */
import { supervisorLock } from '../../src/lanes/spec/paths.ts';
import { isLive, laneFacts } from './lane-facts.ts';
import type { LaneProject } from './lane-project.ts';
import { lockHolder, signal, statOf } from './marked-processes.ts';

export type Part = 'worker' | 'guard' | 'supervisor';

interface ProcessId {
  readonly pid: number;
  readonly start: string;
}

/** One process of the live attempt of a lane; `undefined` if it does not run. */
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
    supervisor: () => lockHolder(supervisorLock(attempt.dir)),
  }[part]();
  const stat = pid == null ? undefined : statOf(pid);
  // The pid may belong to an unrelated process by now.
  const ours = project.processes().some((it) => it.pid === pid);
  return pid == null || stat === undefined || !ours ? undefined : { pid, start: stat.start };
}

/**
 * Signals all of these processes at once. Waits for them first: a worker may run for a while before
 * its supervisor is known.
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
