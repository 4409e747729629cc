import { expect, test } from 'vitest';
import { removeKey, setValue } from '../../../src/base/text/json-text.ts';

test('makes the objects on the way that are missing', () => {
  expect(setValue('{}', ['a', 'b', 'c'], 1)).toBe(
    '{\n  "a": {\n    "b": {\n      "c": 1\n    }\n  }\n}',
  );
});

test('replaces a value and nothing around it', () => {
  const text = '{ "a":1 ,"b" : [ 1,2 ] }';
  expect(setValue(text, ['b'], { c: [] })).toBe('{ "a":1 ,"b" : {\n  "c": []\n} }');
  expect(setValue(text, ['a'], 'x')).toBe('{ "a":"x" ,"b" : [ 1,2 ] }');
});

test('opens a list that does not fit on a line, or holds objects', () => {
  const long = Array.from({ length: 3 }, (_, index) => `${index}`.repeat(30));
  expect(setValue('{}', ['a'], long)).toBe(
    `{\n  "a": [\n    "${long[0]}",\n    "${long[1]}",\n    "${long[2]}"\n  ]\n}`,
  );
  expect(setValue('{"a": 1}', ['a'], [{ b: 1 }])).toBe('{"a": [\n  {\n    "b": 1\n  }\n]}');
});

test('takes a comma with the key that goes', () => {
  const text = '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n';
  expect(removeKey(text, ['a'])).toBe('{\n  "b": 2,\n  "c": 3\n}\n');
  expect(removeKey(text, ['b'])).toBe('{\n  "a": 1,\n  "c": 3\n}\n');
  expect(removeKey(text, ['c'])).toBe('{\n  "a": 1,\n  "b": 2\n}\n');
  expect(removeKey('{"a": 1}', ['a'])).toBe('{}');
  expect(removeKey(text, ['d'])).toBe(text);
  expect(removeKey(text, ['a', 'b'])).toBe(text);
});
