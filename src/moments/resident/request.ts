/**
 * What a hook sends: fields that each end with NUL. They are the event's id, the pid of the hook's
 * parent, its folder, the number of arguments, each argument, the text of `export -p`, the input and `.`.
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

const END = '.';

/** Returns a function that is given one piece after another, and returns the request with the last. */
export function requestReader(): (piece: Buffer) => Request | 'incomplete' | 'invalid' {
  let pieces: Buffer[] = [];
  let bytes = 0;
  return (piece) => {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > MOST_BYTES) return 'invalid';
    if (piece.at(-1) !== 0) return 'incomplete';
    pieces = [Buffer.concat(pieces)];
    return requestOf(fieldsOf(pieces[0] ?? piece));
  };
}

function fieldsOf(bytes: Buffer): Buffer[] {
  const fields: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    fields.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return fields;
}

function requestOf(fields: readonly Buffer[]): Request | 'incomplete' | 'invalid' {
  const [id, parent, folder, count, ...rest] = fields;
  if (count === undefined) return 'incomplete';
  if (!/^\d{1,3}$/.test(`${count}`) || !/^\d{1,10}$/.test(`${parent}`)) return 'invalid';
  const args = rest.slice(0, Number(`${count}`));
  const [exported, input, end, ...more] = rest.slice(args.length);
  if (end === undefined) return 'incomplete';
  const env = environmentOf(exported?.toString('latin1') ?? '');
  if (`${end}` !== END || more.length > 0 || env === undefined) return 'invalid';
  return {
    id: `${id}`,
    parent: Number(`${parent}`),
    folder: `${folder}`,
    args: args.map(String),
    env,
    input: input ?? Buffer.alloc(0),
  };
}

/**
 * One variable as bash prints it: `declare -x A="b"`, `export A="b"` in its POSIX mode, `A=$'b\n'` if a
 * byte is not printable, and no value if it is marked for export and not set.
 */
const VARIABLE =
  /(?:declare -[A-Za-z]+|export) (\w+)(?:="([^"\\]*(?:\\[\s\S][^"\\]*)*)"|=\$'([^'\\]*(?:\\[\s\S][^'\\]*)*)')?(?:\n|$)/gy;

/** @param text a character for each byte. @returns `undefined` if it cannot be understood. */
function environmentOf(text: string): Environment | undefined {
  const variables: [string, string][] = [];
  let end = 0;
  for (const [all, name = '', quoted, escaped] of text.matchAll(VARIABLE)) {
    end += all.length;
    const value = quoted?.replaceAll(/\\([\s\S])/g, '$1') ?? unescaped(escaped);
    // As Node reads its own environment: what is no UTF-8 becomes U+FFFD.
    if (value !== undefined) variables.push([name, Buffer.from(value, 'latin1').toString('utf8')]);
  }
  return end === text.length ? Object.fromEntries(variables) : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};

const unescaped = (text: string | undefined): string | undefined =>
  text?.replaceAll(/\\([0-7]{1,3}|[\s\S])/g, (_, it: string) =>
    /^[0-7]/.test(it) ? String.fromCharCode(Number.parseInt(it, 8) & 0xff) : (ESCAPES[it] ?? it),
  );
