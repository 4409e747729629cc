import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guardedFiles } from '../../../src/moments/lifecycle/guarded-files.ts';
import { sandbox } from '../../support/sandbox.ts';

function guarded() {
  const box = sandbox();
  const tree = join(box.laneholdHome, 'worktrees/shop-1b401ff8/move/api');
  mkdirSync(tree, { recursive: true });
  return { box, tree, look: guardedFiles(box.env) };
}

test('what lies in the worktree of a lane is for whoever works there', () => {
  const { tree, look } = guarded();
  expect(look(join(tree, 'src/api.ts'), 'file')).toBeUndefined();
  expect(look(join(tree, 'src'), 'tree')).toBeUndefined();
});

test.each([
  'lanehold.db',
  'resident',
  'resident/_opt_hook_cjs',
  'runs/lanes/1/exit.json',
  'worktrees',
  'worktrees/shop-1b401ff8/move',
  'worktrees/shop-1b401ff8/move/api',
  'worktrees/shop-1b401ff8/move/api/../../../../lanehold.db',
])('%s is for lanehold', (path) => {
  const { box, look } = guarded();
  expect(look(`${box.laneholdHome}/${path}`, 'tree')).toBeDefined();
});

test('a link in a worktree to what lanehold keeps is what it points to', () => {
  const { box, tree, look } = guarded();
  const database = box.write(join(box.laneholdHome, 'lanehold.db'), '');
  symlinkSync(database, join(tree, 'link'));
  expect(look(join(tree, 'link'), 'file')).toBeDefined();
});

test.each(['packed-refs', 'FETCH_HEAD', 'refs/remotes/origin/topic'])(
  '.git/%s is for git',
  (path) => {
    const { box, look } = guarded();
    expect(look(join(box.root, 'shop/.git', path), 'file')).toBe('what is known of a remote');
  },
);
