/** Starts git, and says how it ended: `hook-git.ts` and `git-in.ts` have the limits and settings. */
import { type Environment, STAGE_VARIABLE } from '../environment.ts';
import { converse, run } from '../process/run.ts';
import {
  asOptions,
  type Git,
  GitError,
  type GitMaker,
  type GitOptions,
  gitBy,
  gitEnvironment,
  gitFailure,
  reasonIn,
  type Transfer,
} from './git.ts';
import { answersIn, objectReader, questions, type ReadObjects } from './objects.ts';

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

const BATCH = ['cat-file', '--batch'];

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

  const newReader = () =>
    objectReader({
      start: (listener) => converse('git', [...settings, ...BATCH], place, listener),
      timeoutMs,
      failure: (why) => new GitError(BATCH, reasonIn(why) || 'it ended too early'),
    });

  function objectsReader(): ReadObjects {
    // What a supervisor has started has to be gone when its attempt has ended.
    if (env[STAGE_VARIABLE] !== undefined)
      return async (names) => answersIn(await bytes(BATCH, questions(names)), names.length);
    return Object.keys(options).length === 0 ? shared(env, directory, newReader) : newReader();
  }

  return gitBy({
    directory,
    gitDir: options.gitDir,
    env: place.env,
    config,
    at: (other, its) => make(other, env, its),
    bytes,
    objects: objectsReader(),
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

/** Those who look at one repository for one event share the process. */
const readers = new WeakMap<Environment, Map<string, ReadObjects>>();

function shared(env: Environment, directory: string, make: () => ReadObjects): ReadObjects {
  const known = readers.get(env) ?? new Map<string, ReadObjects>();
  readers.set(env, known);
  const reader = known.get(directory) ?? make();
  known.set(directory, reader);
  return reader;
}
