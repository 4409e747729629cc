/** Failures that an agent must not see go to `logs/hook.log`, one JSON object a line. */
import { appendFileSync, renameSync, statSync } from 'node:fs';
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
    // Another process may have renamed it at this moment.
    if (size > MAX_BYTES) attempt(() => renameSync(file, `${file}.1`));
    appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  } catch (failure) {
    if (!(failure instanceof Error)) throw failure;
  }
}
