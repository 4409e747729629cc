/**
 * SHA-256 as 64 hex digits. Short texts are digested here: to load `node:crypto` takes a hook longer than
 * everything else that it does with them.
 */

/** What a process digests here; then the module's speed is worth its loading. */
const MOST_BYTES = 64 * 1024;
let digested = 0;

export function sha256(content: string | Buffer): string {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  digested += bytes.length;
  if (digested <= MOST_BYTES) return digestOf(bytes);
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex');
}

/**
 * @see https://csrc.nist.gov/pubs/fips/180-4/upd1/final
 */
export function digestOf(bytes: Buffer): string {
  const { constants, initial } = tables();
  const state = Int32Array.from(initial);
  const schedule = new Int32Array(64);
  const padded = paddedTo64(bytes);
  for (let at = 0; at < padded.length; at += 64) {
    for (let word = 0; word < 16; word += 1) schedule[word] = padded.readInt32BE(at + word * 4);
    compress(state, schedule, constants);
  }
  const digest = Buffer.alloc(32);
  for (const [word, value] of state.entries()) digest.writeInt32BE(value, word * 4);
  return digest.toString('hex');
}

/** A one bit, zeros, and the length in bits, up to a multiple of 64 bytes. */
function paddedTo64(bytes: Buffer): Buffer {
  const padded = Buffer.alloc(Math.ceil((bytes.length + 9) / 64) * 64);
  bytes.copy(padded);
  padded[bytes.length] = 0x80;
  padded.writeBigUInt64BE(BigInt(bytes.length) * 8n, padded.length - 8);
  return padded;
}

function compress(state: Int32Array, w: Int32Array, constants: Int32Array): void {
  for (let i = 16; i < 64; i += 1) {
    const x = w[i - 15] as number;
    const y = w[i - 2] as number;
    const s0 = rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3);
    const s1 = rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10);
    w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i += 1) {
    const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const choice = (e & f) ^ (~e & g);
    const t1 = (h + s1 + choice + (constants[i] as number) + (w[i] as number)) | 0;
    const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + s0 + majority) | 0;
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) {
    state[i] = ((state[i] as number) + value) | 0;
  }
}

const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

let known: { constants: Int32Array; initial: Int32Array } | undefined;

/** The first 32 bits behind the point of the cube roots and the square roots of the first primes. */
function tables() {
  known ??= {
    constants: Int32Array.from(firstPrimes(64), (prime) => fraction(Math.cbrt(prime))),
    initial: Int32Array.from(firstPrimes(8), (prime) => fraction(Math.sqrt(prime))),
  };
  return known;
}

const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0;

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let it = 2; primes.length < count; it += 1) {
    if (primes.every((prime) => it % prime !== 0)) primes.push(it);
  }
  return primes;
}
