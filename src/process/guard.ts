/**
 * The guard: a shell of a few lines between the supervisor and the worker, so that the exit code
 * outlives the supervisor. It leads a session of its own, hence group and session are the worker's.
 * The worker writes to files itself: no pipe ends with the supervisor, or fills up without it.
 *
 * In the folder of the start it leaves `guard.json`, its first act, and `exit.json`, its last. In
 * between the worker's own process writes `worker.json`, for whoever has to wait for it without a guard.
 */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { UsageError } from '../errors.ts';
import { readJsonFile } from '../files/json-file.ts';
import { spawnDetached } from './detached.ts';
import { GUARD_VARIABLE } from './marker.ts';
import { processEntry } from './process-entry.ts';
import { bootId, type ProcessIdentity } from './process-identity.ts';

export interface GuardedStart {
  /** For this start alone: a guard that finds another one's `guard.json` starts nothing. */
  readonly dir: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Undefined: `/dev/null`. */
  readonly stdinFile: string | undefined;
}

/** Becomes the worker, after it has noted its pid: `$$` of a subshell is that of the guard. */
const WORKER_SCRIPT = `
(umask 077; printf "{\\"pid\\":%d}\\n" "$$" > "$1/worker.json") 2>/dev/null
shift
exec "$@"
`;

/**
 * $1 is the folder, the rest is the worker's command line; nothing of it is ever shell code.
 *
 * - `set -C`: the file is made, or the guard gives up. Two who start at once cannot both.
 * - What the shell itself has to say (`Killed`) is not the worker's: fd 3 keeps the worker's stderr.
 * - The traps keep the guard alive through a signal to its group. They do not reach the worker: a
 *   subshell resets them. In the end `sync` and `mv` are to live through it as well.
 * - `exec` finds programs only; without it a program called `test` would be the shell's own.
 * - `sync` with a name syncs that file alone (coreutils, busybox); elsewhere it does all or nothing.
 *   A folder is synced for the names in it.
 * - Variables have names that nobody exports, for an assignment would change the worker's.
 */
const GUARD_SCRIPT = `
trap : HUP INT QUIT TERM USR1 USR2
exec 3>&2 2>/dev/null
_lanehold_umask=$(umask)
umask 077
set -C
printf '{"pid":%d}\\n' "$$" > "$1/guard.json" || exit 125
set +C
umask "$_lanehold_umask"
_lanehold_dir=$1
shift
(unset ${GUARD_VARIABLE}; exec /bin/sh -c '${WORKER_SCRIPT}' lanehold-guard "$_lanehold_dir" "$@" 2>&3 3>&-)
_lanehold_code=$?
trap '' HUP INT QUIT TERM USR1 USR2
umask 077
if printf '{"code":%d}\\n' "$_lanehold_code" > "$_lanehold_dir/exit.tmp"; then
  sync "$_lanehold_dir/exit.tmp" >&2
  mv -f "$_lanehold_dir/exit.tmp" "$_lanehold_dir/exit.json"
  sync "$_lanehold_dir" >&2
fi
`;

/**
 * Starts a worker under a guard and returns who the guard is. Where another guard was first in this
 * folder, `readGuard` names that one, and this one ends without having started anything.
 *
 * @throws {ExplainedError} if the shell cannot be started. A worker that cannot is in `exit.json`.
 */
export function startGuarded(start: GuardedStart): ProcessIdentity {
  const { dir, program, args, cwd, env, stdinFile } = start;
  if (program === '' || program.startsWith('-')) {
    throw new UsageError(`there is no program \`${program}\``, {
      hint: 'name a program on the PATH, or give its absolute path',
    });
  }
  const opened: number[] = [];
  const open = (path: string, flags: string): number => {
    const fd = openSync(path, flags, 0o600);
    opened.push(fd);
    return fd;
  };
  try {
    const stdin = stdinFile === undefined ? 'ignore' : open(stdinFile, 'r');
    const stdout = open(join(dir, 'stdout.log'), 'a');
    const stderr = open(join(dir, 'stderr.log'), 'a');
    const pid = spawnDetached(
      '/bin/sh',
      ['-c', GUARD_SCRIPT, 'lanehold-guard', dir, program, ...args],
      {
        cwd,
        env: { ...env, [GUARD_VARIABLE]: '1' },
        stdio: [stdin, stdout, stderr],
      },
    );
    // It is our child, and stays in the table until we have collected it: never another one's entry.
    return { pid, start: processEntry(pid)?.start ?? 'unknown', bootId: bootId() };
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

const Exit = z.object({ code: z.int().check(z.minimum(0), z.maximum(255)) });
const Somebody = z.object({ pid: z.int().check(z.positive()) });

/** 127 and 126: the program is not there, or is not executable. 128 and more: a signal, as a rule. */
export function readExit(dir: string): { code: number } | 'none' | 'unreadable' {
  return readJsonFile(join(dir, 'exit.json'), Exit);
}

/** The pid that the guard says it has: undefined before it has said so. It may have ended since. */
export function readGuard(dir: string): number | undefined {
  return pidIn(join(dir, 'guard.json'));
}

/** The same of the worker itself, which is not all that it has started. */
export function readWorker(dir: string): number | undefined {
  return pidIn(join(dir, 'worker.json'));
}

function pidIn(file: string): number | undefined {
  const said = readJsonFile(file, Somebody);
  return typeof said === 'string' ? undefined : said.pid;
}
