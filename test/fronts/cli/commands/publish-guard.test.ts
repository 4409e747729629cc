import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sandbox } from '../../../support/sandbox.ts';
import { shop } from '../../../support/shop.ts';

const GUARD = "npx --no-install lanehold gate --command 'npm publish'";

test.each([
  ['none', '{\n  "name": "shop"\n}\n', GUARD],
  [
    'one',
    '{ "name": "shop", "scripts": { "prepublishOnly": "npm run build" } }\n',
    `npm run build && ${GUARD}`,
  ],
])('the guard goes behind the script that is there: %s', async (_, text, script) => {
  const { lanehold, write, repo: root } = shop(sandbox());
  write('package.json', text);
  const run = await lanehold('feature', 'share', '--publish-guard');
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  const after = readFileSync(join(root, 'package.json'), 'utf8');
  expect(JSON.parse(after).scripts.prepublishOnly).toBe(script);
  expect(JSON.parse(after).name).toBe('shop');

  await lanehold('feature', 'share', '--publish-guard');
  expect(readFileSync(join(root, 'package.json'), 'utf8')).toBe(after);
});

test('without a package, or with a broken one, nothing is written', async () => {
  const { lanehold, write, repo: root } = shop(sandbox());
  expect(await lanehold('feature', 'share', '--publish-guard')).toMatchObject({ exitCode: 2 });
  write('package.json', '{ "name": ');
  expect(await lanehold('feature', 'share', '--publish-guard')).toMatchObject({ exitCode: 1 });
  expect(readFileSync(join(root, 'package.json'), 'utf8')).toBe('{ "name": ');
});

test('what the guard runs holds a publish that is not verified', async () => {
  const { lanehold, write, commit } = shop(sandbox());
  write('package.json', '{ "name": "shop", "version": "1.0.0" }\n');
  commit();
  const run = await lanehold('gate', '--command', 'npm publish');
  expect(run.exitCode).toBe(3);
  expect(run.stdout).toContain('lanehold holds `npm publish`');
});
