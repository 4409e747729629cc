/** One installation at a time: otherwise each could back up the other's changes as the original. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ExplainedError } from '../base/errors.ts';
import { type Home, privateFolder } from '../base/files/home.ts';
import { takeLock } from '../base/process/held-lock.ts';

const PATIENCE_MS = 30_000;
const PAUSE_MS = 20;

class InstallBusyError extends ExplainedError {
  override readonly code = 'INSTALL_BUSY';
}

/** Runs `work` under the lock, which leaves no file. */
export async function exclusively<T>(home: Home, work: () => T | Promise<T>): Promise<T> {
  const file = join(privateFolder(home.root), 'install.lock');
  const deadline = performance.now() + PATIENCE_MS;
  let lock = takeLock(file);
  for (; lock === undefined; lock = takeLock(file)) {
    if (performance.now() > deadline) {
      throw new InstallBusyError('another lanehold is installing or uninstalling', {
        hint: 'wait for it, then try again',
      });
    }
    await pause(PAUSE_MS);
  }
  try {
    return await work();
  } finally {
    lock.discard();
  }
}
