/** Failures that an agent must not see go to `logs/hook.log`, one JSON object a line. */
import { appendFileSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { homeOf, privateFolder } from '../../base/files/home.ts';
import { redact } from '../../base/text/redact/redact.ts';

/** Beyond this the file is renamed to `hook.log.1`, which replaces the one before. */
const MAX_BYTES = 1_000_000;

/** Never throws. If the log cannot be written, the failure is lost. */
export function logFailure(
  error: unknown,
  { agent, event }: { readonly agent: string; readonly event: string },
  env: NodeJS.ProcessEnv,
  now: Date,
): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const line = { at: now.toISOString(), agent, event, error: redact(text) };
  try {
    const file = join(privateFolder(homeOf(env).logs), 'hook.log');
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MAX_BYTES) attempt(() => makeRoom(file));
    appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  } catch (failure) {
    if (!(failure instanceof Error)) throw failure;
  }
}

/** Another process may make room at the same moment: what is moved then is the new file, which goes back. */
function makeRoom(file: string): void {
  const moved = `${file}.${process.pid}`;
  renameSync(file, moved);
  if (statSync(moved).size > MAX_BYTES) renameSync(moved, `${file}.1`);
  else {
    appendFileSync(file, readFileSync(moved), { mode: 0o600 });
    rmSync(moved);
  }
}
