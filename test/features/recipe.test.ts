/** The recipe behind a smoke test is content of its feature: without it, its evidence ends. */
import { describe, expect, test } from 'vitest';
import { recipeEntries } from '../../src/features/recipe.ts';
import { mayNameRecipe } from '../../src/features/recipe-files.ts';
import { sandbox } from '../support/sandbox.ts';
import { shop } from '../support/shop.ts';

/** A recipe that passes at once, with the program that it would start left out. */
const SCRIPTS = { pretest: 'true', test: 'npm run unit && true', unit: 'test -d src', other: 'x' };
const MANIFEST = { name: 'shop', version: '1.0.0', scripts: SCRIPTS };

describe('which files have a part in the recipe of a command', () => {
  const files: Readonly<Record<string, string>> = {
    'package.json': JSON.stringify({
      workspaces: ['packages/*'],
      scripts: { ...SCRIPTS, make: 'make all', file: 'sh scripts/test.sh' },
    }),
    'packages/a/package.json': JSON.stringify({ name: '@acme/a', scripts: { test: 'jest' } }),
    Makefile: 'include common.mk\nall: one two\none:\n\tnpm run unit\ntwo:\n\tpytest $(ARGS)\n',
    'common.mk': 'ARGS = -x\n',
    justfile: 'check: lint\n  cargo test\nlint:\n  cargo clippy\n',
    'scripts/test.sh': 'set -e\npytest\n',
  };
  const read = async (paths: readonly string[]) => paths.map((path) => files[path]);

  test.each<[command: string, cwd: string, paths: string[]]>([
    ['npm test', '', ['package.json']],
    ['npm test', 'packages/a', ['packages/a/package.json']],
    ['npm test', 'packages/a/src', ['packages/a/package.json']],
    ['cd packages/a && npm test', '', ['packages/a/package.json']],
    ['npm test -w packages/a', '', ['packages/a/package.json']],
    ['npm test --workspace @acme/a', '', ['package.json', 'packages/a/package.json']],
    ['yarn unit', '', ['package.json']],
    ['npm run make', '', ['Makefile', 'package.json']],
    ['make', '', ['Makefile', 'package.json']],
    ['just check', '', ['justfile']],
    ['npm run file', '', ['package.json', 'scripts/test.sh']],
    // No recipe: the feature can have the script among its files.
    ['sh scripts/test.sh', '', []],
    ['npx --no-install vitest run src', '', []],
    ['npm run nothing', '', []],
    ['make -f ../Makefile', '', []],
    ["make -f $'a\\nb'", '', []],
  ])('%s in `%s`', async (command, cwd, paths) => {
    const entries = await recipeEntries([{ command, cwd }], read);
    expect(entries.map(({ path }) => path).sort()).toEqual(paths);
  });

  test.each([
    ['true', false],
    ['npx --no-install vitest run src/cart', false],
    ['python -m pytest tests/cart', false],
    ['go test ./...', false],
    ['npm test', true],
    ['yarn vitest', true],
    ['cargo make test', true],
    ['true; npm test', true],
    ['pytest $(make paths)', true],
    ['pytest\nnpm test', true],
  ])('%j may name one: %s', (command, may) => {
    expect(mayNameRecipe(command)).toBe(may);
  });

  test('the digest is that of the texts that run, and of no other', async () => {
    const digests = async (changed: Readonly<Record<string, string>>) => {
      const all = { ...files, ...changed };
      const entries = await recipeEntries([{ command: 'npm test', cwd: '' }], async (paths) =>
        paths.map((path) => all[path as keyof typeof all]),
      );
      return entries.map(({ oid }) => oid).join();
    };
    const manifest = (scripts: object, more = {}) => ({
      'package.json': JSON.stringify({ scripts: { ...SCRIPTS, ...scripts }, ...more }, null, 2),
    });
    const before = await digests({});
    expect(await digests(manifest({ other: 'y', file: 'z' }, { version: '2.0.0' }))).toBe(before);
    expect(await digests({ Makefile: 'all:\n\ttrue\n' })).toBe(before);
    for (const scripts of [
      { test: 'true' },
      { test: 'npm run unit; true' },
      { unit: 'true' },
      { pretest: 'false' },
      { posttest: 'true' },
    ]) {
      expect(await digests(manifest(scripts)), JSON.stringify(scripts)).not.toBe(before);
    }
  });
});

function shopWithScripts(smoke = 'npm test --silent') {
  const project = shop(sandbox());
  project.register({ cart: { files: ['src/cart/**'], smoke: [smoke] } });
  project.write('package.json', JSON.stringify(MANIFEST, null, 2));
  project.commit('scripts');
  project.git('push', '--quiet');
  const scripts = (changed: object, more: object = {}) => {
    const all = { ...MANIFEST, ...more, scripts: { ...SCRIPTS, ...changed } };
    project.write('package.json', JSON.stringify(all, null, 2));
    project.commit('scripts changed');
  };
  return { ...project, scripts };
}

describe('at the gate', () => {
  test('a script that is gutted after the verification ends it, and is named', async () => {
    const { judge, change, verify, scripts } = shopWithScripts();
    change('src/cart/add.ts');
    await verify('cart');
    scripts({ other: 'changed' }, { version: '1.0.1' });
    expect((await judge('git push')).decision).toBe('pass');
    scripts({ unit: 'true' });
    const { held, reason } = await judge('git push');
    expect(held).toEqual(['cart']);
    expect(reason).toContain('- cart: changed since it was verified a moment ago: package.json\n');
    await verify('cart');
    expect((await judge('git push')).decision).toBe('pass');
  });

  test('a script that alone is changed concerns the feature, in every form of a push', async () => {
    const { judge, scripts, write, git, lanehold } = shopWithScripts();
    scripts({ other: 'changed' });
    expect((await judge('git push')).decision).toBe('pass');
    scripts({ test: 'true' });
    expect((await judge('git push')).held).toEqual(['cart']);
    expect((await lanehold('feature', 'pending')).stdout).toContain('cart: never verified');
    git('reset', '--quiet', '--hard', 'origin/main');
    expect((await lanehold('feature', 'pending')).stdout).toBe('Nothing pending\n');
    write('package.json', '{}');
    const commits = "git commit --quiet -am 'less' && git push";
    expect((await judge(commits)).held).toEqual(['cart']);
    git('add', 'package.json');
    write('package.json', JSON.stringify(MANIFEST));
    expect((await judge("git commit --quiet -m 'less' && git push")).held).toEqual(['cart']);
    expect((await judge(commits)).decision).toBe('pass');
  });

  test('what git ignores has no part in it: it would not leave', async () => {
    const { judge, change, write, lanehold } = shopWithScripts('true || just check');
    change('.gitignore', 'justfile\n');
    write('justfile', 'check:\n  true\n');
    change('src/cart/add.ts');
    expect((await lanehold('feature', 'verify', 'cart')).exitCode).toBe(0);
    expect((await judge('git push')).decision).toBe('pass');
  });
});
