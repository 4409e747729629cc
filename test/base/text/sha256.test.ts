import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf, sha256 } from '../../../src/base/text/sha256.ts';

const reference = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex');

test('is what node:crypto says of it, for every length around a block', () => {
  for (let length = 0; length <= 200; length += 1) {
    const bytes = Buffer.alloc(length, 'añ');
    expect(digestOf(bytes)).toBe(reference(bytes));
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), (bytes) => {
      expect(digestOf(Buffer.from(bytes))).toBe(reference(Buffer.from(bytes)));
    }),
  );
});

test('takes texts as UTF-8, and long ones', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(sha256(text)).toBe(reference(text));
    }),
  );
  const long = 'ö'.repeat(1_000_000);
  expect(sha256(long)).toBe(reference(long));
});
