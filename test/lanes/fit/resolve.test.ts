/** Conflicts that git leaves are resolved in other ways, if the result passes. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readBoard } from '../../../src/lanes/look/board.ts';
import { noteOn } from '../../../src/lanes/look/note.ts';
import { SLOW, words } from '../queue/words.ts';

const SHARED = 'one\ntwo\nthree\n';
const FIRST = `${SHARED}first\n`;
const SECOND = `${SHARED}second\n`;

/** The arguments are those of git's drivers: `merge --git BASE OURS THEIRS …`. */
function withMergiraf(script: string): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'lanehold-mergiraf-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'mergiraf'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'mergiraf'), 0o700);
  return { PATH: `${folder}${delimiter}${process.env.PATH}` };
}

const KEEPS_BOTH = 'tail -n 1 "$5" >> "$4"';

test(
  'a file that was added to a folder comes to where the other lane has moved that',
  async () => {
    const files = { 'old/a.txt': 'a\na\na\n', 'old/b.txt': 'b\nb\nb\n' };
    const it = await words({ files });
    const moved = Object.entries(files).flatMap(([path, text]) => [
      [path, null],
      [path.replace('old', 'new'), text],
    ]);
    it.verified('move', Object.fromEntries(moved));
    it.verified('add', { 'old/c.txt': 'c\n' });
    const { integrated, tip } = await it.integrate();
    expect(integrated).toMatchObject([
      { lane: 'move', resolution: null },
      { lane: 'add', resolution: { way: 'renamed folders followed' } },
    ]);
    expect(it.show(tip, 'new/c.txt')).toBe('c');
  },
  SLOW,
);

test(
  'mergiraf merges what git cannot, where it is installed',
  async () => {
    const it = await words({ env: withMergiraf(KEEPS_BOTH) });
    it.verified('first', { 'shared.txt': FIRST });
    it.verified('second', { 'shared.txt': SECOND });
    const { integrated, tip } = await it.integrate();
    expect(integrated[1]).toMatchObject({
      resolution: { way: 'merged by mergiraf', paths: ['shared.txt'] },
    });
    expect(it.show(tip, 'shared.txt')).toBe(`${FIRST}second`);
  },
  SLOW,
);

test(
  'what it makes counts only if everything passes that passed before',
  async () => {
    const files = { 'checks/length.sh': 'test $(wc -l < shared.txt) -le 4\n' };
    const it = await words({ files, env: withMergiraf(KEEPS_BOTH) });
    it.verified('first', { 'shared.txt': FIRST });
    it.verified('second', { 'shared.txt': SECOND });
    const { integrated, conflicts, culprits } = await it.integrate();
    expect(integrated.map(({ lane }) => lane)).toEqual(['first']);
    expect(conflicts).toMatchObject([{ lane: 'second', paths: ['shared.txt'] }]);
    expect(culprits).toEqual([]);
    expect(it.progress).toContain('second (merged by mergiraf) breaks `sh check.sh`');
  },
  SLOW,
);

test(
  'a way that loses a test is passed over',
  async () => {
    const path = 'test/shared.test.js';
    const base = "import { test } from 'node:test';\n";
    const it = await words({ files: { [path]: base }, env: withMergiraf('exit 0') });
    it.verified('first', { [path]: `${base}test('first', () => {});\n` });
    it.verified('second', { [path]: `${base}test('second', () => {});\n` });
    const { integrated, tip } = await it.integrate();
    expect(integrated[1]).toMatchObject({ resolution: { way: 'both additions kept' } });
    expect(it.show(tip, path)).toContain("test('second'");
  },
  SLOW,
);

const CHECK_JS = `import { sum, words } from './lib.mjs';\nif (sum([1, 2]) !== 3 || words.length < 1) throw new Error('no');\n`;
const LIB = `export const words = ['one'];\n\nexport function sum(list) {\n  return list.reduce((a, b) => a + b, 0);\n}\n`;
const library = () =>
  words({ files: { 'lib.mjs': LIB, 'check.mjs': CHECK_JS }, validate: 'node check.mjs' });

test(
  'functions that two lanes add at one place are both kept; which way, and proven by what, is shown',
  async () => {
    const it = await library();
    const adds = (name: string) =>
      `${LIB}\nexport function ${name}(list) {\n  return list.${name}(Boolean);\n}\n`;
    it.verified('two', { 'lib.mjs': adds('some') });
    it.verified('three', { 'lib.mjs': adds('every') });
    const { integrated, tip } = await it.integrate();
    const way = 'both additions kept';
    expect(integrated[1]).toMatchObject({
      resolution: { way, paths: ['lib.mjs'], refused: [], provenBy: ['node check.mjs'] },
    });
    const functions = it.show(tip, 'lib.mjs').match(/function \w+/g);
    expect(functions).toEqual(['function sum', 'function some', 'function every']);
    const card = readBoard(it.context, it.run).lanes.find(({ key }) => key === 'three');
    expect(card && noteOn(card, new Date())).toBe(`${way} in lib.mjs, proven by node check.mjs`);
  },
  SLOW,
);

test(
  'a new name is followed in what another lane adds, although git sees no conflict',
  async () => {
    const it = await library();
    it.verified('renames', {
      'lib.mjs': LIB.replace('sum', 'total'),
      'check.mjs': CHECK_JS.replaceAll('sum', 'total'),
    });
    it.verified(
      'uses',
      {
        'more.mjs': "import { sum } from './lib.mjs';\n\nsum([]);\n",
        'check2.mjs': "import './more.mjs';\n",
      },
      { validate: 'node check2.mjs' },
    );
    const { integrated, tip, culprits } = await it.integrate();
    expect(culprits).toEqual([]);
    expect(integrated[1]).toMatchObject({
      resolution: { way: 'new names followed', paths: [], refused: ['merged by git'] },
    });
    expect(it.show(tip, 'more.mjs')).toContain('total([])');
  },
  SLOW,
);
