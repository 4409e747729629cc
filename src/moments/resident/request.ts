/**
 * The request of a hook: fields with a NUL before each. They are the event's id, the pid of the hook's parent, its
 * folder, the number of bytes of the input, the number of arguments, each argument, each variable of the environment,
 * an empty one and the input.
 */

export interface Request {
  readonly id: string;
  readonly parent: number;
  readonly folder: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly input: Buffer;
}

/** Larger than any payload of an agent. */
const MOST_BYTES = 300 * 1024 * 1024;

/** A function that takes the pieces of a request, and returns it with the last one. */
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

/** @returns the number of bytes that it needs at least, if it is incomplete. */
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
  if (args === undefined) return more;
  const env: Record<string, string> = {};
  for (;;) {
    const [variable] = fields(1)?.map(String) ?? [];
    if (variable === undefined) return more;
    if (variable === '') break;
    const at = variable.indexOf('=', 1);
    // As in Node's own environment, bytes that are no UTF-8 become U+FFFD.
    if (at > 0) env[variable.slice(0, at)] = variable.slice(at + 1);
  }
  const end = start + Number(length);
  if (bytes.length > end) return 'invalid';
  if (bytes.length < end) return end;
  return { id, parent: Number(parent), folder, args, env, input: bytes.subarray(start) };
}

const NUMBER = /^\d{1,10}$/;
