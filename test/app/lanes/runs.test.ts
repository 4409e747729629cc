import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRun } from '../../../src/app/lanes/runs.ts';
import { laneStore } from '../../../src/store/lanes.ts';
import { laneRows } from '../../support/lane-rows.ts';

test('what a worker has merged of the branch does not count as changes of its lane', async () => {
  const it = await laneRows({ files: { 'list.txt': 'one\n' } });
  it.addLane('a');
  it.commitLane('a', { 'a.txt': 'a\n' });
  it.addLane('b');
  it.commitLane('b', { 'b.txt': 'b\n' });
  it.box.write(join(it.repo, 'theirs.txt'), 'one\ntwo\nthree\n');
  const theirs = it.box.commit(it.repo, 'theirs');
  const tree = it.treeOf('a');
  it.box.git(tree, 'merge', '--quiet', '-m', 'Take in the branch', theirs);
  const sha = it.box.git(tree, 'rev-parse', 'HEAD');
  it.context.store.write(() => laneStore(it.context.store).setHead(it.lane('a').id, sha, ''));

  const { lanes } = await readRun(it.context, it.run);
  const diffs = Object.fromEntries(lanes.map(({ key, diff }) => [key, diff]));
  expect(diffs).toEqual({ a: { added: 1, removed: 0 }, b: { added: 1, removed: 0 } });
});
