/** One installation at a time: two would each keep the other's work as the user's original. */
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExplainedError } from '../errors.ts';
import { type Home, privateFolder } from '../store/home.ts';
import { codeOf, explainAccess } from './files.ts';

const PATIENCE_MS = 10_000;
const PAUSE_MS = 20;
/** How long a holder may take from making the lock to writing its process id into it. */
const UNSIGNED_MS = 2_000;

class InstallBusyError extends ExplainedError {
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
    if (isHeld(lock)) await sleep(PAUSE_MS);
    else dropLock(lock);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function takeLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw explainAccess(`cannot write ${lock}`, error);
  }
}

function isHeld(lock: string): boolean {
  try {
    const holder = readFileSync(lock, 'utf8');
    if (holder === '') return Math.abs(Date.now() - statSync(lock).mtimeMs) < UNSIGNED_MS;
    return isAlive(Number(holder));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw explainAccess(`cannot read ${lock}`, error);
  }
}

/** Somebody quicker may have dropped it and taken a new one since we looked: that is put back. */
function dropLock(lock: string): void {
  const claimed = `${lock}.${randomUUID()}`;
  try {
    renameSync(lock, claimed);
    if (isHeld(claimed)) renameSync(claimed, lock);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw explainAccess(`cannot remove ${lock}`, error);
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
