/** Starts git, and says how it ended: `hook-git.ts` and `git-in.ts` have the limits and settings. */
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
  type Transfer,
} from './git.ts';
import { objectsBy } from './objects.ts';

interface SmallGitWish {
  readonly directory: string;
  readonly env: Environment;
  readonly options: GitOptions;
  /** Settings for each command, as `name=value`. */
  readonly config: readonly string[];
  readonly timeoutMs: number;
  /** The time limit is for the time without output. */
  readonly maySpeakOn?: boolean;
  readonly make: GitMaker;
}

export function smallGit(wish: SmallGitWish): Git {
  const { directory, env, options, config, timeoutMs, maySpeakOn, make } = wish;
  const { signal, progress } = options;
  const settings = asOptions(config);
  const place = { cwd: directory, env: gitEnvironment(env, options) };
  const onStderr = progress && ((text: string) => tellProgress(text, progress));

  async function start(args: readonly string[], input?: string | Buffer) {
    const [command = '', ...rest] = args;
    const shown = progress && /^(?:fetch|push)$/.test(command) ? ['--progress'] : [];
    const limits = { timeoutMs, maySpeakOn, signal, onStderr };
    const words = [...settings, command, ...shown, ...rest];
    const outcome = await run('git', words, { ...place, ...limits, input });
    if (outcome.kind !== 'failed') return outcome;
    signal?.throwIfAborted();
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

/** `Receiving objects:  45% (9/20)` */
function tellProgress(text: string, progress: NonNullable<Transfer['progress']>): void {
  const [, stage, percent] = [...text.matchAll(/(\w+) objects: +(\d+)%/g)].at(-1) ?? [];
  if (stage) progress({ stage: stage.toLowerCase(), progress: Number(percent) });
}
