/**
 * What the script that starts the hook has asked git for already, while Node starts
 * (`src/install/quick-answer.ts`): in the folder of the hook, each answer to one file.
 */
import { openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Environment } from '../environment.ts';
import { attempt } from '../errors.ts';
import { cacheFolder, isPrivateFile } from '../files/cache-file.ts';

/** Names the file. It is not for the programs that are started from the hook. */
export const BEGUN_VARIABLE = 'LANEHOLD_BEGUN';

export const LIST_SETTINGS: readonly string[] = ['config', '--list', '-z'];

/** Followed by the pid of the hook. */
export const BEGUN_NAME = 'begun.';

/** Of the whole working tree; settings could leave some of it out. */
export const WHOLE_STATUS: readonly string[] = [
  ...['--literal-pathspecs', 'status', '--porcelain=v2', '--branch', '--no-ahead-behind', '-z'],
  ...['--no-renames', '--untracked-files=all', '--ignore-submodules=none'],
];

/** In this order. No record of an answer is empty: after each come an empty one and git's exit code. */
export const BEGUN: readonly (readonly string[])[] = [LIST_SETTINGS, WHOLE_STATUS];

/** Since Node's start; a file that is unfinished then, as on a full disk, is not waited for. */
const LONGEST_WAIT_S = 2;

export interface Begun {
  /** Absolute folder in which git was asked. */
  readonly directory: string;
  /** What git printed; `undefined` if it was not asked for that, or has failed. */
  answer(args: readonly string[]): Promise<Buffer | undefined>;
}

/** By the environment that an event hands to all that looks at its repository. */
const known = new WeakMap<Environment, Begun>();

export const begunFor = (env: Environment): Begun | undefined => known.get(env);

/** The file is gone afterwards. */
export function takeBegun(env: NodeJS.ProcessEnv, directory: () => string): void {
  const file = env[BEGUN_VARIABLE];
  delete env[BEGUN_VARIABLE];
  if (!file || dirname(resolve(file)) !== cacheFolder(env)) return;
  attempt(() => {
    if (!isPrivateFile(file)) return;
    const descriptor = openSync(file, 'r');
    rmSync(file);
    known.set(env, begunIn(descriptor, directory()));
  });
}

const KEPT_MS = 86_400_000;

/** Of hooks that were ended before they took them. */
export function dropLeftBegun(env: Environment, now: Date): void {
  const folder = cacheFolder(env);
  if (folder === undefined) return;
  for (const name of attempt(() => readdirSync(folder)) ?? []) {
    const file = join(folder, name);
    const isLeft = name.startsWith(BEGUN_NAME) && now.getTime() - changedAt(file) > KEPT_MS;
    if (isLeft) rmSync(file, { force: true });
  }
}

const changedAt = (file: string): number =>
  statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;

function begunIn(descriptor: number, directory: string): Begun {
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
    while (answers.length < BEGUN.length) {
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
  BEGUN.findIndex((it) => it.length === args.length && it.every((word, at) => word === args[at]));
