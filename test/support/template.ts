/** Folders that many tests begin with: made once in a run, then copied. */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TEMPLATES } from './run-folder.ts';

/**
 * Copies into `target` what `make` puts into an empty folder.
 *
 * @param key all that the content depends on.
 */
export function copyTemplate(key: string, target: string, make: (folder: string) => void): void {
  const templates = process.env[TEMPLATES];
  if (templates === undefined) {
    make(target);
    return;
  }
  const name = createHash('sha256').update(key).digest('hex').slice(0, 16);
  const finished = join(templates, name);
  if (!existsSync(finished)) {
    const folder = mkdtempSync(join(templates, 'new-'));
    make(folder);
    finish(folder, finished);
  }
  cpSync(finished, target, { recursive: true, preserveTimestamps: true });
}

/** Another process may have made the same template meanwhile. */
function finish(folder: string, finished: string): void {
  try {
    renameSync(folder, finished);
  } catch (error) {
    if (!existsSync(finished)) throw error;
    rmSync(folder, { recursive: true });
  }
}
