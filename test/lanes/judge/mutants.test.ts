// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the texts of files
/** Small changes of source lines. */
import { describe, expect, test } from 'vitest';
import { mutantsOf } from '../../../src/lanes/judge/mutants.ts';

const changesOf = async (path: string, after: string, before = '', most = 100) =>
  (await mutantsOf([{ path, before, after }], most)).map(({ what }) =>
    what.replace(`${path}:`, ''),
  );

describe.each([
  [
    'cart.js',
    `// a < b && true
const isBig = (it) => it.count >= 10 && !it.sold;
  return total === 0.5 ? "1 + 1" : price * 2;
  items.push(\`a < \${b}\`);
const at = /a < 1/.test(text) || false;
import { b } from './b2.js';
console.log(1);`,
    [
      ...['2: > for >=', '2: || for &&', '2: 11 for 10', '2: without !'],
      ...[
        '3: !== for ===',
        '3: / for *',
        '3: 3 for 2',
        '3: undefined for total === 0.5 ? "1 + 1" : price * 2',
      ],
      ...['4: without items.push(`a < ${b}`)', '5: && for ||', '5: true for false'],
    ],
  ],
  [
    'cart.py',
    `"""a < b"""
if a <= 3 and not done:  # 1 + 1
    return total + 'x < 1'
    items.sort()
from a import b3`,
    [
      ...['2: < for <=', '2: or for and', '2: 4 for 3', '2: without not'],
      ...['3: - for +', "3: None for total + 'x < 1'", '4: pass for items.sort()'],
    ],
  ],
  [
    'cart.go',
    'package a\nfunc f() int { if n != 0 && p == q {\n\tcount++\n\treturn n - 1\n\tmu.Lock()\n} }',
    [
      ...['2: == for !=', '2: || for &&', '2: != for ==', '2: 1 for 0'],
      ...['3: -- for ++', '4: + for -', '4: 2 for 1', '5: without mu.Lock()'],
    ],
  ],
  [
    'lib.rs',
    "fn a<'a>(n: &'a Vec<u8>) -> bool { n.len() < 3 }\n#[cfg(test)]\nmod tests {\n  fn a() { b(1 < 2) }\n}",
    ['1: <= for <', '1: 4 for 3'],
  ],
])('%s', (path, text, changes) => {
  test('is changed where there is code, and nowhere else', async () => {
    expect((await changesOf(path, text)).toSorted()).toEqual(changes.toSorted());
  });
  test('lines that the lane has not changed stay', async () => {
    expect(await changesOf(path, text, text)).toEqual([]);
    const more = text.replace(/$/, '\nconst x = a && b;');
    expect((await changesOf(path, more, text)).length).toBeLessThan(2);
  });
});

test('the text of a mutant differs in one place', async () => {
  const [mutant] = await mutantsOf([{ path: 'a.ts', after: 'let a = 1;\nlet b = a < 2;\n' }], 1);
  expect(mutant?.text).toBe('let a = 2;\nlet b = a < 2;\n');
});

test('so many as are asked for, from all over the lines', async () => {
  const text = Array.from({ length: 100 }, (_, at) => `const a${at} = b && c;`).join('\n');
  const lines = (await changesOf('a.ts', text, '', 4)).map((it) => Number.parseInt(it, 10));
  expect(lines).toEqual([1, 26, 51, 76]);
  expect(await changesOf('README.md', text)).toEqual([]);
});
