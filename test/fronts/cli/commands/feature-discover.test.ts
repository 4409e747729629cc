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
      '3 features proposed, nothing written',
      'cart      2 files  npm test --workspace cart           workspace `packages/cart` of the root package.json',
      'checkout  2 files  npm test --workspace checkout       workspace `packages/checkout` of the root package.json',
      'rest      1 file   npm test --workspaces --if-present  all other files, with the whole suite',
      'hint: `lanehold feature discover --write` adds them to lanehold.json, `--draft` prints it',
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
  expect(written.stdout).toContain('Added 3 features to lanehold.json\n');
  expect(written.stdout).toContain('then commit it');
  expect(readFileSync(join(repo, 'lanehold.json'), 'utf8')).toBe(stdout);
  expect(Object.keys(JSON.parse(stdout).features)).toEqual(['cart', 'checkout', 'rest']);
  box.commit(repo);
  const { commits, proposed } = JSON.parse((await discover(box, repo, '--json')).stdout);
  expect([commits, ...proposed.map((it: { changes: number }) => it.changes)]).toEqual([1, 1, 1, 1]);
});

test('keeps the features that are there, shared and local, to the byte', async () => {
  const box = sandbox();
  const repo = shop(box);
  const all = { rest: true, smoke: ['npm test'] };
  const features = { cart: { files: ['mine/**'] }, all };
  const own = JSON.stringify({ features, gate: { uncovered: 'ask' } });
  const file = box.write('shop/lanehold.json', own);
  await command(box, repo, ['feature', 'add', 'checkout', '--files', 'theirs/**']);
  const { stdout } = await discover(box, repo, '--write');
  expect(stdout).toContain('Nothing to add: 3 proposals registered already');
  expect(readFileSync(file, 'utf8')).toBe(own);

  const tax = { name: 'tax', scripts: { test: 'node --test' } };
  box.write('shop/packages/tax/package.json', JSON.stringify(tax));
  box.write('shop/packages/tax/index.js', '');
  await discover(box, repo, '--write');
  const smoke = ['npm test --workspace tax'];
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    features: { ...features, tax: { files: ['packages/tax/**'], smoke } },
    gate: { uncovered: 'ask' },
  });
});

test('writes nothing if a proposal and what is there would need each other', async () => {
  const box = sandbox();
  const repo = shop(box);
  const scripts = { test: 'node --test' };
  const manifest = { name: 'checkout', dependencies: { cart: '*' }, scripts };
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
  box.write('plain/pytest.ini', '');
  for (const name of ['cart', 'pay']) box.write(`plain/src/${name}/test_${name}.py`, '');
  const { stdout } = await discover(box, join(box.root, 'plain/src'), '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    proposed: [
      { files: ['src/cart/**'], fileCount: 1 },
      { files: ['src/pay/**'], fileCount: 1 },
      { rest: true, fileCount: 1 },
    ],
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

test('where nothing runs tests, a person is asked about what leaves', async () => {
  const box = sandbox();
  const repo = box.repo('untested');
  box.write('untested/src/add.py', '');
  const { stdout } = await discover(box, repo, '--write');
  expect(stdout).toMatch(
    /^Nothing to propose: nothing that runs tests found here, so files of no feature wait/,
  );
  const written = JSON.parse(readFileSync(join(repo, 'lanehold.json'), 'utf8'));
  expect(written).toMatchObject({ features: {}, gate: { uncovered: 'ask' } });
  expect((await discover(box, repo, '--write')).stdout).toContain('runs tests found here\n');
});

test('once there is a rest, nobody is asked about files of no feature any more', async () => {
  const box = sandbox();
  const repo = shop(box);
  const file = box.write('shop/lanehold.json', '{ "gate": { "uncovered": "ask" } }\n');
  await discover(box, repo, '--write');
  const { features, gate } = JSON.parse(readFileSync(file, 'utf8'));
  expect(features.rest).toMatchObject({ rest: true });
  expect(gate).toBe(undefined);
  box.write('shop/lanehold.json', '{ "gate": { "uncovered": "hold", "scope": "all" } }\n');
  await discover(box, repo, '--write');
  expect(JSON.parse(readFileSync(file, 'utf8')).gate).toMatchObject({ uncovered: 'hold' });
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
