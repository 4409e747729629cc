import { existsSync, readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dropEmptyObjects } from '../../../src/base/git/after-power-loss.ts';
import { sandbox } from '../../support/sandbox.ts';

test('only objects without content are deleted', () => {
  const box = sandbox();
  const repo = box.repo();
  box.write(join(repo, 'a.txt'), 'a\n');
  box.write(join(repo, 'b.txt'), 'b\n');
  box.commit(repo);
  const objects = join(repo, '.git/objects');
  const place = (oid: string): string => join(objects, oid.slice(0, 2), oid.slice(2));
  const lost = place(box.git(repo, 'rev-parse', 'HEAD:a.txt'));
  const before = readdirSync(objects, { recursive: true }).length;
  dropEmptyObjects(objects);
  expect(readdirSync(objects, { recursive: true })).toHaveLength(before);

  truncateSync(lost, 0);
  dropEmptyObjects(objects);
  expect(existsSync(lost)).toBe(false);
  expect(readdirSync(objects, { recursive: true })).toHaveLength(before - 1);
  // With the content at hand git makes it again, which it does not for one that is there.
  box.git(repo, 'hash-object', '-w', 'a.txt');
  expect(box.git(repo, 'show', 'HEAD:a.txt')).toBe('a');
});
