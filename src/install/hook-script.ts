/** The script in LANEHOLD_HOME that each hook of an agent starts: a copy of the package's own. */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError } from '../base/errors.ts';
import type { Home } from '../base/files/home.ts';
import { packageRoot } from '../base/files/package.ts';
import { readText, writeTarget } from '../base/files/user-files.ts';
import { installManifest } from './manifest.ts';

const PRIVATE_PROGRAM = 0o700;

export function hookScriptFile(home: Pick<Home, 'root'>): string {
  return join(home.root, 'lanehold-hook.sh');
}

/** Callers hold the lock. @throws {ExplainedError} if the package was not built. */
export function writeHookScript(home: Home): void {
  const file = hookScriptFile(home);
  const text = hookScript();
  if (text === undefined) {
    throw new ExplainedError('the script that starts at hooks is not built', {
      hint: 'run `npm run build`, or install lanehold again',
    });
  }
  if (!isCurrentScript(file)) writeTarget(file, text, PRIVATE_PROGRAM);
}

/** Removes the script if no settings that lanehold knows still start it. */
export function removeHookScript(home: Home): void {
  if (installManifest(home).installations.length === 0)
    rmSync(hookScriptFile(home), { force: true });
}

export function isCurrentScript(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true && (stats.mode & 0o077) === 0 && readText(file) === hookScript();
}

const hookScript = (): string | undefined =>
  readText(join(packageRoot(), 'dist', 'lanehold-hook.sh'));
