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
  discover(...args).map(({ name, files, smoke, dependsOn }) => {
    const commands = smoke.map(({ command, cwd }) =>
      cwd === '' ? command : `${command} (in ${cwd})`,
    );
    const needs = dependsOn.length === 0 ? '' : ` -> ${dependsOn.join(', ')}`;
    return `${name}${needs}: ${files.join(' ')} | ${commands.join(' && ')}`;
  });

describe('JavaScript', () => {
  const workspaces: Files = {
    'package.json': {
      workspaces: ['packages/*', '!packages/private'],
      scripts: { test: 'vitest' },
    },
    'packages/cart/package.json': { name: '@acme/cart', scripts: { test: 'vitest run' } },
    'packages/checkout/package.json': {
      name: '@acme/checkout',
      dependencies: { '@acme/cart': 'workspace:*', zod: '^4' },
      scripts: { test: 'vitest run' },
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
      'theme: packages/theme/** | ',
      'private: packages/private/** | npm test',
    ]);
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
    const named = { name: '@acme/basket', scripts: { test: 'vitest run' } };
    const files = { ...workspaces, 'packages/cart/package.json': named };
    expect(lines(files, ...sources)[0]).toBe(
      'basket: packages/cart/** | npm test (in packages/cart)',
    );
  });

  test('pnpm lists its workspaces in a file of its own', () => {
    const files = {
      'package.json': {},
      'pnpm-workspace.yaml':
        "# all\npackages:\n  - 'libs/*' # shared\n  - \"apps/**\"\n\n  - '!apps/old'\ncatalog:\n  - x\n",
      'libs/ui/package.json': { name: 'ui' },
      'apps/shop/web/package.json': { name: 'web', devDependencies: { ui: '*' } },
      'apps/old/package.json': { name: 'old' },
    };
    const paths = ['libs/ui/a.ts', 'apps/shop/web/b.ts', 'apps/old/c.md'];
    expect(lines(files, ...paths)).toEqual(['web -> ui: apps/shop/web/** | ', 'ui: libs/ui/** | ']);
  });

  test('a package inside another is its own', () => {
    const files = {
      'package.json': { workspaces: { packages: ['a', 'a/b'] } },
      'a/package.json': { name: 'outer' },
      'a/b/package.json': { name: 'inner' },
    };
    expect(lines(files, 'a/x.js', 'a/b/y.js')).toEqual([
      'outer: a/** !a/b/** | ',
      'inner: a/b/** | ',
    ]);
  });

  test('packages that need each other do not make a cycle', () => {
    const files = {
      'package.json': { workspaces: ['*'] },
      'a/package.json': { name: 'a', dependencies: { b: '*' } },
      'b/package.json': { name: 'b', devDependencies: { c: '*' } },
      'c/package.json': { name: 'c', devDependencies: { a: '*', c: '*' } },
    };
    expect(lines(files, 'a/x.js', 'b/x.js', 'c/x.js')).toEqual([
      'a -> b: a/** | ',
      'b -> c: b/** | ',
      'c: c/** | ',
    ]);
  });

  test('the folders of src, with the tests that mirror them', () => {
    const files = {
      'package.json': {
        name: 'shop',
        scripts: { test: 'vitest run', 'test:api': 'node api-tests.js' },
        devDependencies: { vitest: '^5' },
      },
    };
    const paths = [
      'src/cart/add.ts',
      'test/cart/add.test.ts',
      'src/checkout/pay.ts',
      'src/checkout/pay.test.ts',
      'tests/checkout.e2e.ts',
      'src/api/server.ts',
      'src/theme/colours.ts',
      'src/main.ts',
      'test/main.test.ts',
      'test/helpers.ts',
      'docs/conf.py',
    ];
    expect(lines(files, ...paths)).toEqual([
      'api: src/api/** | npm run test:api',
      'cart: src/cart/** test/cart/** | npx --no-install vitest run test/cart',
      'checkout: src/checkout/** tests/checkout.e2e.ts | npx --no-install vitest run src/checkout tests/checkout.e2e.ts',
      'theme: src/theme/** | npm test',
      'core: src/* test/main.test.ts | npx --no-install vitest run test/main.test.ts',
    ]);
  });

  test('folders with brackets are matched as they are, and not put into commands', () => {
    const files = { 'package.json': { scripts: { test: 'jest' } } };
    const paths = ['app/[id]/page.tsx', 'app/[id]/page.test.tsx', 'app/(shop)/cart.tsx'];
    expect(lines(files, ...paths)).toEqual([
      'shop: app/\\(shop\\)/** | npm test',
      'id: app/\\[id\\]/** | npm test',
    ]);
    expect(coverage(discover(files, ...paths), paths).unmatched).toEqual([]);
  });

  test('one package that is not divided is one feature of its name', () => {
    const files = { 'package.json': { name: '@acme/left-pad', scripts: { test: 'node --test' } } };
    expect(lines(files, 'index.js', 'test/index.js')).toEqual([
      'left-pad: test/** index.js | npm test',
    ]);
    expect(lines(files, 'src/index.js')).toEqual(['left-pad: src/** | npm test']);
  });
});

describe('other languages', () => {
  test('members of a Cargo workspace', () => {
    const files = {
      'Cargo.toml':
        '[workspace]\nresolver = "2"\nmembers = [\n  "crates/*", # all\n  "cli",\n]\nexclude = ["crates/old"]\n',
      'crates/core/Cargo.toml':
        '[package]\nname = "shop-core"\n\n[dependencies]\nserde.workspace = true\n',
      'crates/old/Cargo.toml': '[package]\nname = "old"\n',
      'cli/Cargo.toml':
        '[package]\nname = "shop"\n[dependencies]\nshop-core = { path = "../crates/core" }\n',
    };
    expect(lines(files, 'crates/core/src/lib.rs', 'cli/src/main.rs', 'crates/old/x.md')).toEqual([
      'shop -> shop-core: cli/** | cargo test -p shop',
      'shop-core: crates/core/** | cargo test -p shop-core',
    ]);
  });

  test('manifests are read however they are written', () => {
    const cargo = {
      'Cargo.toml': 'workspace = { members = ["a", \'b\'] }',
      'a/Cargo.toml': 'package.name = "a"\n[target."cfg(unix)".dependencies]\nb = "1"\n',
      'b/Cargo.toml': '[package]\nname = """b"""\n[dependencies.a]\npath = "../a"\n',
    };
    expect(lines(cargo, 'a/src/lib.rs', 'b/src/lib.rs')).toEqual([
      'a: a/** | cargo test -p a',
      'b -> a: b/** | cargo test -p b',
    ]);
    const pnpm = {
      'package.json': {},
      'pnpm-workspace.yaml': 'packages: [libs/*, "!libs/old"]\r\n',
      'libs/ui/package.json': { name: 'ui' },
      'libs/old/package.json': { name: 'old' },
    };
    expect(lines(pnpm, 'libs/ui/a.ts', 'libs/old/b.md')).toEqual(['ui: libs/ui/** | ']);
  });

  test('packages of a Go module, and modules below the root', () => {
    const one = { 'go.mod': 'module example.com/shop/v2\n\ngo 1.23\n' };
    expect(
      lines(one, 'cmd/shop/main.go', 'internal/cart/cart.go', 'internal/pay/pay_test.go'),
    ).toEqual([
      'shop: cmd/shop/** | go test ./cmd/shop/...',
      'cart: internal/cart/** | go test ./internal/cart/...',
      'pay: internal/pay/** | go test ./internal/pay/...',
    ]);
    const many = {
      'api/go.mod': 'module example.com/api\n',
      'worker/go.mod': 'module example.com/worker\nrequire (\n\texample.com/api v0.1.0\n)\n',
    };
    expect(lines(many, 'api/a.go', 'worker/w.go')).toEqual([
      'api: api/** | go test ./... (in api)',
      'worker -> api: worker/** | go test ./... (in worker)',
    ]);
  });

  test('packages of a Python project, flat or under src, and projects below the root', () => {
    const files = { 'pyproject.toml': '[project]\nname = "shop"\n[tool.pytest.ini_options]\n' };
    const flat = [
      'shop/__init__.py',
      'shop/cart/__init__.py',
      'shop/pay/__init__.py',
      'tests/test_cart.py',
    ];
    expect(lines(files, ...flat)).toEqual([
      'cart: shop/cart/** tests/test_cart.py | python -m pytest tests/test_cart.py',
      'pay: shop/pay/** | python -m pytest',
      'core: shop/* | python -m pytest',
    ]);
    expect(lines(files, ...flat.map((path) => path.replace(/^shop/, 'src/shop')))[0]).toBe(
      'cart: src/shop/cart/** tests/test_cart.py | python -m pytest tests/test_cart.py',
    );
    const many = {
      'libs/a/pyproject.toml': '[project]\nname = "Acme.A"\n',
      'libs/b/pyproject.toml': '[project]\nname = "b"\ndependencies = ["acme_a>=1"]\n',
      'libs/b/conftest.py': '',
    };
    expect(lines(many, 'libs/a/a.py', 'libs/b/b.py')).toEqual([
      'acme.a: libs/a/** | ',
      'b -> acme.a: libs/b/** | python -m pytest (in libs/b)',
    ]);
  });

  test('Java under its long folders, with the tests beside main', () => {
    const paths = ['cart/Cart', 'pay/Pay'].flatMap((path) => [
      `src/main/java/com/acme/${path}.java`,
      `src/test/java/com/acme/${path}Test.java`,
    ]);
    expect(lines({ gradlew: '' }, ...paths)[0]).toBe(
      'cart: src/main/java/com/acme/cart/** src/test/java/com/acme/cart/** | ./gradlew test',
    );
  });

  test('a test target of make serves where nothing else does', () => {
    expect(lines({ Makefile: 'all:\n\ntest: all\n\t./run\n' }, 'src/a.c', 'lib/b.c')).toEqual([
      'lib: lib/** | make test',
      'src: src/** | make test',
    ]);
  });
});

test('owners group what nothing else does', () => {
  const files = {
    CODEOWNERS:
      '* @acme/all\n/run.sh @acme/ops # and\n/deploy.sh @acme/ops\n/src/ @acme/web\n/gone @acme/x\n',
  };
  expect(lines(files, 'src/a/x.ts', 'src/b/y.ts', 'run.sh', 'deploy.sh')).toEqual([
    'a: src/a/** | ',
    'b: src/b/** | ',
    'ops: run.sh deploy.sh | ',
  ]);
});

test('names that several folders want are told apart', () => {
  const paths = [
    'src/api/a.ts',
    'lib/api/b.ts',
    'lib/API Keys/c.ts',
    'src/Ünï/d.ts',
    'src/!/e.ts',
    'src/日本/f.ts',
  ];
  expect(discover({}, ...paths).map(({ name }) => name)).toEqual([
    'api-keys',
    'lib-api',
    'src-api',
    'uni',
    'src',
  ]);
});

test('says what suggests each feature', () => {
  const [first] = discover({}, 'src/cart/a.ts', 'test/cart/a.test.ts', 'src/b/b.ts');
  expect(first?.because).toBe('source folder `src/b`');
  expect(discover({}, 'run.py')[0]?.because).toBe('all of the source, since nothing divides it');
});

test.each([[[]], [['README.md', 'LICENSE', '.github/workflows/ci.yml']]])(
  '%j has no features',
  (paths) => {
    expect(discover({}, ...paths)).toEqual([]);
  },
);

test('odd manifests say nothing', () => {
  const files = {
    'package.json':
      '{"workspaces": [1, null, "**", {"a": 1}], "scripts": "no", "dependencies": 7, "name": 9',
    'pnpm-workspace.yaml': 'packages: [a]\n\t- b',
    'Cargo.toml': '[workspace\nmembers = "x',
    'go.mod': 'module',
    'pyproject.toml': '\0\0',
    'lerna.json': 'null',
    CODEOWNERS: '\\ @\n[x]\n!a b',
  };
  expect(lines(files, 'src/a/a.ts', 'src/b/b.ts')).toHaveLength(2);
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
      (_, it) => `src/part${it % 900}/deep/er/file${it}.ts`,
    );
    const cost = cpuMs(() =>
      expect(discoverFeatures({ paths, readFile: () => undefined })).toHaveLength(300),
    );
    expect(cost).toBeLessThan(5000);
  });
});
