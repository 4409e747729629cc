/**
 * Answers of git that the script which starts the hook has fetched while Node was starting
 * (`src/install/quick-answer.ts`): in the working directory of the hook, all of them in one file.
 */
import { openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Environment } from '../environment.ts';
import { attempt } from '../errors.ts';
import { cacheFolder, isPrivateFile } from '../files/cache-file.ts';

/** Names the file. It is not for the programs that are started from the hook. */
export const PREFETCH_VARIABLE = 'LANEHOLD_PREFETCH';

export const LIST_SETTINGS: readonly string[] = ['config', '--list', '-z'];

/** Followed by the pid of the hook. */
export const PREFETCH_NAME = 'prefetch.';

/** Of the whole working tree; settings could leave some of it out. */
export const WHOLE_STATUS: readonly string[] = [
  ...['--literal-pathspecs', 'status', '--porcelain=v2', '--branch', '--no-ahead-behind', '-z'],
  ...['--no-renames', '--untracked-files=all', '--ignore-submodules=none'],
];

/** In this order. No record of an answer is empty: after each come an empty one and git's exit code. */
export const PREFETCHED: readonly (readonly string[])[] = [LIST_SETTINGS, WHOLE_STATUS];

/** Since Node's start; a file that is unfinished then, as on a full disk, is not waited for. */
const LONGEST_WAIT_S = 2;

export interface Prefetched {
  /** Absolute folder in which git was asked. */
  readonly directory: string;
  /** What git printed; `undefined` if it was not asked for that, or has failed. */
  answer(args: readonly string[]): Promise<Buffer | undefined>;
}

/** By the environment that an event hands to all that looks at its repository. */
const known = new WeakMap<Environment, Prefetched>();

export const prefetchedFor = (env: Environment): Prefetched | undefined => known.get(env);

/** The file is gone afterwards. */
export function takePrefetched(env: NodeJS.ProcessEnv, directory: () => string): void {
  const file = env[PREFETCH_VARIABLE];
  delete env[PREFETCH_VARIABLE];
  if (!file || dirname(resolve(file)) !== cacheFolder(env)) return;
  attempt(() => {
    if (!isPrivateFile(file)) return;
    const descriptor = openSync(file, 'r');
    rmSync(file);
    known.set(env, prefetchedIn(descriptor, directory()));
  });
}

const KEPT_MS = 86_400_000;

/** Of hooks that were ended before they took them. */
export function dropStalePrefetched(env: Environment, now: Date): void {
  const folder = cacheFolder(env);
  if (folder === undefined) return;
  for (const name of attempt(() => readdirSync(folder)) ?? []) {
    const file = join(folder, name);
    const isLeft = name.startsWith(PREFETCH_NAME) && now.getTime() - changedAt(file) > KEPT_MS;
    if (isLeft) rmSync(file, { force: true });
  }
}

const changedAt = (file: string): number =>
  statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;

function prefetchedIn(descriptor: number, directory: string): Prefetched {
  const answers: { readonly output: Buffer; readonly exitCode: string }[] = [];
  let rest: Buffer = Buffer.alloc(0);

  function readOn(): void {
    const parts = [rest];
    for (let bytes = 1; bytes > 0; ) {
      const part = Buffer.allocUnsafe(64 * 1024);
      bytes = readSync(descriptor, part);
      parts.push(part.subarray(0, bytes));
    }
    rest = Buffer.concat(parts);
    while (answers.length < PREFETCHED.length) {
      const end = rest[0] === 0 ? 0 : rest.indexOf('\0\0') + 1;
      const after = rest.indexOf(0, end + 1);
      if (rest[end] !== 0 || after === -1) return;
      const exitCode = rest.toString('latin1', end + 1, after);
      answers.push({ output: rest.subarray(0, end), exitCode });
      rest = rest.subarray(after + 1);
    }
  }

  async function answerAt(at: number) {
    for (;;) {
      if (answers.length <= at) readOn();
      if (answers[at] !== undefined || process.uptime() > LONGEST_WAIT_S) return answers[at];
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  return {
    directory,
    async answer(args) {
      const at = indexOf(args);
      const found = at === -1 ? undefined : await answerAt(at);
      return found?.exitCode === '0' ? found.output : undefined;
    },
  };
}

const indexOf = (args: readonly string[]): number =>
  PREFETCHED.findIndex(
    (it) => it.length === args.length && it.every((word, at) => word === args[at]),
  );
