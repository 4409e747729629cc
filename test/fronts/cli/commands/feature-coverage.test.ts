import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../../../support/command.ts';
import { type Sandbox, sandbox } from '../../../support/sandbox.ts';

const coverage = (box: Sandbox, folder: string, ...args: string[]) =>
  command(box, folder, ['feature', 'coverage', ...args]);

function shop(box: Sandbox, features: object): string {
  const repo = box.repo('shop');
  box.write('shop/lanehold.json', JSON.stringify({ features }));
  for (const path of ['src/cart/a.ts', 'src/cart/b.ts', 'src/tax.ts', 'docs/1.md', 'docs/2.md']) {
    box.write(`shop/${path}`, '');
  }
  box.write('shop/.gitignore', 'build/');
  box.write('shop/build/out.js', '');
  return repo;
}

test('says how many files belong to a feature, and where the others lie', async () => {
  const box = sandbox();
  const repo = shop(box, {
    cart: { files: ['src/cart/**', 'lib/cart/**'] },
    all: { files: ['src/**', '!src/tax.ts'] },
  });
  const { exitCode, stdout } = await coverage(box, repo);
  expect(exitCode).toBe(0);
  expect(stdout).toBe(
    [
      '2 of 7 files belong to a feature',
      '  all   2 files',
      '  cart  2 files',
      'Of no feature:',
      '  (top level)  2 files',
      '  docs/        2 files',
      '  src/         1 file',
      'warning: `lib/cart/**` of cart matches no file',
      '',
    ].join('\n'),
  );
});

test('counts new files as well as tracked ones, and each once', async () => {
  const box = sandbox();
  const repo = shop(box, { cart: { files: ['src/cart/**'] } });
  box.commit(repo);
  box.write('shop/src/cart/new.ts', '');
  const { stdout } = await coverage(box, repo, '--json');
  expect(JSON.parse(stdout)).toEqual({
    total: 8,
    covered: 3,
    uncovered: ['.gitignore', 'docs/1.md', 'docs/2.md', 'lanehold.json', 'src/tax.ts'],
    byFeature: [{ name: 'cart', files: 3 }],
    always: 0,
    hasRest: false,
    unmatched: [],
  });
});

test('lists every file of no feature under --verbose', async () => {
  const box = sandbox();
  const repo = shop(box, { cart: { files: ['src/cart/**'] } });
  const { stdout } = await coverage(box, repo, '--verbose');
  expect(stdout).toContain('\n  docs/1.md\n  docs/2.md\n  lanehold.json\n  src/tax.ts\n');
});

test('tells files of every feature, and with a rest those that hold nothing', async () => {
  const box = sandbox();
  const repo = shop(box, { cart: { files: ['src/cart/**'] }, rest: { rest: true } });
  const text = readFileSync(join(repo, 'lanehold.json'), 'utf8');
  const gate = { always: ['src/tax.ts'] };
  box.write('shop/lanehold.json', JSON.stringify({ ...JSON.parse(text), gate }));
  const { stdout } = await coverage(box, repo);
  expect(stdout).toBe(
    [
      '3 of 7 files belong to a feature',
      '  cart       2 files',
      '  rest       1 file',
      '  every one  1 file (`gate.always`)',
      'Hold nothing (documents, settings of editors, agents and CI):',
      '  (top level)  2 files',
      '  docs/        2 files',
      '',
    ].join('\n'),
  );
});

test('points to discover in a project without features', async () => {
  const box = sandbox();
  const { exitCode, stdout } = await coverage(box, shop(box, {}));
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^0 of 7 files belong to a feature\n/);
  expect(stdout).toMatch(/hint: `lanehold feature discover` looks for some\n$/);
});
