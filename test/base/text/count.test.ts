import { expect, test } from 'vitest';
import { enumerated, plural } from '../../../src/base/text/printable.ts';

test('plural', () => {
  expect([plural(0, 'file'), plural(1, 'file'), plural(2, 'file')]).toEqual([
    '0 files',
    '1 file',
    '2 files',
  ]);
});

test('enumerated says how many it leaves out', () => {
  expect(enumerated([], 2)).toBe('');
  expect(enumerated(['a', 'b'], 2)).toBe('a, b');
  expect(enumerated(['a', 'b\nc', 'd', 'e'], 2)).toBe('a, b\\nc and 2 more');
});
