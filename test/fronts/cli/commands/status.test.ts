/** `lanehold status` says first whether anything is stopped here at all. */
import { expect, test } from 'vitest';
import { command } from '../../../support/command.ts';
import { installGitHook } from '../../../support/pushing.ts';
import { sandbox } from '../../../support/sandbox.ts';
import { shop } from '../../../support/shop.ts';

test('which hooks are there comes first, then what a push would be denied for', async () => {
  const box = sandbox();
  const { repo, change, write } = shop(box);
  change('src/cart/add.ts');
  const status = async (): Promise<string[]> =>
    (await command(box, repo, ['status'])).stdout.split('\n');
  const [none, ...rest] = await status();
  expect(none).toMatch(/^No hook is installed here/);
  expect(rest.slice(0, 2)).toEqual(['1 held: a push would be denied', '  cart: never verified']);

  await installGitHook(box, repo);
  expect((await status())[0]).toBe(
    'Only git’s own hook is installed, and holds pushes: run `lanehold install` for agents',
  );
  await command(box, repo, ['install']);
  expect((await status())[0]).toBe('1 held: a push would be denied');
  write('src/checkout/scratch.txt', 'not yet');
  expect((await status()).slice(0, 4)).toEqual([
    '1 held: a push would be denied',
    '  cart: never verified',
    'Not committed, held once it is: 1',
    '  checkout: never verified',
  ]);
  const { installed, gitHook } = JSON.parse(
    (await command(box, repo, ['status', '--json'])).stdout,
  );
  expect({ installed, gitHook }).toEqual({ installed: true, gitHook: true });
});
