/**
 * What a hook sends: fields with NUL before each. They are the event's id, the pid of the hook's parent, its folder,
 * the number of bytes of the input, the number of arguments, each argument, the environment and the input. The
 * environment is the number of variables and each of them, or the text of `export -p`.
 */
import type { Environment } from '../../base/environment.ts';

export interface Request {
  readonly id: string;
  readonly parent: number;
  readonly folder: string;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly input: Buffer;
}

/** Larger than any payload of an agent. */
const MOST_BYTES = 300 * 1024 * 1024;

/** Returns a function that is given one piece after another, and returns the request with the last. */
export function requestReader(): (piece: Buffer) => Request | 'incomplete' | 'invalid' {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let awaited = 0;
  return (piece) => {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > MOST_BYTES) return 'invalid';
    if (bytes < awaited) return 'incomplete';
    pieces = [Buffer.concat(pieces)];
    const read = requestIn(pieces[0] ?? piece);
    if (typeof read !== 'number') return read;
    awaited = read;
    return 'incomplete';
  };
}

/** @returns how many bytes it needs at least, if they are not all there. */
function requestIn(bytes: Buffer): Request | 'invalid' | number {
  let start = 1;
  const fields = (count: number): Buffer[] | undefined => {
    const found: Buffer[] = [];
    while (found.length < count) {
      const end = bytes.indexOf(0, start);
      if (end < 0) return undefined;
      found.push(bytes.subarray(start, end));
      start = end + 1;
    }
    return found;
  };
  const more = bytes.length + 1;
  const head = fields(5)?.map(String);
  if (head === undefined) return more;
  const [id = '', parent = '', folder = '', length = '', count = ''] = head;
  if (![parent, length, count].every((it) => NUMBER.test(it))) return 'invalid';
  const args = fields(Number(count))?.map(String);
  const [environment] = (args && fields(1)) ?? [];
  if (args === undefined || environment === undefined) return more;
  const isCount = NUMBER.test(environment.toString('latin1'));
  const variables = isCount ? fields(Number(environment)) : [];
  if (variables === undefined) return more;
  const env = isCount ? environmentOf(variables) : printedEnvironment(environment);
  const end = start + Number(length);
  if (env === undefined || bytes.length > end) return 'invalid';
  if (bytes.length < end) return end;
  return { id, parent: Number(parent), folder, args, env, input: bytes.subarray(start) };
}

const NUMBER = /^\d{1,10}$/;

/** As Node reads its own environment: what is no UTF-8 becomes U+FFFD. */
function environmentOf(variables: readonly Buffer[]): Environment {
  const pairs = variables.map(String).map((it) => [it, it.indexOf('=', 1)] as const);
  return Object.fromEntries(
    pairs.flatMap(([it, at]) => (at < 0 ? [] : [[it.slice(0, at), it.slice(at + 1)]])),
  );
}

/**
 * One variable as bash prints it: `declare -x A="b"`, `export A="b"` in its POSIX mode, `A=$'b\n'` if a
 * byte is not printable, and no value if it is marked for export and not set.
 */
const VARIABLE =
  /(?:declare -[A-Za-z]+|export) (\w+)(?:="([^"\\]*(?:\\[\s\S][^"\\]*)*)"|=\$'([^'\\]*(?:\\[\s\S][^'\\]*)*)')?(?:\n|$)/gy;

/** @returns `undefined` if it cannot be understood. */
function printedEnvironment(bytes: Buffer): Environment | undefined {
  const text = bytes.toString('latin1');
  const variables: Buffer[] = [];
  let end = 0;
  for (const [all, name = '', quoted, escaped] of text.matchAll(VARIABLE)) {
    end += all.length;
    const value = quoted?.replaceAll(/\\([\s\S])/g, '$1') ?? unescaped(escaped);
    if (value !== undefined) variables.push(Buffer.from(`${name}=${value}`, 'latin1'));
  }
  return end === text.length ? environmentOf(variables) : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};

const unescaped = (text: string | undefined): string | undefined =>
  text?.replaceAll(/\\([0-7]{1,3}|[\s\S])/g, (_, it: string) =>
    /^[0-7]/.test(it) ? String.fromCharCode(Number.parseInt(it, 8) & 0xff) : (ESCAPES[it] ?? it),
  );
