/** `lanehold status` says first whether anything is stopped here at all. */
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { main } from '../../../../src/fronts/main.ts';
import { bufferedHost } from '../../../support/buffered-host.ts';
import { command } from '../../../support/command.ts';
import { installGitHook } from '../../../support/pushing.ts';
import { sandbox } from '../../../support/sandbox.ts';
import { shop } from '../../../support/shop.ts';
import { eventually } from '../../../support/until.ts';

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

test('--watch shows the board of a project without a run, too', async () => {
  const box = sandbox();
  const { repo, change } = shop(box);
  change('src/cart/add.ts');
  const { host, said } = bufferedHost(['status', '--watch'], {
    env: { ...box.env, TERM: 'xterm' },
    cwd: () => repo,
  });
  Object.assign(host.streams.stdout, { isTTY: true, columns: 80, rows: 24 });
  const ended = main(host);
  await eventually(() => expect(said.stdout).toContain('would hold a push of main'));
  host.streams.stdout.end();
  expect(await ended).toBe(0);
  expect(stripVTControlCharacters(said.stdout).trimEnd().replaceAll('\r', '')).toBe(
    [
      'shop: no open run\n\n1 needs you',
      '  x this project   unguarded               no agent has its hooks here yet',
      '\n1 of 2 features would hold a push of main',
      '  | cart           never verified\n    lanehold feature verify --pending',
    ].join('\n'),
  );
});
