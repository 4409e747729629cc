/**
 * Starts git with `node:child_process` alone: a hook has no time to load more. It also reads bytes
 * that are no UTF-8, which simple-git would damage.
 */
import { relative } from 'node:path';
import { boundedCache } from '../bounded-cache.ts';
import { run } from '../process/run.ts';
import {
  asOptions,
  type Git,
  GitError,
  type GitMaker,
  type GitOptions,
  gitBy,
  gitEnvironment,
  gitFailure,
  SAFE_CONFIG,
} from './git.ts';
import { objectsBy } from './objects.ts';
import { placeOfGit } from './project.ts';
import { isOid } from './tree-entry.ts';

interface SmallGitWish {
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly options: GitOptions;
  /** Settings for each command, as `name=value`. */
  readonly config: readonly string[];
  readonly timeoutMs: number;
  readonly make: GitMaker;
}

export function smallGit(wish: SmallGitWish): Git {
  const { directory, env, options, config, timeoutMs, make } = wish;
  const settings = asOptions(config);
  const place = { cwd: directory, env: gitEnvironment(env, options) };

  async function start(args: readonly string[], input?: string | Buffer) {
    const outcome = await run('git', [...settings, ...args], { ...place, timeoutMs, input });
    if (outcome.kind !== 'failed') return outcome;
    throw new GitError(args, outcome.why);
  }

  /** Equal for all working trees of a repository. */
  function placeKey(): string {
    const { identity, root } = placeOfGit({ directory, gitDir: options.gitDir });
    return `${identity}\0${relative(root, directory)}`;
  }

  async function bytes(args: readonly string[], input?: string | Buffer): Promise<Buffer> {
    const key = asksByIds(args, input) ? [placeKey(), ...args, input].join('\0') : undefined;
    const known = key === undefined ? undefined : knownAnswers.find(key);
    if (known !== undefined) return known;
    const { exitCode, stdout, stderr } = await start(args, input);
    if (exitCode !== 0) throw gitFailure(args, { exitCode, stderr });
    // A missing object may be fetched later.
    if (key !== undefined && !stdout.includes(' missing\n')) knownAnswers.keep(key, stdout);
    return stdout;
  }

  return gitBy({
    directory,
    gitDir: options.gitDir,
    env: place.env,
    at: (other, its) => make(other, env, its),
    bytes,
    objects: (names) => objectsBy({ directory, gitDir: options.gitDir }, bytes, names),
    async attempt(args, input) {
      const { exitCode, stdout, stderr } = await start(args, input);
      return { exitCode, stdout: stdout.toString('utf8'), stderr };
    },
  });
}

/** Agents give their hooks about 20 s; a git that hangs has to leave time for an answer. */
const HOOK_MS = 12_000;

/** git on the hook path. */
export const hookGit: GitMaker = (directory, env, options = {}) => {
  const { timeoutMs = HOOK_MS } = options;
  return smallGit({ directory, env, options, timeoutMs, config: SAFE_CONFIG, make: hookGit });
};

/** Git's answers about objects that are named by their ids. They never change, so the resident process asks once. */
const knownAnswers = boundedCache<Buffer>(32 * 1024 * 1024, ({ length }) => length);

const READS_OBJECTS: ReadonlySet<string> = new Set(['cat-file', 'diff-tree', 'ls-tree']);

/** Whether all objects are named by their whole ids, or by a path in one. */
function asksByIds(args: readonly string[], input: string | Buffer = ''): boolean {
  const [subcommand = '', ...rest] = args.filter((it) => it !== '--literal-pathspecs');
  if (!READS_OBJECTS.has(subcommand) || typeof input !== 'string') return false;
  const end = rest.indexOf('--');
  const named = (end < 0 ? rest : rest.slice(0, end)).filter((it) => !it.startsWith('-'));
  const asked = [...named, ...input.split('\n').filter(Boolean)];
  return asked.length > 0 && asked.every((it) => isOid(it.replace(/:.*$/s, '')));
}
