/** One installation at a time: two would each keep the other's work as the user's original. */
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExplainedError } from '../errors.ts';
import { type Home, privateFolder } from '../store/home.ts';
import { codeOf } from './files.ts';

const PATIENCE_MS = 10_000;
const PAUSE_MS = 20;

export class InstallBusyError extends ExplainedError {
  override readonly code = 'INSTALL_BUSY';
}

/** Runs `work` while no other process does; a lock whose holder is gone counts as none. */
export async function exclusively<T>(home: Home, work: () => T | Promise<T>): Promise<T> {
  const lock = join(privateFolder(home.root), 'install.lock');
  const deadline = performance.now() + PATIENCE_MS;
  while (!takeLock(lock)) {
    if (performance.now() > deadline) {
      throw new InstallBusyError('another lanehold is installing or uninstalling', {
        hint: `wait for it; if there is none, delete ${lock}`,
      });
    }
    if (!dropDeadLock(lock)) await sleep(PAUSE_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** A link appears with its content, so that nobody meets a lock that names no process. */
function takeLock(lock: string): boolean {
  const draft = `${lock}.${randomUUID()}`;
  try {
    writeFileSync(draft, String(process.pid), { mode: 0o600 });
    linkSync(draft, lock);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function dropDeadLock(lock: string): boolean {
  const claimed = `${lock}.${randomUUID()}`;
  try {
    if (isAlive(Number(readFileSync(lock, 'utf8')))) return false;
    renameSync(lock, claimed);
    // Somebody quicker may have dropped it and taken a new one between the two lines above.
    if (isAlive(Number(readFileSync(claimed, 'utf8')))) linkSync(claimed, lock);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'EEXIST') return true;
    throw error;
  } finally {
    rmSync(claimed, { force: true });
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
