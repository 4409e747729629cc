/**
 * git everywhere but on the hook path. No hook of the repository runs, and objects are on the disk before the ref that
 * names them. What is transferred goes through simple-git, with its end after a silence or by a signal, and its
 * progress: all else are short questions, which would take twice the time by it.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { SimpleGit, SimpleGitOptions } from 'simple-git';
import { definedOnly } from '../environment.ts';
import { sendSignal, whyNotStarted } from '../process/run.ts';
import {
  GitError,
  type GitExit,
  type GitMaker,
  gitBy,
  gitEnvironment,
  SAFE_CONFIG,
} from './git.ts';
import { smallGit } from './small-git.ts';

/** How long git may take, or print nothing in a transfer. */
const SILENCE_MS = 120_000;
/** The same where it writes a large tree, reads all of it, or downloads content on the way. */
export const CHECKOUT_MS = 900_000;

const UNATTENDED_CONFIG: readonly string[] = SAFE_CONFIG.concat(
  'core.hooksPath=/dev/null',
  'core.fsync=objects,reference',
  'core.fsyncMethod=batch',
);

/** simple-git refuses these to programs that hand on what others say; here all of them are our own. */
const ALLOWED = Object.fromEntries(
  `AskPass ConfigEnvCount ConfigPaths CredentialHelper Editor Exec Filter FsMonitor GitProxy
   HooksPath MergeDriver Pager SshCommand`
    .split(/\s+/)
    .map((it) => [`allowUnsafe${it}`, true]),
);

export const gitIn: GitMaker = (directory, env, options = {}) => {
  const { signal, progress, timeoutMs = SILENCE_MS } = options;
  const config = options.ownHooks === true ? SAFE_CONFIG : UNATTENDED_CONFIG;
  const small = smallGit({ directory, env, options, config, timeoutMs, make: gitIn });
  if (signal === undefined && progress === undefined) return small;
  const environment = definedOnly(gitEnvironment(env, options));
  const settings: Partial<SimpleGitOptions> = {
    baseDir: directory,
    maxConcurrentProcesses: availableParallelism(),
    timeout: { block: timeoutMs },
    // Output can come after the exit.
    completion: { onExit: false },
    config: [...config],
    // Filters would inherit that options may not be abbreviated.
    unsafe: { ...ALLOWED, allowAbbreviatedOptions: true },
    allowEnvironment: Object.keys(environment),
    ...(signal && { abort: signal }),
    ...(progress && { progress }),
  };
  let withoutInput: Promise<SimpleGit> | undefined;

  async function attempt(args: readonly string[], input?: string | Buffer): Promise<GitExit> {
    try {
      withoutInput ??= simpleGitBy(settings, environment);
      const git = await (input === undefined
        ? withoutInput
        : simpleGitBy(settings, environment, input));
      // Named here, because simple-git would add the option behind a `--`.
      const isShown = progress && (args[0] === 'fetch' || args[0] === 'push');
      const command = args.toSpliced(1, 0, ...(isShown ? ['--progress'] : []));
      return { exitCode: 0, stdout: await git.raw(command), stderr: '' };
    } catch (error) {
      signal?.throwIfAborted();
      const { exit } = error as Failure;
      if (exit !== undefined && exit.exitCode > 0) return exit;
      if (exit === undefined) withoutInput = undefined;
      throw new GitError(args, whyFailed(error as Failure, directory, timeoutMs));
    }
  }

  return gitBy({
    directory,
    gitDir: options.gitDir,
    env: environment,
    at: small.at,
    bytes: small.bytes,
    objects: small.objects,
    attempt,
  });
};

/** What simple-git throws; `exit` is set if git was started. */
interface Failure extends Error {
  readonly exit?: GitExit;
  readonly plugin?: string;
}

/** Says it as a clause. */
function whyFailed(failure: Failure, directory: string, timeoutMs: number): string {
  const { exit, plugin } = failure;
  if (plugin === 'timeout') return `timed out after ${timeoutMs / 1000} s`;
  if (exit?.exitCode === null) return 'was killed by a signal';
  // Where git could not be started, simple-git has the error of the system as a text.
  const code = existsSync(directory) ? /\bE[A-Z]{3,}\b/.exec(failure.message)?.[0] : 'ENOENT';
  return whyNotStarted(Object.assign(failure, { code }), directory);
}

async function simpleGitBy(
  settings: Partial<SimpleGitOptions>,
  environment: Record<string, string>,
  input: string | Buffer = '',
): Promise<SimpleGit> {
  const { simpleGit, GitError: Failed } = await import('simple-git');
  const git = simpleGit({
    ...settings,
    // A text that is empty would leave the input open.
    input: () => Buffer.from(input),
    // By itself it takes an end by a signal for a success, and keeps no exit code.
    errors(error, { exitCode, stdOut, stdErr }) {
      if (exitCode === 0 || (error !== undefined && 'plugin' in error)) return error;
      const [stdout = '', stderr = ''] = [stdOut, stdErr].map((it) => `${Buffer.concat(it)}`);
      return Object.assign(new Failed(undefined, stderr), { exit: { exitCode, stdout, stderr } });
    },
  });
  return inOwnSession(git).env(environment);
}

/** What simple-git tells its own plugins of a git that was started. */
interface Started extends NodeJS.EventEmitter {
  readonly pid?: number;
  readonly killed: boolean;
  readonly stdout: NodeJS.ReadableStream;
}

interface Plugins {
  append(at: string, act: (data: object, context: { readonly spawned: Started }) => unknown): void;
}

/**
 * git gets a session of its own: without a terminal to ask on, out of the reach of Ctrl-C, and ended
 * with all that it has started, such as ssh. simple-git has no option for that, so its own list of
 * plugins gets two more; the tests of this file fail should a new version keep them elsewhere.
 */
function inOwnSession(git: SimpleGit): SimpleGit {
  const { _plugins: plugins } = git as unknown as { readonly _plugins: Plugins };
  plugins.append('spawn.options', (options) => ({ ...options, detached: true }));
  plugins.append('spawn.after', (_, { spawned }) => {
    spawned.once('exit', () => {
      if (spawned.killed && spawned.pid !== undefined) sendSignal(-spawned.pid, 'SIGKILL');
    });
    // Where nothing was printed, simple-git would wait 50 ms for more.
    spawned.stdout.once('end', () => spawned.stdout.emit('data', Buffer.alloc(0)));
  });
  return git;
}
