/** Failures that an agent must not see go to `logs/hook.log`, one JSON object a line. */
import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { codeOf } from '../../base/errors.ts';
import { homeOf, privateFolder } from '../../base/files/home.ts';
import { redact } from '../../base/text/redact/redact.ts';

/** Beyond this the file is renamed to `hook.log.1`, which replaces the one before. */
const MAX_BYTES = 1_000_000;

/** Never throws. If the log cannot be written, the failure is lost. */
export function logFailure(
  error: unknown,
  { agent, event }: { readonly agent: string; readonly event: string },
  env: Environment,
  now: Date,
): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const line = { at: now.toISOString(), agent, event, error: redact(text) };
  try {
    const file = join(privateFolder(homeOf(env).logs), 'hook.log');
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MAX_BYTES) rotate(file);
    appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  } catch (failure) {
    if (!(failure instanceof Error)) throw failure;
  }
}

/**
 * One process at a time renames, and checks the size again: a second one would replace the old file
 * by the new one. A process that does not get the lock writes to the file as it is.
 */
function rotate(file: string): void {
  const lock = takeLock(`${file}.lock`);
  if (lock === undefined) return;
  try {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MAX_BYTES) renameSync(file, `${file}.1`);
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** A lock older than this belongs to a process that has died. */
const STALE_MS = 5_000;

function takeLock(folder: string): string | undefined {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    const taken = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (taken !== 0 && Math.abs(Date.now() - taken) > STALE_MS)
      rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
}
