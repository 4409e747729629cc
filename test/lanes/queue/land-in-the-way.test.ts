/** What git refuses to overwrite in the checkout holds a landing, and nothing has changed then. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { integrate } from '../../../src/lanes/queue/integrate.ts';
import { land } from '../../../src/lanes/queue/land.ts';
import { type LaneRows, laneRows } from '../../support/lane-rows.ts';
import { checkoutPrint } from './checkout-print.ts';

const SLOW = 240_000;

const FILES = {
  'shared.txt': 'one\n',
  'folder/a.txt': 'a\n',
  'folder/b.txt': 'b\n',
  'apart/c.txt': 'c\n',
  '.gitignore': '*.log\n',
};

/** An integrated lane that has done this in its tree. */
async function integrated(work: (tree: string, rows: LaneRows) => void) {
  const rows = await laneRows({ files: FILES, validate: 'true' });
  rows.addLane('a');
  work(rows.treeOf('a'), rows);
  rows.commitLane('a', { 'done.txt': 'done\n' });
  rows.verify('a');
  const wish = { signal: new AbortController().signal, progress: () => undefined };
  await integrate(rows.context, rows.run, wish);
  const path = (name: string) => join(rows.repo, name);
  return {
    ...rows,
    path,
    write: (name: string) => rows.box.write(path(name), 'mine\n'),
    land: () => land(rows.context, rows.run),
    async held(expected: object) {
      const before = checkoutPrint(rows.box, rows.repo);
      const report = await land(rows.context, rows.run);
      expect(report).toMatchObject({ verdict: 'held', ...expected });
      expect(checkoutPrint(rows.box, rows.repo)).toEqual(before);
      expect(rows.state('a')).toBe('integrated');
      return report;
    },
  };
}

const folderToFile = (tree: string, { box }: LaneRows): void => {
  box.git(tree, 'rm', '-rq', 'folder');
  box.write(join(tree, 'folder'), 'a file now\n');
};

test(
  'an untracked file where a folder has to go',
  async () => {
    const it = await integrated((tree, { box }) => box.write(join(tree, 'new/deep/x.txt'), 'x'));
    it.write('new');
    await it.held({ reason: 'dirty', files: ['new'] });
  },
  SLOW,
);

test.each(['untracked.txt', 'ignored.log'])(
  'a folder that becomes a file, with a file %s in it',
  async (name) => {
    const it = await integrated(folderToFile);
    it.write(`folder/${name}`);
    const { files } = (await it.held({ reason: 'dirty' })) as { files: readonly string[] };
    expect(files).toEqual([expect.stringMatching(/^folder/)]);
    expect(readFileSync(it.path(`folder/${name}`), 'utf8')).toBe('mine\n');
  },
  SLOW,
);

test(
  'a folder that becomes a file, with a changed file in it',
  async () => {
    const it = await integrated(folderToFile);
    it.write('folder/a.txt');
    await it.held({ reason: 'dirty', files: ['folder/a.txt'] });
  },
  SLOW,
);

test(
  'a folder that becomes a file, and nothing is in the way',
  async () => {
    const it = await integrated(folderToFile);
    expect(await it.land()).toMatchObject({ verdict: 'landed' });
    expect(readFileSync(it.path('folder'), 'utf8')).toBe('a file now\n');
  },
  SLOW,
);

test.each(['untracked.txt', 'ignored.log'])(
  'an untracked folder with a file %s where a file has to go',
  async (name) => {
    const it = await integrated((tree, { box }) => box.write(join(tree, 'new'), 'x'));
    it.write(`new/${name}`);
    const { files } = (await it.held({ reason: 'dirty' })) as { files: readonly string[] };
    expect(files).toEqual([expect.stringMatching(/^new/)]);
  },
  SLOW,
);

test(
  'a file with an odd name, and one that was removed',
  async () => {
    const it = await integrated((tree, { box }) => {
      box.write(join(tree, 'ä "b" c.txt'), 'x');
      box.write(join(tree, 'shared.txt'), 'two\n');
    });
    it.write('ä "b" c.txt');
    await it.held({ reason: 'dirty', files: ['ä "b" c.txt'] });
    it.git('clean', '-fdq');
    it.git('rm', '-q', 'shared.txt');
    await it.held({ reason: 'dirty', files: ['shared.txt'] });
  },
  SLOW,
);

test(
  'what is staged and changed already as it will be is no obstacle to git, and none here',
  async () => {
    const it = await integrated((tree, { box }) => box.write(join(tree, 'shared.txt'), 'two\n'));
    it.box.write(it.path('shared.txt'), 'two\n');
    it.git('add', 'shared.txt');
    expect(await it.land()).toMatchObject({ verdict: 'landed' });
    expect(it.git('status', '--porcelain')).toBe('');
  },
  SLOW,
);

test(
  'a merge that is not finished, in the words of git',
  async () => {
    const it = await integrated(() => undefined);
    it.git('switch', '-qc', 'side');
    it.box.write(it.path('shared.txt'), 'side\n');
    it.box.commit(it.repo);
    it.git('switch', '-q', 'main');
    it.git('merge', '-q', '--no-commit', '--no-ff', 'side');
    const { why } = (await it.held({ reason: 'checked-out' })) as { why: string };
    expect(why).toMatch(/You have not concluded your merge/);
  },
  SLOW,
);

/** A repository that is checked out as a folder of another one. */
function submodule(folder: string, { box }: LaneRows, text: string): string {
  box.write(join(folder, 'of-it.txt'), text);
  if (!existsSync(join(folder, '.git'))) box.git(folder, 'init', '-q');
  return box.commit(folder);
}

test(
  'a submodule that is new is left for git to fill',
  async () => {
    const it = await integrated((tree, rows) => {
      submodule(join(tree, 'sub'), rows, 'one\n');
    });
    expect(await it.land()).toMatchObject({ verdict: 'landed' });
    expect(it.git('ls-files', '--stage', 'sub')).toMatch(/^160000 /);
    expect(readdirSync(it.path('sub'))).toEqual([]);
  },
  SLOW,
);

test(
  'files where a submodule goes stay',
  async () => {
    const it = await integrated((tree, rows) => {
      submodule(join(tree, 'sub'), rows, 'one\n');
    });
    it.write('sub/own.txt');
    expect(await it.land()).toMatchObject({ verdict: 'landed' });
    expect(readFileSync(it.path('sub/own.txt'), 'utf8')).toBe('mine\n');
  },
  SLOW,
);

test(
  'a submodule with work in it, where a file has to go',
  async () => {
    const rows = await laneRows({ files: FILES, validate: 'true' });
    submodule(join(rows.repo, 'sub'), rows, 'one\n');
    rows.box.commit(rows.repo, 'with a submodule');
    rows.addLane('a', { from: rows.git('rev-parse', 'HEAD') });
    rows.box.git(rows.treeOf('a'), 'rm', '-q', 'sub');
    rows.commitLane('a', { sub: 'a file now\n' });
    rows.verify('a');
    await integrate(rows.context, rows.run, {
      signal: new AbortController().signal,
      progress: () => undefined,
    });
    const before = checkoutPrint(rows.box, rows.repo);
    const report = await land(rows.context, rows.run);
    expect(report).toMatchObject({ verdict: 'held', reason: 'dirty', files: ['sub'] });
    expect(checkoutPrint(rows.box, rows.repo)).toEqual(before);
    expect(readFileSync(join(rows.repo, 'sub/of-it.txt'), 'utf8')).toBe('one\n');
  },
  SLOW,
);

test(
  'a sparse checkout stays sparse',
  async () => {
    const it = await integrated((tree, { box }) => {
      box.write(join(tree, 'apart/c.txt'), 'changed\n');
      box.write(join(tree, 'apart/new.txt'), 'new\n');
      box.write(join(tree, 'folder/a.txt'), 'changed\n');
    });
    it.git('sparse-checkout', 'set', 'folder');
    expect(await it.land()).toMatchObject({ verdict: 'landed' });
    expect(existsSync(it.path('apart'))).toBe(false);
    expect(readFileSync(it.path('folder/a.txt'), 'utf8')).toBe('changed\n');
    expect(it.git('status', '--porcelain')).toBe('');
  },
  SLOW,
);

test(
  'a local file in a sparse checkout, where a file outside of it changes',
  async () => {
    const it = await integrated((tree, { box }) => {
      box.write(join(tree, 'apart/new.txt'), 'new\n');
    });
    it.git('sparse-checkout', 'set', 'folder');
    it.write('apart/new.txt');
    const report = await it.land();
    expect(readFileSync(it.path('apart/new.txt'), 'utf8')).toBe('mine\n');
    expect(lstatSync(it.path('apart')).isDirectory()).toBe(true);
    expect(report).toMatchObject({ verdict: 'landed' });
  },
  SLOW,
);
