import { expect, test } from 'vitest';
import { SLOW, words } from '../queue/words.ts';

const TESTS = 'test/words.test.js';
const BASE = "import { test } from 'node:test';\n\ntest('none', () => {});\n";
/** Its last line is that of every other test. */
const added = (name: string) => `${BASE}\ntest('${name}', () => {\n  String('${name}');\n});\n`;
const VALIDATE = `node --test ${TESTS}`;

const project = () => words({ files: { [TESTS]: BASE }, validate: VALIDATE });

test(
  'two lanes that add tests at the same place of a file are integrated with both',
  async () => {
    const it = await project();
    it.verified('a', { [TESTS]: added('a') });
    it.verified('b', { [TESTS]: added('b') });
    const report = await it.integrate();
    expect(report.integrated).toMatchObject([
      { lane: 'a', resolution: null },
      { lane: 'b', resolution: { way: 'both additions kept', paths: [TESTS] } },
    ]);
    expect(report.conflicts).toEqual([]);
    const text = it.show(report.tip, TESTS);
    expect(text).toContain("test('a'");
    expect(text).toContain("test('b'");
    expect(it.git('log', '-1', '--format=%B', report.tip)).toContain(
      `Conflict in ${TESTS}: both additions kept`,
    );
  },
  SLOW,
);

test(
  'what does not pass with both stays a conflict, and others are integrated all the same',
  async () => {
    const it = await project();
    it.verified('a', { [TESTS]: `${BASE}\nconst limit = 1;\n` });
    it.verified('b', { [TESTS]: `${BASE}\nconst limit = 2;\n` });
    it.verified('c', { 'c.txt': 'c\n' });
    const report = await it.integrate();
    expect(report.integrated.map(({ lane }) => lane)).toEqual(['a', 'c']);
    expect(report.conflicts).toMatchObject([{ lane: 'b', paths: [TESTS], with: ['a'] }]);
    expect(report.culprits).toEqual([]);
    expect(it.show(report.tip, TESTS)).not.toContain('limit = 2');
  },
  SLOW,
);

test(
  'two tests of one name are a conflict: one could hide the other',
  async () => {
    const path = 'tests/test_sum.py';
    const more = (value: number) => `import sums\n\ndef test_more():\n    assert ${value}\n`;
    const it = await words({ files: { [path]: 'import sums\n' } });
    it.verified('a', { [path]: more(1) });
    it.verified('b', { [path]: more(2) });
    expect((await it.integrate()).conflicts).toMatchObject([{ lane: 'b', paths: [path] }]);
    it.verified('c', { [path]: more(3).replace('test_more', 'test_others') });
    const { integrated } = await it.integrate();
    expect(integrated).toMatchObject([{ lane: 'c', resolution: { paths: [path] } }]);
  },
  SLOW,
);

test.each([
  ['changes of the same line', TESTS, (word: string) => BASE.replace('none', word)],
  ['a file that is no list of tests', 'shared.txt', (word: string) => `one\ntwo\nthree\n${word}\n`],
])(
  '%s are a conflict',
  async (_, path, text) => {
    const it = await project();
    it.verified('a', { [path]: text('x') });
    it.verified('b', { [path]: text('y') });
    expect((await it.integrate()).conflicts).toMatchObject([{ lane: 'b', paths: [path] }]);
  },
  SLOW,
);
