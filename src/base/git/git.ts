/**
 * Every git process starts here: in a clean environment, without prompts, and without the network
 * unless the caller asks for it. A failure carries git's own words.
 *
 * simple-git was tried for what talks to remotes. It cannot start git in a session of its own, so
 * that ssh asks for passwords on the caller's terminal, and at a time limit it ends git alone: ssh
 * goes on. Its limit counts silence, not the whole time, and it does not limit the output.
 */
import { devNull } from 'node:os';
import { type Environment, STAGE_VARIABLE } from '../environment.ts';
import { ExplainedError } from '../errors.ts';
import { type FactCache, factCache } from '../files/fact-cache.ts';
import { converse, run } from '../process/run.ts';
import { phase } from '../process/trace.ts';
import { cachedReader } from './cached-objects.ts';
import { answersIn, objectReader, questions, type ReadObjects } from './objects.ts';
import { type Prefetched, prefetchedFor } from './prefetched.ts';

/** Agents give their hooks some 20 s; if git hangs, there has to be time left for an answer. */
const TIMEOUT_MS = 12_000;
/** For remotes, which only commands of people and builds talk to. */
const NETWORK_TIMEOUT_MS = 120_000;

export class GitError extends ExplainedError {
  override readonly code = 'GIT';

  constructor(args: readonly string[], detail: string) {
    super(`\`git ${args.slice(0, 2).join(' ')}\` failed: ${detail}`, { hint: hintFor(detail) });
  }
}

export interface Git {
  /** Absolute folder that git runs in. */
  readonly directory: string;
  /** The git directory that it was given; otherwise git looks for it from the folder up. */
  readonly gitDir: string | undefined;
  /** Stdout of a git command that has to succeed. @throws {GitError} */
  bytes(args: readonly string[], input?: string | Buffer): Promise<Buffer>;
  /** The same as text. @throws {GitError} */
  text(args: readonly string[], input?: string | Buffer): Promise<string>;
  /** Text, or `undefined` if git exits with one of `misses` (default 1): "there is none". */
  maybe(args: readonly string[], misses?: readonly number[]): Promise<string | undefined>;
  /**
   * Objects by names as git understands them, `undefined` where there is none; what is asked soon after
   * costs no further start of git. Without names git is only started. @throws {GitError}
   */
  readonly objects: ReadObjects;
  /** What was asked before the hook program has started; else git answers the same. */
  readonly prefetched: Prefetched | undefined;
  /** About objects of this repository. */
  readonly cache: FactCache | undefined;
  /** For a command whose failure has several meanings. @throws {GitError} if it cannot be run. */
  attempt(args: readonly string[], input?: string | Buffer): Promise<GitExit>;
}

export interface GitExit {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface GitOptions {
  /** Absolute git directory, where it is not the one that contains the directory. */
  readonly gitDir?: string;
  /** Absolute root of the working tree, whatever the repository's settings say. */
  readonly workTree?: string;
  /** For talking to remotes: keeps the variables that say how to reach them; a longer time limit. */
  readonly network?: boolean;
  /** Absolute path of an index to use in place of the working tree's own. */
  readonly indexFile?: string;
  /** For commands whose time grows with the repository; the default is short enough for a hook. */
  readonly timeoutMs?: number;
}

/**
 * Settings for background work: no hook of the repository runs, and objects are on the disk before
 * the ref that names them.
 */
export const UNATTENDED: readonly string[] =
  '-c core.hooksPath=/dev/null -c core.fsync=objects,reference -c core.fsyncMethod=batch'.split(
    ' ',
  );

/** @param directory absolute folder that git runs in. */
export function gitIn(directory: string, env: Environment, options: GitOptions = {}): Git {
  const environment = gitEnvironment(env, options);
  const usualMs = options.network === true ? NETWORK_TIMEOUT_MS : TIMEOUT_MS;
  const timeoutMs = options.timeoutMs ?? usualMs;

  async function start(args: readonly string[], input?: string | Buffer) {
    const done = phase('git');
    const known = input === undefined ? await prefetched?.answer(args) : undefined;
    if (known !== undefined) {
      done();
      return { exitCode: 0, stdout: known, stderr: '' };
    }
    const outcome = await run('git', [...SAFE_SETTINGS, ...args], {
      cwd: directory,
      env: environment,
      timeoutMs,
      ...(input === undefined ? {} : { input }),
    });
    done();
    if (outcome.kind === 'failed') throw new GitError(subcommand(args), outcome.why);
    return outcome;
  }

  const newReader = () =>
    objectReader({
      start: (listener) =>
        converse(
          'git',
          [...SAFE_SETTINGS, ...BATCH],
          { cwd: directory, env: environment },
          listener,
        ),
      timeoutMs,
      failure: (why) => new GitError(BATCH, reasonIn(why) || 'it ended too early'),
    });
  // What a supervisor has started has to be gone when its attempt has ended.
  const isMarked = env[STAGE_VARIABLE] !== undefined;
  const isOfEvent = !isMarked && Object.keys(options).length === 0;
  const prefetched = isOfEvent ? prefetchedIn(directory, env) : undefined;
  const cache = isOfEvent ? factCache(env, directory) : undefined;
  const objects = isMarked
    ? async (names: readonly string[]) =>
        answersIn(await bytes(BATCH, questions(names)), names.length)
    : isOfEvent
      ? sharedReader(env, directory, () => (cache ? cachedReader(newReader(), cache) : newReader()))
      : newReader();

  async function bytes(args: readonly string[], input?: string | Buffer): Promise<Buffer> {
    const { exitCode, stdout, stderr } = await start(args, input);
    if (exitCode !== 0) throw gitFailure(args, { exitCode, stderr });
    return stdout;
  }

  return {
    directory,
    gitDir: options.gitDir,
    bytes,
    prefetched,
    cache,
    objects,
    text: async (args, input) => (await bytes(args, input)).toString('utf8'),
    async maybe(args, misses = [1]) {
      const { exitCode, stdout, stderr } = await start(args);
      if (misses.includes(exitCode)) return undefined;
      if (exitCode !== 0) throw gitFailure(args, { exitCode, stderr });
      return stdout.toString('utf8');
    },
    async attempt(args, input) {
      const { exitCode, stdout, stderr } = await start(args, input);
      return { exitCode, stdout: stdout.toString('utf8'), stderr };
    },
  };
}

const BATCH = ['cat-file', '--batch'];

/** Those who look at one repository for one event share the process. */
const readers = new WeakMap<Environment, Map<string, ReadObjects>>();

function sharedReader(env: Environment, directory: string, make: () => ReadObjects): ReadObjects {
  const known = readers.get(env) ?? new Map<string, ReadObjects>();
  readers.set(env, known);
  const reader = known.get(directory) ?? make();
  known.set(directory, reader);
  return reader;
}

/** git of the script had the whole environment of the hook. */
function prefetchedIn(directory: string, env: Environment): Prefetched | undefined {
  const prefetched = prefetchedFor(env);
  if (prefetched?.directory !== directory || env[SETTINGS_VARIABLE]) return undefined;
  const isSame = (name: string) => !isDropped(name) || name in READING || UNUSED.test(name);
  return Object.keys(env).every(isSame) ? prefetched : undefined;
}

/** Agents set them; reading uses none of them. */
const UNUSED = /^GIT_(?:EDITOR|SEQUENCE_EDITOR|PAGER|ASKPASS|SSH|SSH_COMMAND)$/;

/** Settings that replace those of the repository: names and values, as JSON. lanehold alone sets it. */
export const SETTINGS_VARIABLE = 'LANEHOLD_GIT_SETTINGS';

/** A repository's configuration can name programs; reading a repository must not start them. */
export const SAFE_SETTINGS = ['-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false'];

/**
 * Drops the variables by which a caller redirects git to another repository, index or configuration.
 * Sets others: no lock for reading, no fetch of missing objects, no replaced objects and no grafted
 * history (a push sends the original one), no prompt.
 */
function gitEnvironment(env: Environment, options: GitOptions): Environment {
  const { gitDir, workTree, indexFile, network = false } = options;
  const isKept = (name: string) => !isDropped(name) || (network && TRANSPORT.test(name));
  const kept = Object.entries(env).filter(([name]) => isKept(name));
  return {
    ...Object.fromEntries(kept),
    ...(gitDir === undefined ? {} : { GIT_DIR: gitDir }),
    ...(workTree === undefined ? {} : { GIT_WORK_TREE: workTree }),
    ...(indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }),
    ...settingsIn(env),
    ...READING,
    ...(network ? { GIT_NO_LAZY_FETCH: undefined } : {}),
  };
}

/** For a git that only reads what is there. */
export const READING: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: devNull,
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
};

const isDropped = (name: string): boolean => name.startsWith('GIT_') && !KEPT.has(name);

function settingsIn({ [SETTINGS_VARIABLE]: text }: Environment): Environment {
  if (!text) return {};
  const settings = JSON.parse(text) as [string, string][];
  const each = settings.flatMap(([name, value], n) => [
    [`GIT_CONFIG_KEY_${n}`, name],
    [`GIT_CONFIG_VALUE_${n}`, value],
  ]);
  return { ...Object.fromEntries(each), GIT_CONFIG_COUNT: `${settings.length}` };
}

const KEPT: ReadonlySet<string> = new Set([
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_EXEC_PATH',
  'GIT_CEILING_DIRECTORIES',
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
]);

/** How git reaches a remote, and which program answers its questions. */
const TRANSPORT = /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|PROXY_COMMAND|SSL_\w+|HTTP_\w+)$/;

/** The error for an exit code of `attempt` that the caller has no meaning for. */
export function gitFailure(
  args: readonly string[],
  { exitCode, stderr }: Pick<GitExit, 'exitCode' | 'stderr'>,
): GitError {
  return new GitError(subcommand(args), reasonIn(stderr) || `exit code ${exitCode}`);
}

/** Without the settings in front of it. */
function subcommand(args: readonly string[]): readonly string[] {
  let at = 0;
  while (args[at] === '-c') at += 2;
  return args.slice(at);
}

/** The first line that says why; advice and warnings may stand before it. */
function reasonIn(stderr: string): string {
  const lines = stderr.split('\n');
  const line =
    lines.find((it) => /^(fatal|error): /.test(it)) ?? lines.find((it) => !it.startsWith('hint: '));
  return (line ?? '').replace(/^(fatal|error): /, '').trim();
}

function hintFor(detail: string): string {
  if (detail === 'not found') return 'install git and make sure it is on PATH';
  if (detail.includes('dubious ownership')) {
    return 'the repository belongs to another user; see `git help config`, safe.directory';
  }
  return 'run the same command by hand to see what git needs';
}
