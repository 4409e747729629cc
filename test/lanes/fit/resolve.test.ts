/** Conflicts that git leaves are resolved in other ways, if the result passes. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
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
  'a conflict that a person has resolved before is resolved in the same way',
  async () => {
    const it = await words();
    it.git('config', 'rerere.enabled', 'true');
    const first = it.verified('first', { 'shared.txt': FIRST }).headSha ?? '';
    const second = it.verified('second', { 'shared.txt': SECOND }).headSha ?? '';
    const tree = join(it.box.root, 'by-hand');
    it.git('worktree', 'add', '--quiet', '--detach', tree, first);
    expect(() => it.box.git(tree, 'merge', '--quiet', second)).toThrow();
    it.box.write(join(tree, 'shared.txt'), `${SHARED}both\n`);
    it.box.commit(tree, 'by hand');
    const { integrated, tip } = await it.integrate();
    expect(integrated[1]).toMatchObject({
      resolution: { way: 'resolved as recorded before', paths: ['shared.txt'] },
    });
    expect(it.show(tip, 'shared.txt')).toBe(`${SHARED}both`);
    expect(it.git('worktree', 'list')).not.toContain('lanehold-merge-');
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
