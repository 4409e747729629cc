/**
 * Starts git by `node:child_process` alone. The hook has no time to load more; and everywhere it reads bytes that are no
 * UTF-8, which simple-git would damage.
 */
import type { Environment } from '../environment.ts';
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
} from './git.ts';
import { objectsBy } from './objects.ts';

interface SmallGitWish {
  readonly directory: string;
  readonly env: Environment;
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

  async function bytes(args: readonly string[], input?: string | Buffer): Promise<Buffer> {
    const { exitCode, stdout, stderr } = await start(args, input);
    if (exitCode !== 0) throw gitFailure(args, { exitCode, stderr });
    return stdout;
  }

  return gitBy({
    directory,
    gitDir: options.gitDir,
    env: place.env,
    at: (other, its) => make(other, env, its),
    bytes,
    objects: (names) => objectsBy(bytes, names),
    async attempt(args, input) {
      const { exitCode, stdout, stderr } = await start(args, input);
      return { exitCode, stdout: stdout.toString('utf8'), stderr };
    },
  });
}
