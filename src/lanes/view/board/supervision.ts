/** Whether a live attempt has a supervisor: the lock decides; the time stamp shows how responsive it is. */
import { bootId } from '../../../process/process-entry.ts';
import type { Attempt } from '../../../store/attempts.ts';
import { probeLock } from '../../../store/held-lock.ts';
import { supervisorLock } from '../../model/paths.ts';

export type Supervision =
  /** Its lock is held, and it has shown activity lately. */
  | 'supervised'
  /** Just launched: the lock may not have been taken yet. */
  | 'launching'
  /** The lock is held, so no takeover is possible, but there is no activity. */
  | 'unresponsive'
  /** The lock is free: the next reconcile takes over. */
  | 'none'
  /** The lock cannot be read, which does not mean that the supervisor is dead. */
  | 'unknown';

const SILENT_MS = 5 * 60_000;
const LAUNCH_MS = 5_000;

export function supervisionOf(attempt: Attempt, now: Date): Supervision {
  const { state, startedAt, launchedAt, progressAt } = attempt;
  const ageOf = (time: Date) => now.getTime() - time.getTime();
  // No process survives a reboot, whatever the file system says about the lock.
  if (attempt.bootId !== null && attempt.bootId !== bootId()) return 'none';
  switch (probeLock(supervisorLock(attempt.dir))) {
    case 'held':
      return ageOf(progressAt ?? startedAt) > SILENT_MS ? 'unresponsive' : 'supervised';
    case 'free':
    case 'missing':
      return state === 'starting' && Math.abs(ageOf(launchedAt ?? startedAt)) < LAUNCH_MS
        ? 'launching'
        : 'none';
    case 'unknown':
      return 'unknown';
  }
}
