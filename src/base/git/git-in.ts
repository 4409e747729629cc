/**
 * git everywhere but on the hook path. No hook of the repository runs, and objects are on the disk
 * before the ref that names them. Transfers go through simple-git, which ends them after a silence
 * or by a signal, and reports progress; other commands are short, and would take twice the time.
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

/** The longest run of git, or its longest silence in a transfer. */
const SILENCE_MS = 120_000;
/** The limit for commands that write or read a large tree, or download content on the way. */
export const CHECKOUT_MS = 900_000;

const UNATTENDED_CONFIG: readonly string[] = SAFE_CONFIG.concat(
  'core.hooksPath=/dev/null',
  'core.fsync=objects,reference',
  'core.fsyncMethod=batch',
);

/** simple-git refuses these to programs that pass on foreign text; here all of them are lanehold's own. */
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
    // Output can arrive after the exit.
    completion: { onExit: false },
    config: [...config],
    // Filters would inherit the rule that options may not be abbreviated.
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
      // The option is added here, because simple-git would add it after a `--`.
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

function whyFailed(failure: Failure, directory: string, timeoutMs: number): string {
  const { exit, plugin } = failure;
  if (plugin === 'timeout') return `timed out after ${timeoutMs / 1000} s`;
  if (exit?.exitCode === null) return 'was killed by a signal';
  // If git could not be started, simple-git has the system's error as a text.
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
    // An empty text would leave the input open.
    input: () => Buffer.from(input),
    // By default it takes an end by a signal for a success, and keeps no exit code.
    errors(error, { exitCode, stdOut, stdErr }) {
      if (exitCode === 0 || (error !== undefined && 'plugin' in error)) return error;
      const [stdout = '', stderr = ''] = [stdOut, stdErr].map((it) => `${Buffer.concat(it)}`);
      return Object.assign(new Failed(undefined, stderr), { exit: { exitCode, stdout, stderr } });
    },
  });
  return inOwnSession(git).env(environment);
}

/** The process that simple-git passes to its own plugins. */
interface Started extends NodeJS.EventEmitter {
  readonly pid?: number;
  readonly killed: boolean;
  readonly stdout: NodeJS.ReadableStream;
}

interface Plugins {
  append(at: string, act: (data: object, context: { readonly spawned: Started }) => unknown): void;
}

/**
 * Gives git a session of its own: it has no terminal for questions, Ctrl-C does not reach it, and it is ended with all
 * programs that it has started, such as ssh. simple-git has no option for that, so its own list of plugins gets two
 * more; the tests of this file fail if a new version keeps them elsewhere.
 */
function inOwnSession(git: SimpleGit): SimpleGit {
  const { _plugins: plugins } = git as unknown as { readonly _plugins: Plugins };
  plugins.append('spawn.options', (options) => ({ ...options, detached: true }));
  plugins.append('spawn.after', (_, { spawned }) => {
    spawned.once('exit', () => {
      if (spawned.killed && spawned.pid !== undefined) sendSignal(-spawned.pid, 'SIGKILL');
    });
    // If nothing was printed, simple-git would wait 50 ms for more.
    spawned.stdout.once('end', () => spawned.stdout.emit('data', Buffer.alloc(0)));
  });
  return git;
}
