/** What lanehold keeps of a project stays with it: in each of its worktrees, and where its folder is moved. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { sandbox } from '../support/sandbox.ts';
import { shop } from '../support/shop.ts';

test('linked worktrees share one memory, and reading in one of them empties nothing', async () => {
  const box = sandbox();
  const { repo, git, lanehold } = shop(box);
  const linked = join(box.root, 'linked');
  git('worktree', 'add', '--quiet', linked);
  const there = (...argv: string[]) => command(box, linked, argv);
  const listed = async (run: typeof lanehold) =>
    JSON.parse((await run('note', 'list', '--json')).stdout)
      .notes.map(({ path }: { path: string }) => path)
      .sort();

  await lanehold('note', 'add', 'project/x', 'Prices are in cents');
  expect(await listed(there)).toEqual(['project/x']);
  await there('note', 'add', 'project/y', 'Carts expire');
  expect(await listed(lanehold)).toEqual(['project/x', 'project/y']);
  const found = await there('recall', 'search', 'cents', '--json');
  expect(found.stdout).toContain('Prices are in cents');
});
