/** Dependencies between features come from what their files import. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts of files have their own placeholders.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectImports } from '../../../src/features/discover/imports.ts';
import { sharedFiles } from '../../../src/features/discover/shared-files.ts';
import { command } from '../../support/command.ts';
import { sandbox } from '../../support/sandbox.ts';

const sources = (files: Readonly<Record<string, string>>) => ({
  paths: Object.keys(files),
  readFile: (path: string) => files[path],
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
    [
      "const a = <p>don't import '../cart'</p>; import '../tax/rates';",
      ['src/cart/index.ts', 'src/tax/rates.ts'],
    ],
    ["// import '../nothing'\nconst text = `import '../nothing'`;", []],
    ["import React from 'react'; import fs from 'node:fs'; import '../nothing';", []],
    ['import {', []],
    ['import(name); require(name); import(`../` + name);', []],
  ])('%s', async (text, imported, from = 'src/checkout/pay.tsx') => {
    const { imports } = projectImports(sources({ ...project, [from]: text }));
    expect(imports.get(from)).toEqual(imported);
  });
});

describe('other languages', () => {
  const project = {
    'pyproject.toml': '',
    'src/shop/__init__.py': '',
    'src/shop/tax/__init__.py': '',
    'src/shop/tax/rates.py': '',
    'src/shop/methods/card.py': '',
    'tests/conftest.py': '',
    'go.mod': 'module example.com/shop\n',
    'pkg/money/money.go': '',
    'pkg/money/step.go': '',
    'app/Cart/Total.php': '',
    'lib/shop/cart.rb': '',
    'data/rates.json': '',
    'data/plans/a.json': '',
    'data/plans/b.json': '',
    'crates/a/fee.txt': '',
  };

  test.each<[path: string, text: string, needed: string[]]>([
    [
      'src/shop/cart.py',
      'import os, shop.tax.rates as rates\nfrom . import tax\n',
      ['src/shop/tax/rates.py', 'src/shop/__init__.py', 'src/shop/tax/__init__.py'],
    ],
    [
      'src/shop/pay.py',
      'from .tax import (\n    rates,\n    total,\n)\n',
      ['src/shop/tax/__init__.py', 'src/shop/tax/rates.py', 'src/shop/__init__.py'],
    ],
    [
      'tests/test_cart.py',
      'from shop.tax.rates import x\n',
      ['src/shop/tax/rates.py', 'tests/conftest.py'],
    ],
    [
      'src/shop/find.py',
      'importlib.import_module(f"shop.methods.{name}")\n',
      ['src/shop/methods/card.py', 'src/shop/__init__.py'],
    ],
    ['tools/a.py', "'''import shop.tax'''\nimport json\n", []],
    [
      'cmd/main.go',
      'import (\n\t"fmt"\n\tm "example.com/shop/pkg/money"\n)\n',
      ['pkg/money/money.go', 'pkg/money/step.go'],
    ],
    ['app/Pay.php', 'use App\\Cart\\Total;\n', ['app/Cart/Total.php']],
    ['lib/shop.rb', "require 'json'\nrequire 'shop/cart'\n", ['lib/shop/cart.rb']],
    [
      'crates/a/src/lib.rs',
      'const FEE: &str = include_str!("../fee.txt");\n',
      ['crates/a/fee.txt'],
    ],
    ['src/x.ts', "const it = join(here, '..', 'data', 'rates.json');\n", ['data/rates.json']],
    ['src/y.ts', 'read(`data/plans/${name}.json`);\n', ['data/plans/a.json', 'data/plans/b.json']],
    ['src/z.ts', "expect(name).toBe('data');\n", []],
  ])('%s: %j', async (path, text, needed) => {
    const { imports } = projectImports(sources({ ...project, [path]: text }));
    expect(imports.get(path)?.toSorted()).toEqual(needed.toSorted());
  });
});

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

test('in a draft: features depend on what they import, and shared files always count', async () => {
  const box = sandbox();
  const repo = box.repo('shop');
  const manifest = { scripts: { test: 'vitest run' }, devDependencies: { vitest: '^5' } };
  const files = {
    'package.json': JSON.stringify(manifest),
    'package-lock.json': '{}',
    'src/cart/add.ts': "import { rate } from '../tax/rates.ts';\n",
    'src/cart/add.test.ts': '',
    'src/tax/rates.ts': 'export const rate = 1;\n',
    'src/tax/rates.test.ts': '',
    'src/checkout/pay.ts': "import { add } from '../cart/add.ts';\n",
    'src/checkout/pay.test.ts': '',
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
      cart: { smoke: ['npm test -- src/cart'], dependsOn: ['tax'] },
      checkout: { dependsOn: ['cart'] },
      rest: { rest: true, smoke: ['npm test'] },
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
