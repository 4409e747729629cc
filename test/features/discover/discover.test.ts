import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRegistryFile, setFeature } from '../../../src/base/config/files.ts';
import { discoverFeatures } from '../../../src/features/discover/discover.ts';
import { withDependencies } from '../../../src/features/fingerprint.ts';
import { coverage } from '../../../src/features/match.ts';
import { cpuMs } from '../../support/cpu-time.ts';

/** A repository: text of its files by path; a path alone is a file whose text is not needed. */
type Files = Record<string, string | object>;

function discover(files: Files, ...paths: string[]) {
  const text = (path: string) => {
    const content = files[path];
    return content === undefined || typeof content === 'string' ? content : JSON.stringify(content);
  };
  return discoverFeatures({ paths: [...Object.keys(files), ...paths], readFile: text });
}

/** A draft, one line for each feature. */
const lines = (...args: Parameters<typeof discover>) =>
  discover(...args).map(({ name, files, rest, smoke, dependsOn }) => {
    const commands = smoke.map(({ command, cwd }) =>
      cwd === '' ? command : `${command} (in ${cwd})`,
    );
    const needs = dependsOn.length === 0 ? '' : ` -> ${dependsOn.join(', ')}`;
    return `${name}${needs}: ${rest ? 'the rest' : files.join(' ')} | ${commands.join(' && ')}`;
  });

describe('JavaScript', () => {
  const workspaces: Files = {
    'package.json': {
      workspaces: ['packages/*', '!packages/private'],
      scripts: { test: 'vitest' },
    },
    'packages/cart/package.json': { name: '@acme/cart', scripts: { test: 'node --test' } },
    'packages/checkout/package.json': {
      name: '@acme/checkout',
      dependencies: { '@acme/cart': 'workspace:*', zod: '^4' },
      scripts: { test: 'node --test' },
    },
    'packages/theme/package.json': {
      scripts: { test: 'echo "Error: no test specified" && exit 1' },
    },
    'packages/private/package.json': { name: 'private' },
  };
  const sources = ['cart', 'checkout', 'theme', 'private'].map(
    (name) => `packages/${name}/index.ts`,
  );

  test('each npm workspace, with its dependencies and test script', () => {
    expect(lines(workspaces, ...sources)).toEqual([
      'cart: packages/cart/** | npm test --workspace @acme/cart',
      'checkout -> cart: packages/checkout/** | npm test --workspace @acme/checkout',
      'rest: the rest | npm test',
    ]);
  });

  test('by the script of the root, where that starts the same runner', () => {
    const cart = { name: '@acme/cart', scripts: { test: 'vitest' } };
    const files = { ...workspaces, 'packages/cart/package.json': cart };
    expect(lines(files, ...sources)[0]).toBe('cart: packages/cart/** | npm test -- packages/cart');
  });

  test.each([
    ['pnpm', { 'pnpm-lock.yaml': '' }, 'pnpm --filter @acme/cart test'],
    ['yarn', { 'yarn.lock': '' }, 'yarn workspace @acme/cart test'],
    ['bun', { 'bun.lock': '' }, 'bun run test (in packages/cart)'],
  ])('in the words of %s', (_, lock, command) => {
    expect(lines({ ...workspaces, ...lock }, ...sources)[0]).toBe(
      `cart: packages/cart/** | ${command}`,
    );
  });

  test('in its folder, if its name does not tell which that is', () => {
    const named = { name: '@acme/basket', scripts: { test: 'node --test' } };
    const files = { ...workspaces, 'packages/cart/package.json': named };
    expect(lines(files, ...sources)[0]).toBe(
      'basket: packages/cart/** | npm test (in packages/cart)',
    );
  });

  const tested = { scripts: { test: 'node --test' } };

  test('pnpm lists its workspaces in a file of its own', () => {
    const files = {
      'package.json': {},
      'pnpm-workspace.yaml':
        "# all\npackages:\n  - 'libs/*' # shared\n  - \"apps/**\"\n\n  - '!apps/old'\ncatalog:\n  - x\n",
      'libs/ui/package.json': { name: 'ui', ...tested },
      'apps/shop/web/package.json': { name: 'web', devDependencies: { ui: '*' }, ...tested },
      'apps/old/package.json': { name: 'old', ...tested },
    };
    const paths = ['libs/ui/a.ts', 'apps/shop/web/b.ts', 'apps/old/c.md'];
    expect(lines(files, ...paths)).toEqual([
      'web -> ui: apps/shop/web/** | pnpm --filter web test',
      'ui: libs/ui/** | pnpm --filter ui test',
      'rest: the rest | pnpm -r test',
    ]);
  });

  test('a package inside another is its own', () => {
    const files = {
      'package.json': { workspaces: { packages: ['a', 'a/b'] } },
      'a/package.json': { name: 'outer', ...tested },
      'a/b/package.json': { name: 'inner', ...tested },
    };
    expect(lines(files, 'a/x.js', 'a/b/y.js')).toEqual([
      'outer: a/** !a/b/** | npm test (in a)',
      'inner: a/b/** | npm test (in a/b)',
      'rest: the rest | npm test --workspaces --if-present',
    ]);
  });

  test('packages that need each other are one', () => {
    const files = {
      'package.json': { workspaces: ['*'] },
      'a/package.json': { name: 'a', dependencies: { b: '*' }, ...tested },
      'b/package.json': { name: 'b', devDependencies: { a: '*' }, ...tested },
      'c/package.json': { name: 'c', devDependencies: { a: '*', c: '*' }, ...tested },
    };
    expect(lines(files, 'a/x.js', 'b/x.js', 'c/x.js')).toEqual([
      'a-b: a/** b/** | npm test --workspace a && npm test --workspace b',
      'c -> a-b: c/** | npm test --workspace c',
      'rest: the rest | npm test --workspaces --if-present',
    ]);
  });

  test('a package without tests belongs to those that need it, the rest runs what its root tests', () => {
    const files = {
      'package.json': {
        workspaces: ['*'],
        scripts: { test: 'npm test -ws && node --test tests/*.js' },
      },
      'a/package.json': { name: 'a', dependencies: { kit: '*' }, ...tested },
      'b/package.json': { name: 'b', ...tested },
      'kit/package.json': { name: 'kit' },
      'tests/all.test.js': '',
    };
    const draft = discover(files, 'a/x.js', 'b/x.js', 'kit/x.js');
    expect(draft.map(({ name, files }) => [name, ...files])).toEqual([
      ['a', 'a/**', 'kit/**'],
      ['b', 'b/**'],
      ['rest'],
    ]);
    const imports = new Map([['tests/all.test.js', ['a/x.js']]]);
    const paths = [...Object.keys(files), 'a/x.js', 'b/x.js', 'kit/x.js'];
    const text = (path: string) => JSON.stringify(files[path as keyof typeof files]);
    expect(discoverFeatures({ paths, readFile: text, imports }).at(-1)?.dependsOn).toEqual(['a']);
  });

  test('the folders of src, with the tests that mirror them', () => {
    const files = {
      'package.json': { name: 'shop', scripts: { test: 'tsc && vitest run -c v.ts' } },
    };
    const paths = [
      'src/cart/add.ts',
      'test/cart/add.test.ts',
      'src/checkout/pay.ts',
      'src/checkout/pay.test.ts',
      'tests/checkout.spec.ts',
      'src/api/server.ts',
      'src/main.ts',
      'test/main.test.ts',
      'test/helpers.ts',
      'test/data/cart.json',
      'docs/conf.py',
    ];
    expect(lines(files, ...paths)).toEqual([
      'cart: src/cart/** test/cart/** | npm test -- src/cart test/cart',
      'checkout: src/checkout/** tests/** | npm test -- src/checkout tests',
      'test: test/main.test.ts | npm test -- test/main.test.ts',
      'rest: the rest | npm test',
    ]);
  });

  test('tests belong to what they import, source without tests to those that need it', () => {
    const paths = [
      'src/a/a.js',
      'src/b/b.js',
      'src/lib/l.js',
      'src/few.js',
      'test/x.test.js',
      'test/y.test.js',
      'test/z.test.js',
    ];
    const imports = new Map([
      ['test/x.test.js', ['src/a/a.js']],
      ['test/y.test.js', ['src/b/b.js']],
      ['test/z.test.js', ['src/few.js']],
      ['src/a/a.js', ['src/lib/l.js']],
      ['src/lib/l.js', ['src/b/b.js']],
      ['src/few.js', ['src/a/a.js']],
    ]);
    const manifest = JSON.stringify({ scripts: { test: 'jest' } });
    const readFile = (path: string) => (path === 'package.json' ? manifest : '');
    const draft = discoverFeatures({ paths: ['package.json', ...paths], readFile, imports });
    expect(draft.map(({ name, files, dependsOn }) => [name, ...files, '->', ...dependsOn])).toEqual(
      [
        ['a', 'src/a/**', 'test/x.test.js', 'src/lib/**', '->', 'b'],
        ['b', 'src/b/**', 'test/y.test.js', '->'],
        ['test', 'test/z.test.js', 'src/few.js', '->', 'a'],
        ['rest', '->'],
      ],
    );
  });

  test.each<[script: string, narrow: string | undefined]>([
    ['vitest', "npm test -- 'app/(shop)'"],
    ['NODE_ENV=test npx jest', String.raw`npm test -- 'app/\(shop\)'`],
    ['node --test', "npm test -- 'app/(shop)/**/*.test.js'"],
    ['node --import tsx --test', "npm test -- 'app/(shop)/**/*.test.js'"],
    ['node --test test/', undefined],
    ['vitest run src && eslint .', undefined],
    ['vitest run --coverage', undefined],
    ['turbo run test', undefined],
  ])('%s: runs a part by %j', (script, narrow) => {
    const files = { 'package.json': { scripts: { test: script } } };
    const draft = discover(
      files,
      'app/[id]/page.js',
      'app/[id]/page.test.js',
      'app/(shop)/cart.test.js',
    );
    expect(draft.find(({ name }) => name === 'shop')?.smoke[0]?.command).toBe(narrow);
    expect(draft.at(-1)?.smoke[0]?.command).toBe('npm test');
    expect(coverage(draft, ['app/[id]/page.js', 'app/(shop)/cart.test.js']).unmatched).toEqual([]);
  });

  test('Playwright has its own runner', () => {
    const files = {
      'package.json': { scripts: { test: 'vitest run' } },
      'playwright.config.ts': "export default { testDir: './browser' };",
    };
    const paths = ['src/a/a.test.ts', 'src/b/b.test.ts', 'browser/menu.spec.ts', 'browser/page.ts'];
    expect(lines(files, ...paths)).toEqual([
      'browser: browser/** | npx --no-install playwright test',
      'a: src/a/** | npm test -- src/a',
      'b: src/b/** | npm test -- src/b',
      'rest: the rest | npm test && npx --no-install playwright test',
    ]);
  });

  test('one package that is not divided is one feature of its name', () => {
    const files = { 'package.json': { name: '@acme/left-pad', ...tested } };
    expect(lines(files, 'index.js', 'test/index.js')).toEqual(['left-pad: the rest | npm test']);
  });
});

describe('other languages', () => {
  test('members of a Cargo workspace', () => {
    const files = {
      'Cargo.toml':
        '[workspace]\nresolver = "2"\nmembers = [\n  "crates/*", # all\n  "cli",\n]\nexclude = ["crates/old"]\n[workspace.dependencies]\nbase = { package = "shop-core", path = "crates/core" }\n',
      'crates/core/Cargo.toml':
        '[package]\nname = "shop-core"\n\n[dependencies]\nserde.workspace = true\n',
      'crates/old/Cargo.toml': '[package]\nname = "old"\n',
      'crates/kit/Cargo.toml':
        '[package]\nname = "kit"\n[target."cfg(unix)".dev-dependencies]\nbase.workspace = true\n',
      'cli/Cargo.toml':
        '[package]\nname = "shop"\n[dependencies]\nrenamed = { package = "shop-core", path = "../crates/core" }\n',
    };
    const paths = ['crates/core/src/lib.rs', 'cli/src/main.rs', 'crates/kit/a.rs'];
    const code = Object.fromEntries(paths.map((it) => [it, '#[tokio::test]\nfn it() {}\n']));
    expect(lines({ ...files, ...code }, 'crates/old/x.md')).toEqual([
      'shop -> shop-core: cli/** | cargo test -p shop',
      'shop-core: crates/core/** | cargo test -p shop-core',
      'kit -> shop-core: crates/kit/** | cargo test -p kit',
      'rest: the rest | cargo test',
    ]);
  });

  test('packages of a Go module, and modules below the root', () => {
    const one = { 'go.mod': 'module example.com/shop/v2\n\ngo 1.23\n' };
    const paths = ['cmd/shop/main.go', 'internal/cart/cart_test.go', 'internal/pay/pay_test.go'];
    expect(lines(one, ...paths)).toEqual([
      'cart: internal/cart/** | go test ./internal/cart/...',
      'pay: internal/pay/** | go test ./internal/pay/...',
      'rest: the rest | go test ./...',
    ]);
    const many = {
      'api/go.mod': 'module example.com/api\n',
      'worker/go.mod': 'module example.com/worker\nrequire (\n\texample.com/api v0.1.0\n)\n',
    };
    expect(lines(many, 'api/a_test.go', 'worker/w_test.go')).toEqual([
      'api: api/** | go test ./... (in api)',
      'worker -> api: worker/** | go test ./... (in worker)',
      'rest: the rest | go test ./... (in api) && go test ./... (in worker)',
    ]);
  });

  const python = { 'pyproject.toml': '[project]\nname = "shop"\n[tool.pytest.ini_options]\n' };

  test.each([
    ['python3 -m pytest', {}],
    ['uv run pytest', { 'uv.lock': '' }],
    ['poetry run pytest', { 'poetry.lock': '' }],
  ])('packages of a Python project are tested by %s', (pytest, lock) => {
    const paths = ['cart/__init__.py', 'pay/__init__.py', 'pay/pay.py'].map(
      (it) => `src/shop/${it}`,
    );
    const tests = ['tests/test_cart.py', 'tests/unit/pay/test_it.py', 'tests/data/bill.json'];
    expect(lines({ ...python, ...lock }, ...paths, ...tests)).toEqual([
      `cart: src/shop/cart/** tests/test_cart.py | ${pytest} src/shop/cart tests/test_cart.py`,
      `pay: src/shop/pay/** tests/unit/** | ${pytest} src/shop/pay tests/unit`,
      `rest: the rest | ${pytest}`,
    ]);
  });

  test('a part of the tests is not asked for the coverage of all', () => {
    const paths = ['shop/a/test_a.py', 'shop/b/test_b.py'];
    const files = { ...python, '.coveragerc': '[report]\nfail_under = 90\n' };
    expect(lines(files, ...paths)).toEqual(['shop: the rest | python3 -m pytest']);
  });

  test('projects of several languages below the root, each in its own way', () => {
    const files = {
      'libs/a/pyproject.toml': '[project]\nname = "Acme.A"\n',
      'libs/a/conftest.py': '',
      'libs/b/pyproject.toml': '[project]\nname = "b"\ndependencies = ["acme_a>=1"]\n',
      'libs/b/conftest.py': '',
      'web/package.json': { name: 'web', scripts: { test: 'jest' } },
      'native/Cargo.toml': '[workspace]\nmembers = ["x"]\n',
      'native/x/Cargo.toml': '[package]\nname = "x"\n',
      'native/x/a.rs': '#[cfg(test)]\nmod tests {}\n',
    };
    const parts = [
      'web: web/** | npm test (in web)',
      'native: native/** | cargo test (in native)',
      'acme.a: libs/a/** | python3 -m pytest (in libs/a)',
      'b -> acme.a: libs/b/** | python3 -m pytest (in libs/b)',
    ];
    const paths = ['libs/a/test_a.py', 'libs/b/b_test.py', 'web/a.js'];
    expect(lines(files, ...paths).slice(0, -1)).toEqual(parts);
    // A package is tested as a makefile does, so that one run of its target can serve them all.
    const Makefile = 'test:\n\tcd libs/b && python3 -m pytest -q\n\tcd web && npx jest --ci\n';
    expect(lines({ ...files, Makefile }, ...paths)).toEqual([
      ...parts.slice(0, -1),
      `${parts.at(-1)?.replace('pytest', 'pytest -q')}`,
      'rest: the rest | make test',
    ]);
  });

  test.each([
    ['./gradlew test', { gradlew: '' }],
    ['make test', { Makefile: 'all:\n\ntest: all\n\t./run\n' }],
    ['just test', { justfile: 'test:\n    ./run\n' }],
    ['tox', { 'tox.ini': '' }],
    ['gradle test', { 'build.gradle': '' }],
    ['python3 -m pytest', { 'tests/test_a.py': 'def test_a():\n    pass\n' }],
    ['python3 -m unittest discover -s tests', { 'tests/test_a.py': 'import unittest\n' }],
  ])('%s runs everything, so nothing is divided', (command, files) => {
    expect(lines(files, 'src/a/a.c', 'lib/b.c')).toEqual([`app: the rest | ${command}`]);
  });
});

const PYTEST = { 'pytest.ini': '' };

test('more than forty are taken together by their folders, with their number', () => {
  const paths = Array.from({ length: 90 }, (_, at) => `src/${'ab'[at % 2]}/part${at}/test_it.py`);
  const nested = paths.map((it) => it.replace('src/', 'src/lib/'));
  const deep = discover(PYTEST, ...nested, 'src/lib/a/services/x/test_x.py', ...paths.slice(0, 4));
  expect(deep.length).toBeLessThanOrEqual(40);
  const packages = Array.from({ length: 60 }, (_, at) => `${'xyz'[at % 3]}/p${at}/go.mod`);
  const all = packages.map((it) => it.replace('go.mod', 'a_test.go'));
  const draft = discover(Object.fromEntries(packages.map((it) => [it, 'module m'])), ...all);
  expect(draft.map(({ name, files, because }) => `${name}: ${files.join(' ')} ${because}`)).toEqual(
    [
      'x: x/** 20 parts in `x`, taken together because there are more than 40',
      'y: y/** 20 parts in `y`, taken together because there are more than 40',
      'z: z/** 20 parts in `z`, taken together because there are more than 40',
      'rest:  all other files, with the whole suite',
    ],
  );
});

test('says why a project is one feature', () => {
  const paths = Array.from({ length: 50 }, (_, at) => `src/part${at}/test_it.py`);
  expect(discover(PYTEST, ...paths).map(({ because }) => because)).toEqual([
    'all that counts, with the whole suite: 50 parts in `src`, taken together because there are more than 40',
  ]);
});

test('names that several folders want are told apart', () => {
  const folders = ['src/api', 'lib/api', 'lib/API Keys', 'src/Ünï', 'src/!', 'src/日本'];
  const paths = folders.map((it) => `${it}/test_a.py`);
  expect(discover(PYTEST, ...paths).map(({ name }) => name)).toEqual([
    'api-keys',
    'lib-api',
    'src-api',
    'uni',
    'src',
    'rest',
  ]);
});

test.each([
  [[]],
  [['README.md', 'LICENSE', '.github/workflows/ci.yml']],
  [['src/a/a.ts', 'src/b/b.ts']],
])('%j has no features', (paths) => {
  expect(discover({}, ...paths)).toEqual([]);
});

test('odd manifests say nothing', () => {
  const files = {
    'package.json':
      '{"workspaces": [1, null, "**", {"a": 1}], "scripts": "no", "dependencies": 7, "name": 9',
    'pnpm-workspace.yaml': 'packages: [a]\n\t- b',
    'Cargo.toml': '[workspace\nmembers = "x',
    'go.mod': 'module',
    'pyproject.toml': '\0\0',
    'lerna.json': 'null',
    Makefile: 'test',
  };
  expect(lines(files, 'src/a/a_test.go', 'src/b/b_test.go')).toEqual([
    'a: src/a/** | go test ./src/a/...',
    'b: src/b/** | go test ./src/b/...',
    'rest: the rest | cargo test && go test ./...',
  ]);
});

describe('whatever the repository', () => {
  const name = fc.oneof(
    fc.constantFrom(
      'src',
      'test',
      'tests',
      'lib',
      'packages',
      'a',
      'b',
      'cart',
      '[id]',
      '..',
      '.',
      '!x',
      'C:',
      'main',
      '__proto__',
      'constructor',
      'index.ts',
      'cart.test.ts',
      'x.py',
      '__init__.py',
      'main.go',
      'package.json',
      'go.mod',
      'Cargo.toml',
      'pyproject.toml',
      'a b.js',
      '-rf.js',
      '$(x).js',
      'ü.rs',
      '\n.ts',
    ),
    fc.string({ minLength: 1, maxLength: 6 }).map((it) => it.replaceAll('/', '') || 'x'),
  );
  const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((steps) => steps.join('/'));
  const manifest = fc.oneof(
    fc.json(),
    fc.string(),
    fc.constantFrom(
      '{"workspaces":["**"],"name":"a","dependencies":{"a":"1","b":"1"},"scripts":{"test":"x"}}',
      'module x\n',
      '[workspace]\nmembers=["**"]\n[package]\nname="a"\n',
      '/a @b\n/src/ @c/d\n',
    ),
    fc.constant(undefined),
  );
  const repository = fc.record({
    paths: fc.array(path, { maxLength: 40 }),
    root: fc.subarray([
      'package.json',
      'Cargo.toml',
      'go.mod',
      'CODEOWNERS',
      'Makefile',
      'pnpm-workspace.yaml',
    ]),
    text: manifest,
  });

  test('the draft is a valid registry without cycles, and the same in any order', () => {
    fc.assert(
      fc.property(repository, ({ paths, root, text }) => {
        const all = [...root, ...paths];
        const draft = discoverFeatures({ paths: all, readFile: () => text });
        const again = discoverFeatures({ paths: all.toReversed(), readFile: () => text });
        expect(again).toEqual(draft);
        const file = draft.reduce<string | undefined>(
          (registry, { because: _, ...feature }) => setFeature(registry, feature),
          undefined,
        );
        const features = file === undefined ? [] : parseRegistryFile(file).features;
        expect(new Set(features)).toEqual(
          new Set(draft.map(({ because: _, ...feature }) => feature)),
        );
        expect(coverage(draft, all).unmatched).toEqual([]);
        const registry = new Map(features.map((feature) => [feature.name, feature]));
        for (const feature of features) withDependencies(feature.name, registry);
        return true;
      }),
      { numRuns: 1000 },
    );
  });

  test('a large one takes no longer than reading it', () => {
    const paths = Array.from(
      { length: 100_000 },
      (_, it) => `src/part${it % 900}/deep/er/${it < 900 ? 'test_' : 'file'}${it}.py`,
    );
    const cost = cpuMs(() =>
      discoverFeatures({ paths: ['pytest.ini', ...paths], readFile: () => undefined }),
    );
    expect(cost).toBeLessThan(5000);
  });
});
