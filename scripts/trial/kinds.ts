/** Kinds of projects in which the trial is played: their files, what a user of them has done already, and a change. */

export interface Kind {
  readonly files: Readonly<Record<string, string>>;
  /** What its user has done before: installed what it needs, run its tests. */
  readonly setup: readonly string[];
  readonly ignore: string;
  /** A change that its tests allow. */
  readonly edit: { readonly path: string; readonly from: string; readonly to: string };
  /** Folders that its user has on PATH. */
  readonly path?: readonly string[];
}

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

const vitestOf = (name: string, says: string) =>
  `import { expect, test } from 'vitest';\nimport { ${name} } from '../src/${name}/${name}';\n\ntest('${says}', () => {\n  expect(${name}(2)).toBe(4);\n});\n`;

const nodeTestOf = (name: string) =>
  `import assert from 'node:assert';\nimport test from 'node:test';\nimport { ${name} } from './${name}.js';\n\ntest('${name}', () => assert.equal(${name}(2), 4));\n`;

const doubled = (name: string) => `export const ${name} = (count) => count * 2;\n`;

const workspace = (name: string) => ({
  [`packages/${name}/package.json`]: json({
    name: `@shop/${name}`,
    version: '1.0.0',
    type: 'module',
    exports: `./src/${name}.js`,
    scripts: { test: 'node --test' },
  }),
  [`packages/${name}/src/${name}.js`]: doubled(name),
  [`packages/${name}/src/${name}.test.js`]: nodeTestOf(name),
});

const goTestOf = (name: string) =>
  `package ${name}\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n\tif Total(2) != 4 {\n\t\tt.Fatal("not doubled")\n\t}\n}\n`;

const goOf = (name: string) =>
  `package ${name}\n\nfunc Total(count int) int {\n\treturn count * 2\n}\n`;

export const KINDS: Readonly<Record<string, Kind>> = {
  vitest: {
    files: {
      'package.json': json({
        name: 'shop',
        private: true,
        type: 'module',
        scripts: { test: 'vitest run' },
        devDependencies: { vitest: '^4.0.0' },
      }),
      'src/cart/cart.ts': 'export const cart = (count: number): number => count * 2;\n',
      'src/mail/mail.ts': 'export const mail = (count: number): number => count + 2;\n',
      'test/cart.test.ts': vitestOf('cart', 'doubles'),
      'test/mail.test.ts': vitestOf('mail', 'adds'),
    },
    ignore: 'node_modules\n',
    setup: ['npm install --no-audit --no-fund', 'npm test'],
    edit: { path: 'src/cart/cart.ts', from: 'count * 2', to: '2 * count' },
  },
  pytest: {
    files: {
      'pyproject.toml':
        '[project]\nname = "shop"\nversion = "1.0.0"\n\n[tool.pytest.ini_options]\npythonpath = ["src"]\n',
      'src/shop/__init__.py': '',
      'src/shop/cart.py': 'def total(count):\n    return count * 2\n',
      'src/shop/mail.py': 'def lines(count):\n    return count + 2\n',
      'tests/test_cart.py':
        'from shop.cart import total\n\n\ndef test_total():\n    assert total(2) == 4\n',
      'tests/test_mail.py':
        'from shop.mail import lines\n\n\ndef test_lines():\n    assert lines(2) == 4\n',
    },
    ignore: '.venv\n__pycache__\n.pytest_cache\n',
    setup: [
      '/usr/bin/python3 -m venv .venv',
      '.venv/bin/pip install --quiet --disable-pip-version-check pytest',
      'python3 -m pytest -q',
    ],
    path: ['.venv/bin'],
    edit: { path: 'src/shop/cart.py', from: 'count * 2', to: '2 * count' },
  },
  go: {
    files: {
      'go.mod': 'module example.com/shop\n\ngo 1.19\n',
      'cmd/shop/main.go':
        'package main\n\nimport (\n\t"fmt"\n\n\t"example.com/shop/internal/cart"\n)\n\nfunc main() {\n\tfmt.Println(cart.Total(2))\n}\n',
      'internal/cart/cart.go': goOf('cart'),
      'internal/cart/cart_test.go': goTestOf('cart'),
      'internal/mail/mail.go': goOf('mail'),
      'internal/mail/mail_test.go': goTestOf('mail'),
    },
    ignore: 'bin\n',
    setup: ['go vet ./...', 'go test ./...'],
    edit: { path: 'internal/cart/cart.go', from: 'count * 2', to: '2 * count' },
  },
  workspace: {
    files: {
      'package.json': json({
        name: 'shop',
        private: true,
        workspaces: ['packages/*'],
        scripts: { test: 'npm test --workspaces' },
      }),
      ...workspace('cart'),
      ...workspace('mail'),
    },
    ignore: 'node_modules\n',
    setup: ['npm install --no-audit --no-fund', 'npm test'],
    edit: { path: 'packages/cart/src/cart.js', from: 'count * 2', to: '2 * count' },
  },
};
