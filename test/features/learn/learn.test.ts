/** What is learned of real runs of test runners, through the built command line. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { command } from '../../support/command.ts';
import { runNode } from '../../support/program.ts';
import { CLI_PROGRAM, type Sandbox, sandbox } from '../../support/sandbox.ts';
import { until } from '../../support/until.ts';

type Files = Readonly<Record<string, string>>;

/** A repository with these files, committed. */
function project(box: Sandbox, files: Files, registry: object) {
  const repo = box.repo('shop');
  for (const [path, text] of Object.entries(files)) box.write(join(repo, path), text);
  box.write(join(repo, 'lanehold.json'), `${JSON.stringify(registry, null, 2)}\n`);
  box.commit(repo);
  return {
    repo,
    learn: (...args: string[]) => command(box, repo, ['feature', 'learn', ...args]),
    /** By a process of its own, whose temporary folder is this one. */
    learnOn: (folder: string) =>
      runNode(CLI_PROGRAM, ['feature', 'learn', '--json'], {
        cwd: repo,
        env: { ...box.env, TMPDIR: folder },
      }),
    features: () => JSON.parse(readFileSync(join(repo, 'lanehold.json'), 'utf8')).features,
  };
}

const NODE_SHOP: Files = {
  'package.json': '{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }',
  'src/money/round.js': 'export const round = (it) => Math.round(it * 100) / 100;\n',
  'src/money/unused.js': 'export const unused = 1;\n',
  'src/cart/total.js':
    'import { round } from "../money/round.js";\nexport const total = (them) => round(them.reduce((a, b) => a + b, 0));\n',
  'src/order/order.js': `import { readFileSync } from 'node:fs';
import { total } from '../cart/total.js';
const prices = () => JSON.parse(readFileSync(new URL('../../data/prices.json', import.meta.url)));
export const order = () => total(prices());
`,
  'data/prices.json': '[1, 2, 3]\n',
  'data/unused.json': '[]\n',
  'test/cart.test.js': nodeTest('../src/cart/total.js', 'total([1, 2])', '3'),
  'test/order.test.js': nodeTest('../src/order/order.js', 'order()', '6'),
  'test/support.js': 'export const nothing = 0;\n',
};

function nodeTest(from: string, call: string, expected: string): string {
  const name = /^\w+/.exec(call)?.[0];
  return `import assert from 'node:assert';
import test from 'node:test';
import { ${name} } from '${from}';
test('${name}', () => assert.equal(${call}, ${expected}));
`;
}

const CART = {
  files: ['src/cart/**', 'test/cart.test.js'],
  smoke: ['node --test test/cart.test.js'],
};
const ORDER = {
  files: ['src/order/**', 'test/order.test.js'],
  smoke: ['node --test test/order.test.js'],
};

test('shows what node --test has read besides, data too, and writes nothing', async () => {
  const box = sandbox();
  const shop = project(box, NODE_SHOP, { features: { cart: CART, order: ORDER } });
  const before = shop.features();
  const { exitCode, stdout, stderr } = await shop.learn();
  expect(stdout).toBe(
    [
      '2 features would change, nothing written',
      'cart',
      '  + src/money/round.js  1 file',
      'order',
      '  + data/prices.json    1 file',
      '  + src/cart/total.js   1 file',
      '  + src/money/round.js  1 file',
      'read for every test, and of no feature (`gate.always` is for such files): package.json',
      'hint: `--write` measures again and writes what comes out',
      '',
    ].join('\n'),
  );
  expect(exitCode).toBe(0);
  expect(stderr).toContain('cart: node --test test/cart.test.js …\n');
  expect(shop.features()).toEqual(before);
  expect(box.git(shop.repo, 'status', '--porcelain')).toBe('');
  expect(box.git(shop.repo, 'worktree', 'list').split('\n')).toHaveLength(1);
});

test('measures the working tree as it is, and writes what it has learned', async () => {
  const box = sandbox();
  const shop = project(box, NODE_SHOP, { features: { cart: CART, order: ORDER } });
  box.write(join(shop.repo, 'src/cart/tax.js'), 'export const tax = (it) => it;\n');
  box.write(
    join(shop.repo, 'src/order/order.js'),
    `import '../cart/tax.js';\n${NODE_SHOP['src/order/order.js']}`,
  );
  const { stdout } = await shop.learn('--write');
  expect(stdout).toContain('Changed 2 features to what the tests read');
  // All of that folder was read now.
  expect(shop.features().order.files).toEqual([
    ...ORDER.files,
    'data/prices.json',
    'src/cart/*.js',
    'src/money/round.js',
  ]);
  expect((await shop.learn()).stdout).toContain('Nothing to change');
});

test('a failing test teaches nothing, and that is said', async () => {
  const box = sandbox();
  const broken = { ...ORDER, smoke: ['node --test test/order.test.js', 'false'] };
  const shop = project(box, NODE_SHOP, { features: { cart: CART, order: broken } });
  const { exitCode, stdout } = await shop.learn('order');
  expect(stdout).toContain(
    'Nothing learned\nnot learned: order, `false` fails here: a failing test',
  );
  expect(exitCode).toBe(1);
});

test('a program that the checkout lacks is no failing test, and how to install it there is said', async () => {
  const box = sandbox();
  const shop = project(box, NODE_SHOP, {
    features: { cart: { ...CART, smoke: ['no-vitest run'] } },
  });
  const { exitCode, stdout } = await shop.learn();
  expect(stdout).toContain(
    'not learned: cart, `no-vitest run`: a program of it is not installed in the checkout',
  );
  expect(stdout).toContain('`"verify": { "setup": "npm ci" }`');
  expect(exitCode).toBe(1);
});

test('a smoke test that would release does not run', async () => {
  const box = sandbox();
  const shop = project(box, NODE_SHOP, {
    features: { cart: { ...CART, smoke: ['touch ran && npm publish'] } },
  });
  const { exitCode, stdout } = await shop.learn();
  expect(stdout).toContain('not learned: cart, `touch ran && npm publish` would release');
  expect(exitCode).toBe(1);
});

test('what too many tests read goes to the rest, and no dependency holds more than was read', async () => {
  const box = sandbox();
  const names = ['a', 'b', 'c', 'd', 'e'];
  const files = names.flatMap((name) => [
    [`src/${name}/${name}.js`, `export { round as ${name} } from '../money/round.js';\n`],
    [`test/${name}.test.js`, nodeTest(`../src/${name}/${name}.js`, `${name}(1)`, '1')],
  ]);
  const features = names.map((name) => [
    name,
    {
      files: [`src/${name}/**`, `test/${name}.test.js`],
      smoke: [`node --test test/${name}.test.js`],
      dependsOn: ['money'],
    },
  ]);
  const money = {
    files: ['src/money/**', 'test/cart.test.js'],
    smoke: ['node --test test/cart.test.js'],
  };
  const shop = project(
    box,
    { ...NODE_SHOP, ...Object.fromEntries(files) },
    {
      features: {
        ...Object.fromEntries(features),
        money,
        all: { rest: true, smoke: ['npm test'] },
      },
    },
  );
  const { changed, toRest, crowded } = JSON.parse((await shop.learn('--json', '--write')).stdout);
  expect(toRest).toEqual(['src/money/round.js']);
  expect(crowded).toEqual([]);
  expect(changed.map((it: { feature: string }) => it.feature)).toEqual([...names, 'money']);
  const written = shop.features();
  expect(written.a).not.toHaveProperty('dependsOn');
  expect(written.money.files).not.toContain('src/money/**');
  expect(written.all).toEqual({ rest: true, smoke: ['npm test'] });
});

test('manifests of packages that every command reads stay where they are', async () => {
  const box = sandbox();
  const packages = ['a', 'b'].flatMap((name) => [
    [
      `packages/${name}/package.json`,
      JSON.stringify({ name, type: 'module', scripts: { test: 'node --test' } }),
    ],
    [`packages/${name}/${name}.js`, `export const ${name} = () => 1;\n`],
    [`packages/${name}/${name}.test.js`, nodeTest(`./${name}.js`, `${name}()`, '1')],
  ]);
  const shop = project(
    box,
    { 'package.json': '{ "workspaces": ["packages/*"] }', ...Object.fromEntries(packages) },
    {
      features: {
        a: { files: ['packages/a/**'], smoke: ['npm test --workspace a'] },
        b: { files: ['packages/b/**'], smoke: ['npm test --workspace b'] },
      },
    },
  );
  const { changed, unchanged, everywhere } = JSON.parse((await shop.learn('--json')).stdout);
  expect(changed).toEqual([]);
  expect(unchanged).toEqual(['a', 'b']);
  expect(everywhere).toEqual(['package.json']);
});

const noVitest = existsSync(resolve('node_modules/vitest'))
  ? ''
  : ' (skipped: vitest is not installed)';

test.skipIf(noVitest !== '')(`vitest: modules, data and snapshots${noVitest}`, async () => {
  const box = sandbox();
  const setup = `ln -s ${resolve('node_modules')} node_modules`;
  const shop = project(
    box,
    {
      '.gitignore': 'node_modules\n',
      'package.json': '{ "name": "shop", "type": "module", "scripts": { "test": "vitest run" } }',
      'vitest.config.ts': "export default { test: { setupFiles: ['./test/setup.ts'] } };\n",
      'src/a/a.ts': "export { b } from '../b/b';\nexport const a = 1;\n",
      'src/b/b.ts': "import data from '../../data/d.json';\nexport const b = data.x;\n",
      'data/d.json': '{ "x": 2 }\n',
      'data/e.json': '{}\n',
      'test/setup.ts': 'export {};\n',
      'test/__snapshots__/a.test.ts.snap':
        '// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`a 1`] = `3`;\n',
      'test/a.test.ts':
        "import { expect, test } from 'vitest';\nimport { a, b } from '../src/a/a';\ntest('a', () => expect(a + b).toMatchSnapshot());\n",
      'test/b.test.ts':
        "import { expect, test } from 'vitest';\nimport { b } from '../src/b/b';\ntest('b', () => expect(b).toBe(2));\n",
    },
    {
      features: {
        a: { files: ['src/a/**'], smoke: ['npx --no-install vitest run test/a.test.ts'] },
      },
      verify: { setup },
    },
  );
  const { changed, everywhere, notLearned } = JSON.parse((await shop.learn('--json')).stdout);
  expect(notLearned).toEqual([]);
  expect(changed[0].files).toEqual([
    'src/a/**',
    'data/d.json',
    'src/b/b.ts',
    'test/__snapshots__/a.test.ts.snap',
    'test/a.test.ts',
  ]);
  expect(everywhere).toEqual(['package.json', 'test/setup.ts', 'vitest.config.ts']);
});

const pytest = spawnSync('python3', ['-m', 'pytest', '--version'], {
  env: { ...process.env, HOME: '/' },
});
const noPytest = pytest.status === 0 ? '' : ' (skipped: pytest is not installed)';

const PYTHON_SHOP: Files = {
  'pyproject.toml': '[tool.pytest.ini_options]\npythonpath = ["."]\n',
  'shop/__init__.py': '',
  'shop/cart.py': 'from .money import rounded\ndef total(them): return rounded(sum(them))\n',
  'shop/money.py': 'def rounded(it): return round(it, 2)\n',
  'shop/unused.py': 'def unused(): return 1\n',
  'tests/conftest.py':
    'import pytest\n@pytest.fixture\ndef prices():\n    return [int(it) for it in open("tests/data/prices.txt")]\n',
  'tests/data/prices.txt': '1\n2\n',
  'tests/data/unused.txt': '',
  'tests/test_cart.py':
    'from shop.cart import total\ndef test_total(prices): assert total(prices) == 3\n',
};

const PYTHON_CART = {
  files: ['shop/cart.py', 'tests/test_cart.py'],
  smoke: ['python3 -m pytest -q tests/test_cart.py'],
};

test.skipIf(noPytest !== '')(`pytest: modules and data of fixtures${noPytest}`, async () => {
  const box = sandbox();
  const shop = project(box, PYTHON_SHOP, { features: { cart: PYTHON_CART } });
  const { changed, everywhere } = JSON.parse((await shop.learn('--json')).stdout);
  expect(changed[0].files).toEqual([
    ...PYTHON_CART.files,
    'shop/__init__.py',
    'shop/money.py',
    'tests/data/prices.txt',
  ]);
  // What pytest reads for a test file without tests says nothing of this one.
  expect(everywhere).toEqual(['pyproject.toml', 'tests/conftest.py']);
});

const mounted = mountWithoutAccessTimes();
const noMount = mounted === undefined ? ' (skipped: nothing can be mounted)' : '';

/** A folder of a disk that notes no reads. */
function mountWithoutAccessTimes(): (() => string) | undefined {
  const mount = (folder: string) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'noatime', 'lanehold-test', folder]).status === 0;
  const box = sandbox((remove) => process.on('exit', remove));
  const folder = join(box.root, 'disk');
  mkdirSync(folder);
  const isPossible = mount(folder);
  spawnSync('umount', ['--lazy', folder]);
  if (!isPossible) return undefined;
  return () => {
    mount(folder);
    onTestFinished(() => void spawnSync('umount', ['--lazy', folder]));
    return folder;
  };
}

test.skipIf(noMount !== '')(`a disk that notes no reads teaches nothing${noMount}`, async () => {
  const shop = project(sandbox(), NODE_SHOP, { features: { order: ORDER } });
  const { stdout } = await shop.learnOn(mounted?.() ?? '');
  const [command] = ORDER.smoke;
  expect(JSON.parse(stdout)).toMatchObject({
    changed: [],
    notLearned: [{ feature: 'order', because: 'unseen', command }],
  });
});

test('Ctrl-C ends the tests, removes the checkout and writes nothing', async () => {
  const box = sandbox();
  const shop = project(box, NODE_SHOP, {
    features: { cart: { ...CART, smoke: ['touch "$STARTED"; sleep 600'] } },
  });
  const temporary = join(box.root, 'tmp');
  mkdirSync(temporary);
  const started = join(box.root, 'started');
  const child = spawn(process.execPath, [CLI_PROGRAM, 'feature', 'learn', '--write'], {
    cwd: shop.repo,
    env: { ...box.env, STARTED: started, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  await until('the smoke test', () => existsSync(started));
  child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  expect(readdirSync(temporary).filter((it) => it.startsWith('lanehold'))).toEqual([]);
  expect(box.git(shop.repo, 'worktree', 'list').split('\n')).toHaveLength(1);
  expect(shop.features().cart.files).toEqual(CART.files);
});

test('where one feature has everything there is nothing to learn, and nothing runs', async () => {
  const box = sandbox();
  const shop = project(box, NODE_SHOP, { features: { all: { rest: true, smoke: ['false'] } } });
  const { exitCode, stdout } = await shop.learn();
  expect(stdout).toBe('Nothing to learn: the rest has what no other feature has\n');
  expect(exitCode).toBe(0);
});

test('without git there is no checkout to measure in', async () => {
  const box = sandbox();
  const folder = join(box.root, 'plain');
  box.write('plain/lanehold.json', JSON.stringify({ features: { cart: CART } }));
  const { exitCode, stderr } = await command(box, folder, ['feature', 'learn']);
  expect(stderr).toContain('takes a repository of git');
  expect(exitCode).toBe(2);
});
