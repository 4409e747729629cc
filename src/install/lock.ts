/** One installation at a time: otherwise each could back up the other's changes as the original. */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, ExplainedError } from '../base/errors.ts';
import { type Home, privateFolder } from '../base/files/home.ts';
import { explainAccess } from '../base/files/user-files.ts';

const PATIENCE_MS = 30_000;
const PAUSE_MS = 20;
/** Longest time between making the lock and writing the process id into it. */
const UNSIGNED_MS = 5_000;

class InstallBusyError extends ExplainedError {
  override readonly code = 'INSTALL_BUSY';
}

/** Runs `work` under the lock. A lock whose holder has ended is removed. */
export async function exclusively<T>(home: Home, work: () => T | Promise<T>): Promise<T> {
  const lock = join(privateFolder(home.root), 'install.lock');
  const deadline = performance.now() + PATIENCE_MS;
  while (!takeLock(lock)) {
    if (performance.now() > deadline) {
      throw new InstallBusyError('another lanehold is installing or uninstalling', {
        hint: `wait for it; if there is none, delete ${lock}`,
      });
    }
    if (isAbandoned(lock)) dropLock(lock);
    else await sleep(PAUSE_MS);
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

/** True if the holder has ended; a lock that has just been released can be taken. */
function isAbandoned(lock: string): boolean {
  try {
    const holder = readFileSync(lock, 'utf8');
    if (holder === '') return Math.abs(Date.now() - statSync(lock).mtimeMs) >= UNSIGNED_MS;
    return !isAlive(Number(holder));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw explainAccess(`cannot read ${lock}`, error);
  }
}

/** One process at a time, and after a new check: another process may hold the lock by now. */
function dropLock(lock: string): void {
  const turn = `${lock}.turn`;
  if (!takeLock(turn)) {
    if (isAbandoned(turn)) rmSync(turn, { force: true });
    return;
  }
  try {
    if (isAbandoned(lock)) rmSync(lock, { force: true });
  } finally {
    rmSync(turn, { force: true });
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
