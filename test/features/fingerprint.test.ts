/** Same content, same fingerprint, wherever it lies; anything else that counts, another one. */
import { chmodSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Feature } from '../../src/base/config/feature.ts';
import type { TreeEntry } from '../../src/base/git/tree-entry.ts';
import { featureContent } from '../../src/features/fingerprint.ts';
import { command } from '../support/command.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';
import { FEATURES, shop } from '../support/shop.ts';

const NAME: Feature = {
  name: 'cart',
  files: ['src/cart/**', '!**/*.md'],
  smoke: [{ command: 'npm test', timeoutMs: 1000, cwd: '' }],
  dependsOn: [],
  description: '',
};
const entry = (path: string, oid = '1', mode = '100644'): TreeEntry => ({ mode, oid, path });

function of(entries: readonly TreeEntry[], ...features: Partial<Feature>[]): string {
  const all = [NAME, ...features].map((it) => ({ ...NAME, ...it }));
  const content = featureContent('cart', new Map(all.map((it) => [it.name, it])));
  return content.fingerprint(content.entriesIn(entries));
}

describe('of a tree', () => {
  const tree = [entry('src/cart/a.ts'), entry('src/cart/b.ts'), entry('src/tax.ts')];

  test('does not depend on the order of the tree, nor on what it does not match', () => {
    const path = fc
      .constantFrom('src/cart/', 'src/', '')
      .chain((folder) => fc.stringMatching(/^[a-z]{1,4}(\.md)?$/).map((name) => folder + name));
    const entries = fc.uniqueArray(
      fc.record({
        path,
        oid: fc.constantFrom('1', '2'),
        mode: fc.constantFrom('100644', '100755'),
      }),
      { selector: (it) => it.path },
    );
    fc.assert(
      fc.property(entries, fc.infiniteStream(fc.nat()), (list, keys) => {
        const shuffled = list.map((it) => ({ it, key: keys.next().value ?? 0 }));
        shuffled.sort((a, b) => a.key - b.key);
        const own = list.filter((it) => /^src\/cart\/.*(?<!\.md)$/.test(it.path));
        return of(shuffled.map(({ it }) => it)) === of(own);
      }),
    );
  });

  test.each([
    ['content', [entry('src/cart/a.ts', '2'), entry('src/cart/b.ts')]],
    ['mode', [entry('src/cart/a.ts', '1', '100755'), entry('src/cart/b.ts')]],
    ['path', [entry('src/cart/a2.ts'), entry('src/cart/b.ts')]],
    ['deletion', [entry('src/cart/a.ts')]],
    ['new file', [...tree, entry('src/cart/c.ts')]],
    ['two contents swapped', [entry('src/cart/a.ts', '1'), entry('src/cart/b.ts', '3')]],
    ['a path that looks like two entries', [entry('src/cart/a.ts\x080644 1 src/cart/b.ts')]],
  ])('changes with %s', (_, entries) => {
    expect(of(entries)).not.toBe(of(tree));
  });

  test('is what it was in earlier versions, so that their evidence stays valid', () => {
    expect(of(tree)).toBe('a476854dda1427be617d0669512401372693fd6073566b390ff9864e26009963');
  });

  test('ignores timeouts, the description and the order of patterns', () => {
    const same: Partial<Feature>[] = [
      { smoke: [{ command: 'npm test', timeoutMs: 5, cwd: '' }] },
      { description: 'takes goods' },
      { files: ['!**/*.md', 'src/cart/**'] },
    ];
    for (const change of same) expect(of(tree, change)).toBe(of(tree));
  });

  test('changes with the definition', () => {
    const other: Partial<Feature>[] = [
      { files: ['src/cart/**'] },
      { files: ['src/cart/**', '!**/*.md', 'lib/**'] },
      { smoke: [] },
      { smoke: [{ command: 'npm run test', timeoutMs: 1000, cwd: '' }] },
      { smoke: [{ command: 'npm test', timeoutMs: 1000, cwd: 'src' }] },
    ];
    const found = new Set(other.map((change) => of(tree, change)));
    found.add(of(tree));
    expect(found.size).toBe(other.length + 1);
  });

  test('covers what it depends on, directly or not, and the dependency itself', () => {
    const tax = { name: 'tax', files: ['src/tax.ts'] };
    const money = { name: 'money', files: ['src/money.ts'] };
    const needs = { dependsOn: ['tax'] };
    const withMoney = (oid: string) => [...tree, entry('src/money.ts', oid)];
    expect(of(tree, needs, tax)).not.toBe(of(tree));
    expect(of([...tree.slice(0, 2), entry('src/tax.ts', '2')], needs, tax)).not.toBe(
      of(tree, needs, tax),
    );
    const chain = [needs, { ...tax, dependsOn: ['money'] }, money];
    expect(of(withMoney('1'), ...chain)).not.toBe(of(withMoney('2'), ...chain));
    // Twice the same dependency, on two ways, is one.
    const both = [{ dependsOn: ['money', 'tax'] }, { ...tax, dependsOn: ['money'] }, money];
    const swapped = [{ dependsOn: ['tax', 'money'] }, { ...tax, dependsOn: ['money'] }, money];
    expect(of(withMoney('1'), ...both)).toBe(of(withMoney('1'), ...swapped));
  });

  test.each([
    [[{ dependsOn: ['crat'] }], 'no feature named `crat` in this project, which `cart` depends on'],
    [[{ dependsOn: ['cart'] }], 'in a loop: cart -> cart'],
    [
      [
        { dependsOn: ['tax'] },
        { name: 'tax', dependsOn: ['vat'] },
        { name: 'vat', dependsOn: ['tax'] },
      ],
      'in a loop: tax -> vat -> tax',
    ],
  ])('refuses a registry that cannot be: %j', (features, words) => {
    expect(() => of(tree, ...features)).toThrow(words);
  });

  test('is asked for by a name that exists', () => {
    const registry = new Map([['checkout', { ...NAME, name: 'checkout' }]]);
    expect(() => featureContent('chekout', registry)).toThrow(/no feature named `chekout`/);
    try {
      featureContent('chekout', registry);
    } catch (error) {
      expect(error).toMatchObject({ hint: 'did you mean `checkout`?', exitCode: 2 });
    }
  });
});

const EARLIER = new Date(Date.now() - 60_000);

/** What `feature list` says of the cart in a folder. */
async function listed(
  box: Sandbox,
  folder: string,
): Promise<{ fingerprint: string; state: string }> {
  const { stdout } = await command(box, folder, ['feature', 'list', '--json']);
  return JSON.parse(stdout).features.find((it: { name: string }) => it.name === 'cart');
}

describe('of what lies in a folder', () => {
  test('is the same on a branch, in a worktree, in a clone and after a commit', async () => {
    const box = sandbox();
    const { repo, write, git, commit, verify } = shop(box);
    write('src/cart/add.ts', 'two\n');
    write('src/cart/new.ts', 'new\n');
    await verify('cart');
    const here = await listed(box, repo);
    expect(here.state).toBe('verified');
    git('add', '--all');
    expect(await listed(box, repo)).toEqual(here);
    commit();
    expect(await listed(box, repo)).toEqual(here);
    git('switch', '--quiet', '--create', 'topic');
    expect(await listed(box, join(repo, 'src'))).toEqual(here);

    git('worktree', 'add', '--quiet', '--detach', join(box.root, 'linked'));
    expect(await listed(box, join(box.root, 'linked'))).toEqual(here);
    box.git('.', 'clone', '--quiet', '--branch', 'topic', repo, 'clone');
    // Another project with the same content: the same fingerprint, but evidence of its own.
    expect(await listed(box, join(box.root, 'clone'))).toEqual({
      ...here,
      state: 'not-verified',
      at: null,
    });
  });

  test('changes with a byte, a mode, a new file, a deletion, and comes back with them', async () => {
    const box = sandbox();
    const { repo, write } = shop(box);
    const file = join(repo, 'src/cart/add.ts');
    const before = (await listed(box, repo)).fingerprint;
    const seen = new Set([before]);
    for (const change of [
      () => write('src/cart/add.ts', 'two\n'),
      () => {
        write('src/cart/add.ts', 'one\n');
        chmodSync(file, 0o755);
      },
      () => {
        chmodSync(file, 0o644);
        write('src/cart/x.ts', '');
      },
      () => {
        rmSync(join(repo, 'src/cart/x.ts'));
        rmSync(file);
      },
    ]) {
      change();
      const { fingerprint } = await listed(box, repo);
      expect(seen).not.toContain(fingerprint);
      seen.add(fingerprint);
    }
    write('src/cart/add.ts', 'one\n');
    expect((await listed(box, repo)).fingerprint).toBe(before);
  });

  test('changes with a byte also where settings have git look at few times of a file', async () => {
    const box = sandbox();
    const { repo, write, git, commit } = shop(box);
    const file = join(repo, 'src/cart/add.ts');
    const edit = (text: string) => {
      write('src/cart/add.ts', text);
      utimesSync(file, EARLIER, EARLIER);
    };
    git('config', 'core.trustctime', 'false');
    git('config', 'core.checkStat', 'minimal');
    edit('one');
    commit();
    const before = await listed(box, repo);
    // git compares whole seconds of the time of change, which comes from a clock that may run behind.
    const second = () => Math.floor(statSync(file).ctimeMs / 1_000);
    const changed = second();
    const edited = () => {
      edit('two');
      return second();
    };
    await expect.poll(edited, { timeout: 5_000 }).toBeGreaterThan(changed);
    expect((await listed(box, repo)).fingerprint).not.toBe(before.fingerprint);
  });

  test('counts content as git would commit it, not as an editor ends its lines', async () => {
    const box = sandbox();
    const { repo, write, commit } = shop(box);
    write('.gitattributes', '*.ts text\n');
    commit();
    const before = (await listed(box, repo)).fingerprint;
    write('src/cart/add.ts', 'one\r\n');
    expect((await listed(box, repo)).fingerprint).toBe(before);
  });

  test('does not count what is ignored, nor files of other features', async () => {
    const box = sandbox();
    const { repo, write } = shop(box);
    write('.gitignore', '*.log\n');
    const before = (await listed(box, repo)).fingerprint;
    write('src/cart/x.log', 'noise\n');
    write('src/checkout/pay.ts', 'two\n');
    expect((await listed(box, repo)).fingerprint).toBe(before);
  });

  test('is the same with git and without', async () => {
    const box = sandbox();
    const { repo } = shop(box);
    box.write('plain/lanehold.json', JSON.stringify({ features: FEATURES }));
    box.write('plain/src/cart/add.ts', 'one\n');
    const plain = await listed(box, join(box.root, 'plain'));
    expect(plain.fingerprint).toBe((await listed(box, repo)).fingerprint);
  });
});
