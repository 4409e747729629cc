/** Where failures go that an agent must not see: `logs/hook.log`, one JSON object a line. */
import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../environment.ts';
import { codeOf } from '../errors.ts';
import { homeOf, privateFolder } from '../store/home.ts';
import { redact } from '../text/redact/redact.ts';

/** One older file is kept beside it. */
const MAX_BYTES = 1_000_000;

export interface FailureSource {
  readonly agent: string;
  readonly event: string;
}

/** Never throws: with nowhere to write, there is nowhere to complain. */
export function logFailure(
  error: unknown,
  { agent, event }: FailureSource,
  env: Environment,
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

/**
 * One process at a time, and each looks again: who comes second must not move the new file over the
 * old one. Whoever cannot get the turn writes where it can.
 */
function makeRoom(file: string): void {
  const turn = takeTurn(`${file}.turn`);
  if (turn === undefined) return;
  try {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MAX_BYTES) renameSync(file, `${file}.1`);
  } finally {
    rmSync(turn, { recursive: true, force: true });
  }
}

const TRIES = 100;
const PAUSE_MS = 5;
/** A process that died in its turn is not waited for. */
const STALE_MS = 5_000;

function takeTurn(folder: string): string | undefined {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      mkdirSync(folder, { mode: 0o700 });
      return folder;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const taken = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (taken !== 0 && Math.abs(Date.now() - taken) > STALE_MS)
      rmSync(folder, { recursive: true, force: true });
    Atomics.wait(sleeper, 0, 0, PAUSE_MS);
  }
  return undefined;
}
