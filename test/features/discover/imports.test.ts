/** Dependencies between features come from what their files import. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { onPath } from '../../../src/base/files/executable.ts';
import { javaScriptImports } from '../../../src/features/discover/javascript-imports.ts';
import { pythonImports } from '../../../src/features/discover/python-imports.ts';
import { sharedFiles } from '../../../src/features/discover/shared-files.ts';
import { command } from '../../support/command.ts';
import { sandbox } from '../../support/sandbox.ts';

const sources = (files: Readonly<Record<string, string>>) => ({
  paths: Object.keys(files),
  readFile: (path: string) => files[path],
  root: import.meta.dirname,
  env: { PATH: process.env.PATH },
});

describe('JavaScript and TypeScript', () => {
  const project = {
    'package.json': JSON.stringify({ name: 'root', imports: { '#tax/*': './src/tax/*.js' } }),
    'tsconfig.json': '{ "extends": "./tsconfig.base", /* theirs */ }',
    'tsconfig.base.json':
      '{ "compilerOptions": { "paths": { "@/*": ["./src/*"], "cfg": ["./src/config"] } } }',
    'packages/ui/package.json': JSON.stringify({ name: '@acme/ui', exports: './src/index.ts' }),
    'packages/ui/src/button.tsx': '',
    'apps/web/tsconfig.json': '{ "compilerOptions": { "baseUrl": "src", "paths": {} } }',
    'apps/web/src/lib/x.ts': '',
    'src/tax/rates.ts': '',
    'src/cart/index.ts': '',
    'src/config/index.js': '',
    'src/data.json': '{}',
  };

  test.each<[text: string, imported: string[], from?: string]>([
    ["import { a } from '../tax/rates';", ['src/tax/rates.ts']],
    ["import { a } from '../tax/rates.js';", ['src/tax/rates.ts']],
    ["import type { A } from '../cart';", ['src/cart/index.ts']],
    ["export * from '../cart/index.ts';", ['src/cart/index.ts']],
    ["export { b } from '../config';", ['src/config/index.js']],
    ["const a = await import('../tax/rates.ts');", ['src/tax/rates.ts']],
    ["const a = require('../tax/rates');", ['src/tax/rates.ts']],
    ["import data from '../data.json';", ['src/data.json']],
    ["import '@/tax/rates'; import 'cfg';", ['src/tax/rates.ts', 'src/config/index.js']],
    ["import '#tax/rates';", ['src/tax/rates.ts']],
    ["import { Button } from '@acme/ui';", ['packages/ui/package.json']],
    ["import { Button } from '@acme/ui/src/button';", ['packages/ui/src/button.tsx']],
    ["import x from 'lib/x';", ['apps/web/src/lib/x.ts'], 'apps/web/src/page.tsx'],
    ["const a = <p>don't import '../cart'</p>; import '../tax/rates';", ['src/tax/rates.ts']],
    ["// import '../cart'\nconst text = `import '../cart'`;", []],
    ["import React from 'react'; import fs from 'node:fs'; import '../nothing';", []],
    ['import {', []],
    ['import(name); require(name); import(`../` + name);', []],
  ])('%s', async (text, imported, from = 'src/checkout/pay.tsx') => {
    const found = await javaScriptImports(sources({ ...project, [from]: text }));
    expect(found.get(from)).toEqual(imported);
  });
});

const noPython = onPath('python3', process.env) === undefined;

test.skipIf(noPython)(
  'Python: absolute, relative, of a namespace, and not the standard library',
  async () => {
    const files = {
      'pyproject.toml': '',
      'src/shop/__init__.py': '',
      'src/shop/tax/__init__.py': '',
      'src/shop/tax/rates.py': '',
      'src/shop/cart.py':
        'import os, shop.tax.rates\nfrom . import tax\nfrom .tax import rates, total\nfrom .nothing import x\n',
      'tests/test_cart.py': "from shop.cart import add\n'''import shop.tax'''\n",
      'broken.py': 'def (:\n',
    };
    const found = await pythonImports(sources(files));
    expect(found.get('src/shop/cart.py')).toEqual([
      'src/shop/tax/rates.py',
      'src/shop/tax/__init__.py',
    ]);
    expect(found.get('tests/test_cart.py')).toEqual(['src/shop/cart.py']);
    expect(found.get('broken.py') ?? []).toEqual([]);
    const { PATH: _, ...none } = process.env;
    expect(await pythonImports({ ...sources(files), env: none })).toEqual(new Map());
  },
);

test('files that concern every feature are those at the root that all tests are run with', () => {
  const shared = [
    'package-lock.json',
    'tsconfig.base.json',
    'tsconfig.json',
    'vitest.config.ts',
    'jest.setup.js',
    'requirements-dev.txt',
    'conftest.py',
    '.npmrc',
    'uv.lock',
  ];
  const others = ['package.json', 'README.md', 'src/tsconfig.json', 'a/yarn.lock', 'vitest.ts'];
  expect(sharedFiles([...others, ...shared])).toEqual(shared.toSorted());
});

test('in a draft: features depend on what they import, without a circle, and shared files always count', async () => {
  const box = sandbox();
  const repo = box.repo('shop');
  const manifest = { scripts: { test: 'vitest run' }, devDependencies: { vitest: '^5' } };
  const files = {
    'package.json': JSON.stringify(manifest),
    'package-lock.json': '{}',
    'src/cart/add.ts': "import { rate } from '../tax/rates.ts';\n",
    'src/cart/add.test.ts': '',
    'src/tax/rates.ts': "import type { Cart } from '../cart/add.ts';\nexport const rate = 1;\n",
    'src/checkout/pay.ts': "import { add } from '../cart/add.ts';\n",
  };
  for (const [path, text] of Object.entries(files)) box.write(join('shop', path), text);
  const discover = (...more: string[]) => command(box, repo, ['feature', 'discover', ...more]);
  const { stdout } = await discover();
  expect(stdout).toMatch(/^checkout .*; depends on cart$/m);
  expect(stdout).toContain('\ncount for every feature: package-lock.json\n');
  await discover('--write');
  const written = () => JSON.parse(readFileSync(join(repo, 'lanehold.json'), 'utf8'));
  expect(written()).toMatchObject({
    features: {
      cart: { smoke: ['npx --no-install vitest run src/cart'], dependsOn: ['tax'] },
      checkout: { dependsOn: ['cart'] },
    },
    gate: { always: ['package-lock.json'] },
  });
  expect(written().features.tax.dependsOn).toBeUndefined();
  // What the file says itself stays.
  box.write('shop/lanehold.json', '{ "gate": { "always": ["x"] } }');
  const again = await discover('--write', '--json');
  expect(JSON.parse(again.stdout).always).toEqual([]);
  expect(written().gate.always).toEqual(['x']);
});
