/** Tests inside of the files of what they test. */
import { expect, test } from 'vitest';
import { withInlineTests } from '../../../src/lanes/judge/inline-tests.ts';

const MODULE = `#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn adds() { assert_eq!(add(1, 2), 3, "{"); }
}`;
const rust = (code: string, tests: string) => `${code}\n\n${tests}\n\npub const LAST: u8 = b'}';\n`;
const BASE = rust('pub fn add(a: i64, b: i64) -> i64 { a + b } // {', MODULE);
const CODE = "pub fn add<'a>(a: i64, b: i64) -> i64 { a * b /* } */ }";

test('those of the base take the place of those that a lane has', async () => {
  const weak = MODULE.replace('3, "{"', 'add(1, 2)').replace('fn adds', 'fn adds_twice');
  const text = (await withInlineTests('src/lib.rs', BASE, rust(CODE, weak))) ?? '';
  expect(text).toContain(CODE);
  expect(text).toContain('LAST');
  expect(text.split(MODULE)).toHaveLength(2);
  expect(text).not.toContain('adds_twice');
});

test.each([
  ['gone', ''],
  ['in several items', '#[test]\nfn a() {}\n#[should_panic]\n#[tokio::test]\nasync fn b() { x() }'],
])('also where they are %s', async (_, own) => {
  const text = (await withInlineTests('src/lib.rs', BASE, rust(CODE, own))) ?? '';
  expect(text.split(MODULE)).toHaveLength(2);
  expect(text.replace(MODULE, '')).not.toMatch(/should_panic|fn [ab]\(/);
});

test('files with the tests of the base, or whose base has none, stay as they are', async () => {
  expect(await withInlineTests('src/lib.rs', BASE, rust(CODE, MODULE))).toBeUndefined();
  expect(await withInlineTests('src/lib.rs', 'fn a() {}', rust(CODE, MODULE))).toBeUndefined();
  expect(await withInlineTests('src/cart.py', 'def test(): pass', '')).toBeUndefined();
  expect(await withInlineTests('README.md', '>>> add(1, 2)', '')).toBeUndefined();
});

test('those of Vitest are in a condition', async () => {
  const tests = (value: number) => `if (import.meta.vitest) {
  const { expect, test } = import.meta.vitest;
  test('adds {', () => expect(add(1, /[/}]/.test('}') ? 2 : 0)).toBe(${value}));
}`;
  const lane = `export const add = (a, b) => a * b;\n${tests(2)}\n`;
  const text =
    (await withInlineTests('src/add.ts', `export const add = 1;\n${tests(3)}\n`, lane)) ?? '';
  expect(text).toContain('a * b');
  expect(text).toContain('toBe(3)');
  expect(text).not.toContain('toBe(2)');
});

test.each([
  ['src/lib.rs', `mod cart {\n${MODULE}\n}`, 'fn a() {}'],
  ['src/lib.rs', BASE, '}'],
  ['shop/cart.py', '"""\n>>> add(1, 2)\n3\n"""', '"""no examples"""'],
])('where they cannot be taken over, it is said: %s', async (path, base, lane) => {
  expect(await withInlineTests(path, base, lane)).toBe('unread');
});
