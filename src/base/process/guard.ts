/**
 * The guard: a shell of a few lines between the supervisor and the worker, so that the exit code is kept if the
 * supervisor ends. It leads a session of its own, which is also the worker's. The worker writes to files itself: pipes
 * would break or fill up without the supervisor.
 *
 * In the folder of the start it first writes `guard.json` and last `exit.json`. In between the worker's process writes
 * `worker.json`, for a supervisor that has to wait for the worker without a guard.
 */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { UsageError } from '../errors.ts';
import { readJsonFile } from '../files/json-file.ts';
import { GUARD_VARIABLE } from './end-tree.ts';
import { bootId, type ProcessIdentity, processEntry } from './process-entry.ts';
import { spawnDetached } from './run.ts';

export interface GuardedStart {
  /** The folder is for this start alone: a guard that finds a `guard.json` starts nothing. */
  readonly dir: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Undefined: `/dev/null`. */
  readonly stdinFile: string | undefined;
}

/** Writes its pid, then becomes the worker. A script of its own, because in a subshell `$$` is the guard's pid. */
const WORKER_SCRIPT = `
(umask 077; printf "{\\"pid\\":%d}\\n" "$$" > "$1/worker.json") 2>/dev/null
shift
exec "$@"
`;

/**
 * $1 is the folder, the rest is the worker's command line; none of it is read as shell code.
 *
 * - `set -C`: creating a file that exists fails, so of two guards at once only one starts a worker.
 * - The shell's own messages (`Killed`) must not go to the worker's stderr, which is fd 3.
 * - The traps keep the guard alive through a signal to its group; a subshell resets them for the
 *   worker. At the end they are ignored, so that `mv` survives such a signal as well.
 * - `exec` runs programs only; without it a program called `test` would be the shell's builtin.
 * - The exit code is not synced to the disk: after a power loss no attempt of before is believed.
 * - Variables have unusual names: assigning to an exported one would change the worker's environment.
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
printf '{"code":%d}\\n' "$_lanehold_code" > "$_lanehold_dir/exit.tmp" &&
  mv -f "$_lanehold_dir/exit.tmp" "$_lanehold_dir/exit.json"
`;

/**
 * Starts a worker under a guard and returns the guard's identity. If another guard was first in this
 * folder, `readPid` names that one, and this one ends without starting anything.
 *
 * @throws {ExplainedError} if the shell cannot be started. A worker that cannot be started is
 *   reported in `exit.json`.
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
      { cwd, env: { ...env, [GUARD_VARIABLE]: '1' }, stdio: [stdin, stdout, stderr] },
    );
    // The guard is a child of this process, so its pid is not used again before it was collected.
    return { pid, start: processEntry(pid)?.start ?? 'unknown', bootId: bootId() };
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

const Exit = z.object({ code: z.int().check(z.minimum(0), z.maximum(255)) });
const PidFile = z.object({ pid: z.int().check(z.positive()) });

/** The exit code. 127 and 126: the program does not exist or is not executable. From 128 on: usually a signal. */
export function readExit(dir: string): { code: number } | 'none' | 'unreadable' {
  return readJsonFile(join(dir, 'exit.json'), Exit);
}

/** The pid of the guard or the worker, once it is written. The process may have ended since. */
export function readPid(dir: string, whose: 'guard' | 'worker'): number | undefined {
  const read = readJsonFile(join(dir, `${whose}.json`), PidFile);
  return typeof read === 'string' ? undefined : read.pid;
}
