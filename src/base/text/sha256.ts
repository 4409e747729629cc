/**
 * SHA-256 as 64 hex digits. Short texts are digested here: to load `node:crypto` takes a hook longer than
 * everything else that it does with them.
 */

/** What a process digests here; then the module's speed is worth its loading. */
const MOST_BYTES = 32 * 1024;
let digested = 0;

export function sha256(content: string | Buffer): string {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  digested += bytes.length;
  if (digested <= MOST_BYTES) return digestOf(bytes);
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(bytes).digest('hex');
}

/** @see https://csrc.nist.gov/pubs/fips/180-4/upd1/final */
export function digestOf(bytes: Buffer): string {
  known ??= tables();
  const { constants, initial } = known;
  const state = Int32Array.from(initial);
  const schedule = new Int32Array(64);
  const padded = paddedTo64(bytes);
  for (let at = 0; at < padded.length; at += 4) {
    const word = (at % 64) / 4;
    schedule[word] = wordAt(padded, at);
    if (word === 15) compress(state, schedule, constants);
  }
  const digest = Buffer.alloc(32);
  for (let word = 0; word < 8; word += 1) digest.writeInt32BE(state[word] as number, word * 4);
  return digest.toString('hex');
}

/** Most significant byte first. A method of the buffer would take longer than all the rest. */
function wordAt(bytes: Buffer, at: number): number {
  const upper = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
  return (upper << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number);
}

/** A one bit, zeros, and the length in bits, up to a multiple of 64 bytes. */
function paddedTo64(bytes: Buffer): Buffer {
  const padded = Buffer.alloc(Math.ceil((bytes.length + 9) / 64) * 64);
  bytes.copy(padded);
  padded[bytes.length] = 0x80;
  padded.writeBigUInt64BE(BigInt(bytes.length) * 8n, padded.length - 8);
  return padded;
}

/** Rotations are written out: a call for each would take most of the time, because nothing is optimised yet. */
function compress(state: Int32Array, w: Int32Array, constants: Int32Array): void {
  for (let i = 16; i < 64; i += 1) {
    const x = w[i - 15] as number;
    const y = w[i - 2] as number;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t = (h + s1 + ((e & f) ^ (~e & g)) + (constants[i] as number) + (w[i] as number)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + t) | 0;
    d = c;
    c = b;
    b = a;
    a = (t + s0 + majority) | 0;
  }
  const values = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < 8; i += 1) state[i] = ((state[i] as number) + (values[i] as number)) | 0;
}

let known: ReturnType<typeof tables> | undefined;

/** The first 32 bits behind the point of the cube roots and the square roots of the first primes. */
const tables = () => ({
  constants: Int32Array.from(firstPrimes(64), (prime) => fraction(Math.cbrt(prime))),
  initial: Int32Array.from(firstPrimes(8), (prime) => fraction(Math.sqrt(prime))),
});

const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0;

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let it = 2; primes.length < count; it += 1) {
    if (primes.every((prime) => it % prime !== 0)) primes.push(it);
  }
  return primes;
}
