/**
 * Objects by name, through one `git cat-file` that stays open while there are questions: a start of git
 * takes longer than most of its answers.
 */
import type { Conversation, Listener } from '../process/run.ts';

export interface GitObject {
  readonly oid: string;
  readonly type: string;
  readonly content: Buffer;
}

export type ReadObjects = (names: readonly string[]) => Promise<(GitObject | undefined)[]>;

interface Source {
  start(listener: Listener): Conversation;
  /** The time limit of one answer. */
  readonly timeoutMs: number;
  failure(why: string): Error;
}

interface Question {
  readonly names: number;
  readonly found: (GitObject | undefined)[];
  resolve(found: (GitObject | undefined)[]): void;
  reject(error: Error): void;
  readonly timer: NodeJS.Timeout;
}

/** After this long without a question the process ends. */
const IDLE_MS = 50;
const MOST_BYTES = 256 * 1024 * 1024;
const NEW_LINE = 0x0a;

/** `<oid> <type> <size>`, a new line, the content and a new line; or `<name> missing` and a new line. */
export function answerAt(all: Buffer, at: number): { next: number; object?: GitObject } {
  const end = all.indexOf(NEW_LINE, at);
  if (end === -1) return { next: all.length + 1 };
  const header = all.toString('utf8', at, end);
  const [, oid, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(header) ?? [];
  if (oid === undefined || type === undefined) return { next: end + 1 };
  const next = end + Number(size) + 2;
  return { next, object: { oid, type, content: all.subarray(end + 1, next - 1) } };
}

export function answersIn(output: Buffer, names: number): (GitObject | undefined)[] {
  let at = 0;
  return Array.from({ length: names }, () => {
    const { next, object } = answerAt(output, at);
    at = next;
    return object;
  });
}

export const questions = (names: readonly string[]): string =>
  names.map((it) => `${it}\n`).join('');

/** Names that git does not know are `undefined` in the answer. @throws what `failure` makes, if git ends. */
export function objectReader(source: Source): ReadObjects {
  let git: ReturnType<typeof startReader> | undefined;
  return (names) => {
    // A line is a name.
    if (names.some((name) => name.includes('\n')))
      return Promise.reject(source.failure('the name of a file has a line break'));
    git = git?.isOpen() ? git : startReader(source);
    return git.ask(names);
  };
}

/** One git, from its start until it was idle, or has failed. */
function startReader({ start, timeoutMs, failure }: Source) {
  let isOpen = true;
  const waiting: Question[] = [];
  let chunks: Buffer[] = [];
  let bytes = 0;
  /** Fewer bytes cannot be a whole answer. */
  let wanted = 0;
  let idle: NodeJS.Timeout | undefined;
  const git = start({
    onOutput(output) {
      chunks.push(output);
      bytes += output.length;
      if (bytes >= wanted) readAnswers(Buffer.concat(chunks));
    },
    onEnd: fail,
  });

  function fail(why: string): void {
    isOpen = false;
    for (const { reject, timer } of waiting.splice(0)) {
      clearTimeout(timer);
      reject(failure(why));
    }
  }

  function stop(why: string): void {
    git.kill();
    fail(why);
  }

  function readAnswers(all: Buffer): void {
    let at = 0;
    for (;;) {
      const { next, object } = answerAt(all, at);
      wanted = next - at;
      if (next > all.length) break;
      answer(object);
      at = next;
    }
    chunks = [all.subarray(at)];
    bytes = all.length - at;
    if (wanted > MOST_BYTES) stop(`an object has more than ${MOST_BYTES} bytes`);
  }

  function answer(object?: GitObject): void {
    const [first] = waiting;
    if (first === undefined) return;
    first.found.push(object);
    if (first.found.length < first.names) return;
    waiting.shift();
    clearTimeout(first.timer);
    first.resolve(first.found);
    if (waiting.length === 0) closeWhenIdle();
  }

  function closeWhenIdle(): void {
    idle = setTimeout(() => {
      isOpen = false;
      git.end();
    }, IDLE_MS).unref();
  }

  return {
    isOpen: () => isOpen,
    ask(names: readonly string[]): Promise<(GitObject | undefined)[]> {
      clearTimeout(idle);
      if (names.length === 0) {
        if (waiting.length === 0) closeWhenIdle();
        return Promise.resolve([]);
      }
      const { promise, resolve, reject } = Promise.withResolvers<(GitObject | undefined)[]>();
      const timer = setTimeout(() => stop(`timed out after ${timeoutMs / 1000} s`), timeoutMs);
      waiting.push({ names: names.length, found: [], resolve, reject, timer });
      git.ask(questions(names));
      return promise;
    },
  };
}
