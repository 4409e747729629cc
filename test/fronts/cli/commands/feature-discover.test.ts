import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../../../support/command.ts';
import { type Sandbox, sandbox } from '../../../support/sandbox.ts';

const discover = (box: Sandbox, folder: string, ...args: string[]) =>
  command(box, folder, ['feature', 'discover', ...args]);

function shop(box: Sandbox): string {
  const repo = box.repo('shop');
  box.write('shop/package.json', '{ "workspaces": ["packages/*"] }');
  for (const name of ['cart', 'checkout']) {
    const scripts = { test: 'node --test' };
    box.write(`shop/packages/${name}/package.json`, JSON.stringify({ name, scripts }));
    box.write(`shop/packages/${name}/index.js`, '');
  }
  box.write('shop/node_modules/other/index.js', '');
  box.write('shop/.gitignore', 'node_modules/');
  return repo;
}

test('shows proposals with the reason for each, and writes nothing', async () => {
  const box = sandbox();
  const repo = shop(box);
  const { exitCode, stdout } = await discover(box, repo);
  expect(exitCode).toBe(0);
  expect(stdout).toBe(
    [
      '2 features proposed, nothing written',
      'cart      2 files  npm test --workspace cart      workspace `packages/cart` of the root package.json',
      'checkout  2 files  npm test --workspace checkout  workspace `packages/checkout` of the root package.json',
      'hint: `--draft` prints them as lanehold.json, `--write` adds them to it',
      '',
    ].join('\n'),
  );
  expect(existsSync(join(repo, 'lanehold.json'))).toBe(false);
});

test('the draft is the file that --write writes', async () => {
  const box = sandbox();
  const repo = shop(box);
  const { stdout } = await discover(box, repo, '--draft');
  const written = await discover(box, repo, '--write');
  expect(written.exitCode).toBe(0);
  expect(written.stdout).toContain('Added 2 features to lanehold.json\n');
  expect(written.stdout).toContain('then commit it');
  expect(readFileSync(join(repo, 'lanehold.json'), 'utf8')).toBe(stdout);
  expect(Object.keys(JSON.parse(stdout).features)).toEqual(['cart', 'checkout']);
});

test('keeps the features that are there, shared and local, to the byte', async () => {
  const box = sandbox();
  const repo = shop(box);
  const own = '{"features": {"cart": {"files": ["mine/**"]}}, "gate": {"uncovered": "ask"}}';
  const file = box.write('shop/lanehold.json', own);
  await command(box, repo, ['feature', 'add', 'checkout', '--files', 'theirs/**']);
  const { stdout } = await discover(box, repo, '--write');
  expect(stdout).toContain('Nothing to add: 2 proposals registered already');
  expect(readFileSync(file, 'utf8')).toBe(own);

  box.write('shop/packages/tax/package.json', '{ "name": "tax" }');
  box.write('shop/packages/tax/index.js', '');
  await discover(box, repo, '--write');
  const { features, gate } = JSON.parse(readFileSync(file, 'utf8'));
  expect(features).toMatchObject({
    cart: { files: ['mine/**'] },
    tax: { files: ['packages/tax/**'] },
  });
  expect(Object.keys(features)).toEqual(['cart', 'tax']);
  expect(gate).toEqual({ uncovered: 'ask' });
});

test('writes nothing if a proposal and what is there would need each other', async () => {
  const box = sandbox();
  const repo = shop(box);
  const manifest = { name: 'checkout', dependencies: { cart: '*' } };
  box.write('shop/packages/checkout/package.json', JSON.stringify(manifest));
  const own = '{ "features": { "cart": { "files": ["a"], "dependsOn": ["checkout"] } } }';
  const file = box.write('shop/lanehold.json', own);
  const { exitCode, stderr } = await discover(box, repo, '--write');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('depend on each other in a loop: checkout -> cart -> checkout');
  expect(readFileSync(file, 'utf8')).toBe(own);
});

test('works in a folder without git, and below the root', async () => {
  const box = sandbox();
  box.write('plain/lanehold.json', '{}');
  box.write('plain/src/cart/add.py', '');
  const { stdout } = await discover(box, join(box.root, 'plain/src'), '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    proposed: [{ files: ['src/cart/**'], fileCount: 1 }],
    added: [],
    kept: [],
  });
});

test('says so where there is nothing to propose', async () => {
  const box = sandbox();
  const repo = box.repo('empty');
  box.write('empty/notes.txt', '');
  const { exitCode, stdout } = await discover(box, repo, '--write');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^Nothing to propose: no source found here\nhint: lanehold feature add /);
  expect(existsSync(join(repo, 'lanehold.json'))).toBe(false);
});

test.each([['a bare repository', ['--bare'], 'a bare repository has no working tree']])(
  'refuses %s',
  async (_, init, fact) => {
    const box = sandbox();
    const { exitCode, stderr } = await discover(box, box.repo('bare.git', ...init));
    expect(exitCode).toBe(2);
    expect(stderr).toBe(`error: ${fact}\nhint: use a clone of it\n`);
  },
);
