/**
 * How the project runs git: the interface, the environment in which every git starts, and the texts
 * of failures. `small-git.ts` makes one for hooks, `git-in.ts` one for everything else.
 */
import { devNull } from 'node:os';
import { ExplainedError } from '../errors.ts';

export class GitError extends ExplainedError {
  override readonly code = 'GIT';

  constructor(args: readonly string[], detail: string) {
    const start = args.findIndex((it, at) => at % 2 === 0 && it !== '-c');
    super(`\`git ${args.slice(start).slice(0, 2).join(' ')}\` failed: ${detail}`, {
      hint: hintFor(detail),
    });
  }
}

export interface Git {
  /** Absolute folder that git runs in. */
  readonly directory: string;
  /** The given git directory; by default git looks for it from the folder up. */
  readonly gitDir: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** A git for another folder, or with other options, that is started in the same way. */
  at(directory: string, options?: GitOptions): Git;
  /** Stdout of a git command that has to succeed. @throws {GitError} */
  bytes(args: readonly string[], input?: string | Buffer): Promise<Buffer>;
  /** The same output as text. @throws {GitError} */
  text(args: readonly string[], input?: string | Buffer): Promise<string>;
  /** Text, or `undefined` if git exits with one of `misses` (default 1): "there is none". */
  maybe(args: readonly string[], misses?: readonly number[]): Promise<string | undefined>;
  /** Objects by names as git understands them, `undefined` for a missing one. @throws {GitError} */
  objects(names: readonly string[]): Promise<(GitObject | undefined)[]>;
  /** Runs a command whose failure has several meanings. @throws {GitError} if it cannot be run. */
  attempt(args: readonly string[], input?: string | Buffer): Promise<GitExit>;
}

export interface GitObject {
  readonly oid: string;
  readonly type: string;
  readonly content: Buffer;
}

/** @param directory absolute folder that git runs in. */
export type GitMaker = (directory: string, env: NodeJS.ProcessEnv, options?: GitOptions) => Git;

export interface GitExit {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface GitOptions extends Transfer {
  /** The absolute git directory, if it is not the one that contains the directory. */
  readonly gitDir?: string;
  /** Absolute root of the working tree, whatever the repository's settings say. */
  readonly workTree?: string;
  /** The command uses remotes: the variables that say how to reach them are kept. */
  readonly network?: boolean;
  /** Absolute path of an index to use in place of the working tree's own. */
  readonly indexFile?: string;
  /** Allows commands that print nothing for long, such as the checkout of a large tree. */
  readonly timeoutMs?: number;
  /** Hooks follow the settings of the repository and the user: for questions about them. */
  readonly ownHooks?: boolean;
}

/** What the caller of a fetch or a push can pass. */
export interface Transfer {
  readonly signal?: AbortSignal;
  /** Called with the progress: the stage in git's words, such as `receiving`, and percent. */
  readonly progress?: (done: { readonly stage: string; readonly progress: number }) => void;
}

/** A `Git` that runs its commands with the given means. */
export function gitBy(means: Omit<Git, 'text' | 'maybe'>): Git {
  return {
    ...means,
    async text(args, input) {
      const exit = await means.attempt(args, input);
      if (exit.exitCode !== 0) throw gitFailure(args, exit);
      return exit.stdout;
    },
    async maybe(args, misses = [1]) {
      const exit = await means.attempt(args);
      if (misses.includes(exit.exitCode)) return undefined;
      if (exit.exitCode !== 0) throw gitFailure(args, exit);
      return exit.stdout;
    },
  };
}

/** Settings that replace those of the repository: names and values, as JSON. Only lanehold sets it. */
export const SETTINGS_VARIABLE = 'LANEHOLD_GIT_SETTINGS';

/**
 * A repository's configuration can name programs, and reading a repository must not start them. Nor
 * may git take a changed file for unchanged because its times were set.
 */
export const SAFE_CONFIG: readonly string[] = [
  ...['core.fsmonitor=false', 'core.quotePath=false'],
  ...['core.trustctime=true', 'core.checkStat=default'],
];

/** @param config `name=value`. */
export function asOptions(config: readonly string[]): string[] {
  return config.flatMap((it) => ['-c', it]);
}

/**
 * Drops the variables by which a caller redirects git to another repository, index or configuration.
 * Sets others: no lock for reading, no fetch of missing objects, no replaced objects and no grafted
 * history (a push sends the original one), no prompt.
 */
export function gitEnvironment(env: NodeJS.ProcessEnv, options: GitOptions): NodeJS.ProcessEnv {
  const { gitDir, workTree, indexFile, network = false } = options;
  const isKept = (name: string) =>
    !name.startsWith('GIT_') || KEPT.test(name) || (network && TRANSPORT.test(name));
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

/** The settings of a git that only reads. */
const READING: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: devNull,
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
};

function settingsIn({ [SETTINGS_VARIABLE]: text }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (!text) return {};
  const settings = JSON.parse(text) as [string, string][];
  const each = settings.flatMap(([name, value], n) => [
    [`GIT_CONFIG_KEY_${n}`, name],
    [`GIT_CONFIG_VALUE_${n}`, value],
  ]);
  return { ...Object.fromEntries(each), GIT_CONFIG_COUNT: `${settings.length}` };
}

const KEPT =
  /^GIT_(?:CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH|CEILING_DIRECTORIES|(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL))$/;

/** How git reaches a remote, and which program answers its questions. */
const TRANSPORT = /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|PROXY_COMMAND|SSL_\w+|HTTP_\w+)$/;

/** The error for an exit code of `attempt` that has no meaning for the caller. */
export function gitFailure(
  args: readonly string[],
  { exitCode, stderr }: Pick<GitExit, 'exitCode' | 'stderr'>,
): GitError {
  return new GitError(args, reasonIn(stderr) || `exit code ${exitCode}`);
}

/** The first line that gives the reason; advice and warnings may come before it. */
export function reasonIn(stderr: string): string {
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
