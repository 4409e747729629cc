// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts of files have their own placeholders.
/** Projects in JavaScript and TypeScript. */
import { each, json, type Kind, nodeTest, VITEST, viteTest } from './kind.ts';

const IGNORED = 'node_modules\n';
const README = '# Shop\n\nSells 3 things.\n';

/** Packages of a workspace that need each other, with a helper of tests, data and a suite across all. */
const npmWorkspaces: Kind = {
  name: 'npm workspaces',
  needs: ['npm'],
  suite: 'npm test',
  links: {
    'node_modules/@acme/money': 'packages/money',
    'node_modules/@acme/cart': 'packages/cart',
    'node_modules/@acme/checkout': 'packages/checkout',
    'node_modules/@acme/testkit': 'packages/testkit',
  },
  files: {
    '.gitignore': IGNORED,
    'README.md': README,
    'package.json': json({
      name: 'acme',
      private: true,
      type: 'module',
      workspaces: ['packages/*'],
      scripts: { test: 'npm test --workspaces --if-present && node --test test/*.test.js' },
    }),
    'config/limits.json': json({ most: 40 }),
    'packages/money/package.json': json({
      name: '@acme/money',
      version: '1.0.0',
      type: 'module',
      exports: './src/index.js',
      scripts: { test: 'node --test' },
    }),
    'packages/money/src/index.js':
      "export { round } from './round.js';\nexport { convert } from './convert.js';\n",
    'packages/money/src/round.js': 'export const round = (cents) => Math.round(cents / 5) * 5;\n',
    'packages/money/src/convert.js':
      "import { readFileSync } from 'node:fs';\nconst rates = JSON.parse(readFileSync(new URL('../data/rates.json', import.meta.url)));\nexport const convert = (cents, to) => cents * rates[to];\n",
    'packages/money/data/rates.json': json({ chf: 2, nok: 11 }),
    'packages/money/test/money.test.js': nodeTest(
      "import { convert, round } from '../src/index.js';",
      'round(12), 10',
      "convert(3, 'chf'), 6",
    ),
    'packages/cart/package.json': json({
      name: '@acme/cart',
      version: '1.0.0',
      type: 'module',
      exports: './src/index.js',
      scripts: { test: 'node --test' },
      dependencies: { '@acme/money': '*' },
      devDependencies: { '@acme/testkit': '*' },
    }),
    'packages/cart/src/index.js':
      "import { round } from '@acme/money';\nexport const total = (items) => round(items.reduce((sum, it) => sum + it.price * it.count, 0));\n",
    'packages/cart/test/cart.test.js': nodeTest(
      "import { item } from '@acme/testkit';\nimport { total } from '../src/index.js';",
      'total([item(21), item(22)]), 45',
    ),
    'packages/checkout/package.json': json({
      name: '@acme/checkout',
      version: '1.0.0',
      type: 'module',
      exports: './src/index.js',
      scripts: { test: 'node --test' },
      dependencies: { '@acme/cart': '*', '@acme/money': '*' },
    }),
    'packages/checkout/src/index.js':
      "import { total } from '@acme/cart';\nimport { convert } from '@acme/money';\nexport const pay = (items, to) => convert(total(items), to) + 1;\n",
    'packages/checkout/test/pay.test.js': nodeTest(
      "import { readFileSync } from 'node:fs';\nimport { pay } from '../src/index.js';\nconst bill = JSON.parse(readFileSync(new URL('./fixtures/bill.json', import.meta.url)));",
      "pay(bill.items, 'nok'), bill.sum",
    ),
    'packages/checkout/test/fixtures/bill.json': json({
      items: [{ price: 10, count: 2 }],
      sum: 221,
    }),
    'packages/testkit/package.json': json({
      name: '@acme/testkit',
      version: '1.0.0',
      type: 'module',
      exports: './index.js',
      devDependencies: { '@acme/cart': '*' },
    }),
    'packages/testkit/index.js': 'export const item = (price) => ({ price, count: 1 });\n',
    'test/shop.test.js': nodeTest(
      "import { readFileSync } from 'node:fs';\nimport { pay } from '@acme/checkout';\nconst { most } = JSON.parse(readFileSync(new URL('../config/limits.json', import.meta.url)));",
      "pay([{ price: most, count: 1 }], 'chf'), 81",
    ),
  },
  added: {
    'packages/money/test/more.test.js': nodeTest('', '1, 2'),
    'packages/testkit/kit.test.js': '',
    'test/more.test.js': nodeTest('', '1, 2'),
  },
};

const pnpm: Kind = {
  name: 'pnpm, path aliases',
  needs: ['npx'],
  suite: 'pnpm test',
  links: VITEST,
  standIns: {
    // What this project uses of it.
    pnpm: '[ "$1" = test ] || exit 64\nshift\nexec npx --no-install vitest run "$@"',
  },
  files: {
    '.gitignore': IGNORED,
    'package.json': json({
      name: 'acme',
      private: true,
      type: 'module',
      packageManager: 'pnpm@10.0.0',
      scripts: { test: 'vitest run' },
      devDependencies: { vitest: '^5' },
    }),
    'pnpm-workspace.yaml': "packages:\n  - 'apps/*'\n  - 'libs/*'\n",
    'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
    'tsconfig.json': json({
      compilerOptions: {
        module: 'esnext',
        paths: { '@core/*': ['./libs/core/src/*'], '@ui': ['./libs/ui/src/main.ts'] },
      },
    }),
    'vitest.config.ts':
      "import { resolve } from 'node:path';\nimport { defineConfig } from 'vitest/config';\nconst at = (path) => resolve(import.meta.dirname, path);\nexport default defineConfig({\n  resolve: { alias: { '@core': at('libs/core/src'), '@ui': at('libs/ui/src/main.ts') } },\n  test: { setupFiles: [at('test/setup.ts')], pool: 'threads' },\n});\n",
    'test/setup.ts': 'Object.assign(globalThis, { FEE: 4 });\n',
    'libs/core/package.json': json({
      name: '@acme/core',
      scripts: { test: 'vitest run' },
    }),
    'libs/core/vitest.config.ts': "export { default } from '../../vitest.config.ts';\n",
    'libs/core/src/tax.ts': 'export const tax = (net: number): number => net + net / 4;\n',
    'libs/core/src/fee.ts':
      'export const fee = (): number => (globalThis as { FEE?: number }).FEE ?? 0;\n',
    'libs/core/src/tax.test.ts': viteTest(
      "import { tax } from './tax';\nimport { fee } from './fee';",
      'tax(8) === 10',
      'fee() === 4',
    ),
    'libs/ui/package.json': json({ name: '@acme/ui', scripts: { test: 'vitest run' } }),
    'libs/ui/vitest.config.ts': "export { default } from '../../vitest.config.ts';\n",
    'libs/ui/src/main.ts': "export * from './label';\n",
    'libs/ui/src/label.ts':
      "import { tax } from '@core/tax';\nexport const label = (net: number): string => `${tax(net)}.00`;\n",
    'libs/ui/src/label.test.ts': viteTest(
      "import { label } from './label';",
      "label(4) === '5.00'",
    ),
    'apps/web/package.json': json({ name: 'web', scripts: { test: 'vitest run' } }),
    'apps/web/vitest.config.ts': "export { default } from '../../vitest.config.ts';\n",
    'apps/web/src/page.ts':
      "import { label } from '@ui';\nexport const page = (net: number): string => `<b>${label(net)}</b>`;\n",
    'apps/web/src/page.test.ts': viteTest(
      "import { page } from './page';",
      "page(8) === '<b>10.00</b>'",
    ),
  },
  added: { 'libs/ui/src/more.test.ts': viteTest('', '1 === 2') },
};

const vitest: Kind = {
  name: 'one package, vitest',
  needs: ['npx'],
  suite: 'npm test',
  links: VITEST,
  files: {
    '.gitignore': IGNORED,
    'README.md': README,
    LICENSE: 'MIT\n',
    'package.json': json({
      name: 'shop',
      type: 'module',
      scripts: { test: 'vitest run' },
      devDependencies: { vitest: '^5' },
    }),
    'package-lock.json': json({ lockfileVersion: 3, packages: {} }),
    'vitest.config.ts':
      "import { defineConfig } from 'vitest/config';\nexport default defineConfig({ test: { setupFiles: ['./test/setup.ts'], pool: 'threads', env: { ROUND: '5' } } });\n",
    'data/rates.json': json({ chf: 2, nok: 11 }),
    'src/tax/rates.ts':
      "import { readFileSync } from 'node:fs';\nimport { join } from 'node:path';\nconst file = join(import.meta.dirname, '..', '..', 'data', 'rates.json');\nexport const rates: Record<string, number> = JSON.parse(readFileSync(file, 'utf8'));\n",
    'src/tax/tax.ts':
      "import { rates } from './rates';\nexport const tax = (net: number, to: string): number => net * (rates[to] ?? 1);\n",
    'src/tax/tax.test.ts': viteTest("import { tax } from './tax';", "tax(2, 'nok') === 22"),
    'src/cart/add.ts':
      "import { round } from '../lib/round';\nimport type { Receipt } from '../checkout/pay';\nexport const total = (prices: number[]): number => round(prices.reduce((sum, it) => sum + it, 0));\nexport const last: Receipt[] = [];\n",
    'src/cart/labels.json': json({ items: '2 items' }),
    'src/cart/show.ts':
      "import labels from './labels.json';\nexport const show = (): string => labels.items;\n",
    'src/lib/round.ts':
      'const STEP = Number(process.env.ROUND);\nexport const round = (it: number): number => Math.round(it / STEP) * STEP;\n',
    'src/checkout/pay.ts':
      "import { total } from '../cart/add';\nimport { tax } from '../tax/tax';\nexport interface Receipt { sum: number }\nexport const pay = (prices: number[]): Receipt => ({ sum: tax(total(prices), 'chf') + 1 });\n",
    'src/checkout/__snapshots__/receipt.txt': 'sum 61\n',
    'src/main.ts':
      "import { pay } from './checkout/pay';\nexport const main = (words: string[]): number => pay(words.map(Number)).sum - 1;\n",
    'test/setup.ts': 'Object.assign(globalThis, { prices: [11, 21] });\n',
    'test/helpers/prices.ts':
      'export const few = [10, 20];\nexport const many = Array.from({ length: 4 }, () => 10);\n',
    'test/fixtures/bill.json': json({ prices: [5, 5], sum: 21 }),
    'test/cart/add.test.ts': viteTest(
      "import { many } from '../helpers/prices';\nimport { total } from '../../src/cart/add';\nimport { show } from '../../src/cart/show';",
      'total(many) === 40',
      'total((globalThis as unknown as { prices: number[] }).prices) === 30',
      "show() === '2 items'",
    ),
    'test/checkout/pay.test.ts': viteTest(
      "import { readFileSync } from 'node:fs';\nimport { few } from '../helpers/prices';\nimport bill from '../fixtures/bill.json';\nimport { pay } from '../../src/checkout/pay';\nconst receipt = readFileSync(new URL('../../src/checkout/__snapshots__/receipt.txt', import.meta.url), 'utf8');",
      'pay(bill.prices).sum === bill.sum',
      '`sum ${pay(few).sum}\\n` === receipt',
    ),
    'test/main.test.ts': viteTest(
      "import { main } from '../src/main';",
      "main(['10', '5']) === 30",
    ),
  },
  added: {
    'test/tax/more.test.ts': viteTest('', '1 === 2'),
    'src/cart/more.test.ts': viteTest('', '1 === 2'),
    'test/more.test.ts': viteTest('', '1 === 2'),
  },
};

const playwright = `#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
const [, , verb, ...paths] = process.argv;
if (verb !== 'test') process.exit(64);
const files = readdirSync('e2e').filter((it) => it.endsWith('.spec.mjs')).map((it) => 'e2e/' + it);
const wanted = paths.filter((it) => !it.startsWith('-'));
const chosen = files.filter((it) => wanted.length === 0 || wanted.some((one) => it.startsWith(one)));
const { status } = spawnSync(process.execPath, ['--test', ...chosen], { stdio: 'inherit' });
if (status === 0) for (const [at, it] of chosen.entries()) console.log('  ✓  ' + (at + 1) + ' ' + it + ':1:1 › works (5ms)');
if (status === 0) console.log('  ' + chosen.length + ' passed (1s)');
process.exit(status ?? 1);
`;

const next: Kind = {
  name: 'Next.js, Playwright',
  needs: ['npx'],
  suite: 'npm test && npm run e2e',
  links: VITEST,
  standIns: { 'node_modules/.bin/playwright': playwright },
  files: {
    '.gitignore': IGNORED,
    'package.json': json({
      name: 'web',
      type: 'module',
      scripts: { dev: 'next dev', test: 'vitest run', e2e: 'playwright test' },
      dependencies: { next: '^16', react: '^19' },
      devDependencies: { '@playwright/test': '^1', vitest: '^5' },
    }),
    'next.config.mjs': 'export default { reactStrictMode: true };\n',
    'playwright.config.ts': "export default { testDir: './e2e' };\n",
    'tsconfig.json': json({
      compilerOptions: { jsx: 'preserve', baseUrl: '.', paths: { '@/*': ['./*'] } },
    }),
    'vitest.config.ts':
      "import { defineConfig } from 'vitest/config';\nexport default defineConfig({ resolve: { alias: { '@': import.meta.dirname } }, test: { include: ['**/__tests__/**/*.test.ts'], pool: 'threads' } });\n",
    'app/page.ts':
      "import { price } from '@/lib/price';\nexport const page = (): string => `from ${price(3)}`;\n",
    'app/(shop)/cart/page.ts':
      "import { row } from '@/components/row';\nexport const cart = (): string => row('tea', 2);\n",
    'app/(shop)/cart/__tests__/page.test.ts': viteTest(
      "import { cart } from '../page';",
      "cart() === 'tea: 8'",
    ),
    'app/[id]/page.ts':
      "import { price } from '@/lib/price';\nexport const item = (id: number): string => `${id}: ${price(id)}`;\n",
    'app/[id]/__tests__/page.test.ts': viteTest(
      "import { item } from '../page';",
      "item(5) === '5: 20'",
    ),
    'app/__tests__/page.test.ts': viteTest(
      "import { page } from '../page';",
      "page() === 'from 12'",
    ),
    'components/row.ts':
      "import { price } from '../lib/price';\nexport const row = (name: string, count: number): string => `${name}: ${price(count)}`;\n",
    'components/__tests__/row.test.ts': viteTest(
      "import { row } from '../row';",
      "row('a', 1) === 'a: 4'",
    ),
    'lib/price.ts':
      "import table from '@/content/prices.json';\nexport const price = (count: number): number => count * table.each;\n",
    'lib/__tests__/price.test.ts': viteTest(
      "import { price } from '../price';\nimport { counts } from './counts';",
      'price(counts[0] ?? 0) === 28',
    ),
    'lib/__tests__/counts.ts': 'export const counts = [7];\n',
    'content/prices.json': json({ each: 4 }),
    'public/menu.json': json({ links: 3 }),
    'e2e/support.mjs': 'export const wanted = 3;\n',
    'e2e/menu.spec.mjs': nodeTest(
      "import { readFileSync } from 'node:fs';\nimport { wanted } from './support.mjs';\nconst { links } = JSON.parse(readFileSync('public/menu.json', 'utf8'));",
      'links, wanted',
    ),
    'e2e/prices.spec.mjs': nodeTest(
      "import { readFileSync } from 'node:fs';\nconst { each } = JSON.parse(readFileSync('content/prices.json', 'utf8'));",
      'each * 2, 8',
    ),
  },
  added: {
    'lib/__tests__/more.test.ts': viteTest('', '1 === 2'),
    'e2e/more.spec.mjs': nodeTest('', '1, 2'),
  },
};

/** Handlers that are found by name, plug-ins that are found by folder, and barrels in between. */
const dynamic: Kind = {
  name: 'dynamic imports, barrels',
  needs: ['npm'],
  suite: 'npm test',
  files: {
    'package.json': json({ name: 'router', type: 'module', scripts: { test: 'node --test' } }),
    'src/index.js':
      "export * from './core/index.js';\nexport { helpers } from './helpers/index.js';\n",
    'src/core/index.js':
      "export { route } from './route.js';\nexport { all } from './plugins.js';\n",
    'src/core/route.js':
      'export const route = async (name, value) => (await import(`../handlers/${name}.js`)).handle(value);\n',
    'src/core/plugins.js':
      "import { readdirSync } from 'node:fs';\nimport { join } from 'node:path';\nconst folder = join(import.meta.dirname, '..', 'plugins');\nexport const all = async () => {\n  let sum = 0;\n  for (const name of readdirSync(folder)) sum += (await import(join(folder, name))).weight;\n  return sum;\n};\n",
    'src/core/route.test.js': nodeTest(
      "import { all, route } from './index.js';",
      "await route('double', 4), 8",
      "await route('next', 4), 5",
      'await all(), 12',
    ),
    'src/handlers/double.js': 'export const handle = (it) => it * 2;\n',
    'src/handlers/next.js':
      "import { helpers } from '../helpers/index.js';\nexport const handle = (it) => helpers.more(it);\n",
    'src/plugins/light.js': 'export const weight = 4;\n',
    'src/plugins/heavy.js': 'export const weight = 8;\n',
    'src/helpers/index.js':
      "import * as math from './math.js';\nexport const helpers = { ...math };\n",
    'src/helpers/math.js': 'export const more = (it) => it + 1;\n',
    'src/lazy/load.js': "export const load = () => import('../templates/mail.js');\n",
    'src/lazy/load.test.js': nodeTest(
      "import { load } from './load.js';",
      "(await load()).text(3), '3 mails'",
    ),
    'src/templates/mail.js':
      'import { readFileSync } from \'node:fs\';\nconst name = ["mail", "txt"].join(".");\nexport const text = (it) => readFileSync(new URL(name, import.meta.url), \'utf8\').trim().replace(\'N\', it);\n',
    'src/templates/mail.txt': 'N mails\n',
    'test/all.test.js': nodeTest(
      "import * as all from '../src/index.js';",
      'all.helpers.more(1), 2',
      'Object.keys(all).length, 3',
    ),
    'test/cli.test.js': nodeTest(
      "import { execFileSync } from 'node:child_process';",
      "execFileSync(process.execPath, ['bin/router.js', 'double', '7'], { encoding: 'utf8' }), '14\\n'",
    ),
    'bin/router.js':
      "import { route } from '../src/index.js';\nconst [, , name, value] = process.argv;\nconsole.log(String(await route(name, Number(value) + 0)));\n",
  },
  added: {
    'src/plugins/extra.js': 'export const weight = 1;\n',
    'src/lazy/more.test.js': nodeTest('', '1, 2'),
  },
};

const generated: Kind = {
  name: 'generated code, data at run time',
  needs: ['npm'],
  suite: 'npm test',
  files: {
    'package.json': json({
      name: 'api',
      type: 'module',
      scripts: { generate: 'node tools/generate.js', test: 'node --test' },
    }),
    'schema/order.json': json({ fields: { id: 1, sum: 2 } }),
    'tools/generate.js':
      "import { readFileSync, writeFileSync } from 'node:fs';\nexport const render = ({ fields }) => Object.entries(fields).map(([name, at]) => `export const ${name} = ${at};\\n`).join('');\nif (process.argv[2] === '--write') writeFileSync('src/generated/order.js', render(JSON.parse(readFileSync('schema/order.json', 'utf8'))));\n",
    'src/generated/order.js': 'export const id = 1;\nexport const sum = 2;\n',
    'src/orders/encode.js':
      "import { id, sum } from '../generated/order.js';\nexport const encode = (order) => [[id, order.id], [sum, order.sum]].map((it) => it.join('=')).join('&');\n",
    'src/orders/encode.test.js': nodeTest(
      "import { encode } from './encode.js';",
      "encode({ id: 7, sum: 9 }), '1=7&2=9'",
    ),
    'src/rules/load.js':
      "import { readdirSync, readFileSync } from 'node:fs';\nexport function load(folder = 'rules') {\n  return readdirSync(folder).map((name) => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')));\n}\n",
    'src/rules/load.test.js': nodeTest(
      "import { load } from './load.js';",
      'load().reduce((sum, it) => sum + it.weight, 0), 7',
    ),
    'rules/a.json': json({ weight: 3 }),
    'rules/b.json': json({ weight: 4 }),
    'src/locale/text.js':
      "import { readFileSync } from 'node:fs';\nconst at = (language) => new URL(`./texts/${language}.txt`, import.meta.url);\nexport const text = (language) => readFileSync(at(language), 'utf8').trim();\n",
    'src/locale/texts/en.txt': '3 orders\n',
    'src/locale/texts/no.txt': '3 ordre\n',
    'src/locale/text.test.js': nodeTest(
      "import { text } from './text.js';",
      "text('en'), '3 orders'",
      "text('no'), '3 ordre'",
    ),
    'test/generated.test.js': nodeTest(
      "import { readFileSync } from 'node:fs';\nimport { render } from '../tools/generate.js';\nconst read = (path) => readFileSync(path, 'utf8');",
      "render(JSON.parse(read('schema/order.json'))), read('src/generated/order.js')",
    ),
  },
  added: { 'rules/c.json': json({ weight: 5 }) },
};

const groupOf = (at: number): string => ['orders', 'users', 'mail'][at % 3] ?? '';

const folders: Kind = {
  name: '312 folders',
  needs: ['npm'],
  suite: 'npm test',
  files: {
    'package.json': json({ name: 'wide', type: 'module', scripts: { test: 'node --test' } }),
    'src/base/number.js': 'export const base = 1;\n',
    ...each(310, (at) => ({
      [`src/${groupOf(at)}/part${at}/value.js`]: `import { base } from '../../base/number.js';\nexport const value = base + ${at};\n`,
    })),
    // One file tests a hundred parts: a start of each would take minutes.
    ...each(3, (group) => {
      const parts = Array.from({ length: 310 }, (_, at) => at).filter((at) => at % 3 === group);
      const sum = parts.reduce((all, at) => all + at + 1, 0);
      const imports = parts.map((at) => `import { value as v${at} } from './part${at}/value.js';`);
      const values = parts.map((at) => `v${at}`).join(' + ');
      return {
        [`src/${groupOf(group)}/all.test.js`]: nodeTest(imports.join('\n'), `${values}, ${sum}`),
      };
    }),
    'src/app/start.js':
      "import { value } from '../orders/part3/value.js';\nimport { value as other } from '../users/part31/value.js';\nexport const start = () => value + other;\n",
    'src/app/start.test.js': nodeTest("import { start } from './start.js';", 'start(), 36'),
  },
  added: { 'src/mail/part2/more.test.js': nodeTest('', '1, 2') },
};

const documents: Kind = {
  name: 'documents only',
  needs: [],
  suite: 'true',
  files: {
    'README.md': README,
    LICENSE: 'MIT\n',
    'docs/guide.md': '# Guide\n',
    'docs/picture.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>\n',
    '.github/workflows/spell.yml': 'on: push\n',
  },
};

export const JAVASCRIPT: readonly Kind[] = [
  npmWorkspaces,
  pnpm,
  vitest,
  next,
  dynamic,
  generated,
  folders,
  documents,
];
