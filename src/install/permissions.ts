/** Finds and closes what only the owner of LANEHOLD_HOME should be able to read. */
import { chmodSync, existsSync, statSync } from 'node:fs';
import type { Home } from '../base/files/home.ts';
import { hookScriptFile } from './hook-script.ts';

/** The folder and its files, as far as others may read or change them. */
export function openToOthers(home: Home): readonly string[] {
  return ownPaths(home).filter((path) => (statSync(path).mode & 0o077) !== 0);
}

/** Removes the rights of others. @returns the changed paths. */
export function closeToOthers(home: Home): readonly string[] {
  const open = openToOthers(home);
  for (const path of open) chmodSync(path, statSync(path).mode & 0o700);
  return open;
}

function ownPaths(home: Home): readonly string[] {
  const { root, database, backups, manifest, config, resident } = home;
  const own = [root, database, backups, manifest, config, resident, hookScriptFile(home)];
  return own.filter(existsSync);
}
