/** Ways in which a database file goes wrong, each as a change of its bytes. */
const PAGE = 4096;

export const DAMAGE: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  'text in its place': () => Buffer.from('this is no database\n'.repeat(500)),
  'a header of garbage': (bytes) => Buffer.concat([Buffer.alloc(100, 0xa5), bytes.subarray(100)]),
  'its first page gone': (bytes) => Buffer.concat([Buffer.alloc(PAGE), bytes.subarray(PAGE)]),
  'cut to its header': (bytes) => bytes.subarray(0, 100),
  'cut to its first page': (bytes) => bytes.subarray(0, PAGE),
  'cut in the middle of a page': (bytes) => bytes.subarray(0, PAGE * 2 + 1234),
  'all pages but the first flipped': (bytes) =>
    Buffer.concat([bytes.subarray(0, PAGE), bytes.subarray(PAGE).map((byte) => ~byte & 0xff)]),
  'a first page whose schema is flipped': (bytes) =>
    Buffer.concat([
      bytes.subarray(0, 100),
      bytes.subarray(100, PAGE).map((byte) => ~byte & 0xff),
      bytes.subarray(PAGE),
    ]),
};
