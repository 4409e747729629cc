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
  /** For one answer. */
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

/** All answers to that many names. */
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
export function objectReader({ start, timeoutMs, failure }: Source): ReadObjects {
  let talk: Conversation | undefined;
  let waiting: Question[] = [];
  let chunks: Buffer[] = [];
  let bytes = 0;
  /** Fewer cannot be a whole answer. */
  let wanted = 0;
  let idle: NodeJS.Timeout | undefined;

  function fail(why: string): void {
    const asked = waiting;
    forget();
    for (const { reject, timer } of asked) {
      clearTimeout(timer);
      reject(failure(why));
    }
  }

  function stop(why: string): void {
    talk?.kill();
    fail(why);
  }

  function forget(): void {
    talk = undefined;
    waiting = [];
    chunks = [];
    bytes = 0;
    wanted = 0;
  }

  function heard(output: Buffer): void {
    chunks.push(output);
    bytes += output.length;
    if (bytes < wanted) return;
    const all = Buffer.concat(chunks);
    const at = readAnswers(all);
    chunks = [all.subarray(at)];
    bytes = all.length - at;
  }

  /** @returns where the first answer begins that is not whole. */
  function readAnswers(all: Buffer): number {
    for (let at = 0; ; ) {
      const { next, object } = answerAt(all, at);
      wanted = next - at;
      if (next > all.length) {
        if (wanted > MOST_BYTES) stop(`an object has more than ${MOST_BYTES} bytes`);
        return at;
      }
      answer(object);
      at = next;
    }
  }

  function answer(object?: GitObject): void {
    const [first] = waiting;
    if (first === undefined) return;
    first.found.push(object);
    if (first.found.length < first.names) return;
    waiting.shift();
    clearTimeout(first.timer);
    first.resolve(first.found);
    if (waiting.length === 0) rest();
  }

  function rest(): void {
    idle = setTimeout(() => {
      talk?.end();
      forget();
    }, IDLE_MS).unref();
  }

  function started(): Conversation {
    const listener: Listener = {
      onOutput: (output) => {
        if (own === talk) heard(output);
      },
      onEnd: (why) => {
        if (own === talk) fail(why);
      },
    };
    const own = start(listener);
    return own;
  }

  return (names) => {
    // A line is a name.
    if (names.some((name) => name.includes('\n')))
      return Promise.reject(failure('the name of a file has a line break'));
    clearTimeout(idle);
    talk ??= started();
    if (names.length === 0) {
      if (waiting.length === 0) rest();
      return Promise.resolve([]);
    }
    const { promise, resolve, reject } = Promise.withResolvers<(GitObject | undefined)[]>();
    const timer = setTimeout(() => stop(`timed out after ${timeoutMs / 1000} s`), timeoutMs);
    waiting.push({ names: names.length, found: [], resolve, reject, timer });
    talk.ask(questions(names));
    return promise;
  };
}
