/**
 * Starts git by `node:child_process` alone. The hook has no time to load more; and everywhere it reads
 * what simple-git would damage or never end: bytes that are no UTF-8, and the answers of a git that
 * stays open for the next question.
 */
import { type Environment, STAGE_VARIABLE } from '../environment.ts';
import { converse, run } from '../process/run.ts';
import {
  asOptions,
  GitError,
  type GitOptions,
  gitEnvironment,
  gitFailure,
  reasonIn,
} from './git.ts';
import { answersIn, objectReader, questions, type ReadObjects } from './objects.ts';

interface SmallGitWish {
  readonly directory: string;
  readonly env: Environment;
  readonly options: GitOptions;
  /** Settings for each command, as `name=value`. */
  readonly config: readonly string[];
  readonly timeoutMs: number;
}

const BATCH = ['cat-file', '--batch'];

export function smallGit({ directory, env, options, config, timeoutMs }: SmallGitWish) {
  const settings = asOptions(config);
  const place = { cwd: directory, env: gitEnvironment(env, options) };

  async function start(args: readonly string[], input?: string | Buffer) {
    const outcome = await run('git', [...settings, ...args], { ...place, timeoutMs, input });
    if (outcome.kind === 'failed') throw new GitError(args, outcome.why);
    return outcome;
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

  // What a supervisor has started has to be gone when its attempt has ended.
  if (env[STAGE_VARIABLE] !== undefined) {
    const objects: ReadObjects = async (names) =>
      answersIn(await bytes(BATCH, questions(names)), names.length);
    return { start, bytes, objects, env: place.env };
  }
  const isShared = Object.keys(options).length === 0;
  const objects = isShared ? shared(env, directory, newReader) : newReader();
  return { start, bytes, objects, env: place.env };
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
