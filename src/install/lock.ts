/** Runs one installation at a time: otherwise each could back up the other's changes as the original. */
import { join } from 'node:path';
import { type Home, privateFolder } from '../base/files/home.ts';
import { withLock } from '../base/process/with-lock.ts';

const PATIENCE = { waitMs: 30_000, what: 'another lanehold that installs or uninstalls' };

export async function exclusively<T>(home: Home, work: () => T | Promise<T>): Promise<T> {
  return withLock(join(privateFolder(home.root), 'install.lock'), PATIENCE, work);
}
