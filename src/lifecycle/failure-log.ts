/** Where failures go that an agent must not see: `logs/hook.log`, one JSON object a line. */
import { appendFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { redact } from '../redact.ts';
import { homeOf, privateFolder } from '../store/home.ts';

/** One older file is kept beside it. */
const MAX_BYTES = 1_000_000;

export interface Moment {
  readonly agent: string;
  readonly event: string;
}

/** Never throws: with nowhere to write, there is nowhere to complain. */
export function logFailure(
  error: unknown,
  { agent, event }: Moment,
  env: Readonly<Record<string, string | undefined>>,
  now: Date,
): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const line = { at: now.toISOString(), agent, event, error: redact(text) };
  try {
    const file = join(privateFolder(homeOf(env).logs), 'hook.log');
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MAX_BYTES) makeRoom(file);
    appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  } catch (failure) {
    if (!(failure instanceof Error)) throw failure;
  }
}

function makeRoom(file: string): void {
  try {
    renameSync(file, `${file}.1`);
  } catch (error) {
    // Another process was quicker.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
