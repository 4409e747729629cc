import { expect, test } from 'vitest';
import { sandbox } from '../../../support/sandbox.ts';
import { shop } from '../../../support/shop.ts';

test('--explain says what was found, how sure, and where in the command', async () => {
  const { lanehold, repo: root } = shop(sandbox());
  const text = 'echo "git push"; sh -c "cd src && git push origin main"; eval "$(next) push"';
  const { stdout, exitCode } = await lanehold('gate', '--command', text, '--explain');
  expect(exitCode).toBe(0);
  expect(stdout.split('\n').slice(2)).toEqual([
    '1. boundary, certain: git push (push), with it leaves the refs it names',
    '   way in   sh -c > git push',
    '   words    git push origin main',
    `   folder   ${root}/src`,
    '2. opaque, suspicious: which program runs cannot be read from the command',
    '   way in   eval',
    '   words    … push',
    `   folder   ${root}`,
    '',
  ]);
});

test('--explain without a command is misuse', async () => {
  const { lanehold } = shop(sandbox());
  expect(await lanehold('gate', '--explain')).toMatchObject({ exitCode: 2 });
});
