/** Does anybody look after a live attempt? The lock says so; a time stamp only says how well. */

import { bootId } from '../../process/process-identity.ts';
import type { Attempt } from '../../store/attempts.ts';
import { probeLock } from '../../store/held-lock.ts';
import { supervisorLock } from '../paths.ts';

export type Supervision =
  /** Its lock is held, and it has given a sign of life lately. */
  | 'supervised'
  /** Nobody has had the time to take the lock. */
  | 'launching'
  /** The lock is held, so nobody may take it over; but it says nothing. */
  | 'unresponsive'
  /** Nobody holds the lock: the next tick takes it over. */
  | 'none'
  /** The lock cannot be looked at: not a sign of death. */
  | 'unknown';

const SILENT_MS = 5 * 60_000;
const LAUNCH_MS = 5_000;

export function supervisionOf(attempt: Attempt, now: Date): Supervision {
  // After a restart of the machine nobody can hold it, whatever the file system says.
  if (attempt.bootId !== null && attempt.bootId !== bootId()) return 'none';
  switch (probeLock(supervisorLock(attempt.dir))) {
    case 'held':
      return isSilent(attempt, now) ? 'unresponsive' : 'supervised';
    case 'free':
    case 'missing':
      return isLaunching(attempt, now) ? 'launching' : 'none';
    case 'unknown':
      return 'unknown';
  }
}

function isSilent({ progressAt, startedAt }: Attempt, now: Date): boolean {
  return now.getTime() - (progressAt ?? startedAt).getTime() > SILENT_MS;
}

function isLaunching({ state, launchedAt, startedAt }: Attempt, now: Date): boolean {
  const begun = launchedAt ?? startedAt;
  return state === 'starting' && Math.abs(now.getTime() - begun.getTime()) < LAUNCH_MS;
}
