/** A pass in a working tree that has more than what leaves proves nothing for a commit that lacks it. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { guarded, push } from '../support/pushing.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';
import { type Shop, shop } from '../support/shop.ts';

/** `cart` passes only where a file says so that is no part of it. */
const NEEDY = {
  cart: { files: ['src/cart/**'], smoke: ['cat lib/* lib/*/* src/cart/lib/* | grep -q needed'] },
};
/** Whatever lies there. */
const EASY = { cart: { files: ['src/cart/**'], smoke: ['true'] } };

const offered = (reason: string): string => /^Verify[^:]*: (.*)$/m.exec(reason)?.[1] ?? '';

test.each<[string, (it: Shop, box: Sandbox) => unknown]>([
  ['an untracked file', (it) => it.write('lib/new', 'needed\n')],
  [
    'a change of a tracked file',
    (it) => {
      it.change('lib/old', 'other\n');
      it.write('lib/old', 'needed\n');
    },
  ],
  [
    'changes that git was told not to see',
    (it) => {
      it.write('lib/old', 'other\n');
      it.change('lib/local', 'other\n');
      it.git('update-index', '--skip-worktree', 'lib/local');
      it.git('update-index', '--assume-unchanged', 'lib/old');
      it.write('lib/old', 'needed\n');
      it.write('lib/local', 'needed\n');
    },
  ],
  [
    'a file of a repository that lies in the tree',
    (it, box) => {
      box.repo('shop/lib/inner');
      it.write('lib/inner/new', 'needed\n');
      box.commit(join(it.repo, 'lib/inner'));
    },
  ],
  [
    'a file that a link leads to',
    (it) => {
      symlinkSync('../../other', join(it.repo, 'src/cart/lib'));
      it.commit();
      it.write('other/new', 'needed\n');
    },
  ],
  [
    'a file outside of the project that a link leads to',
    (it, box) => {
      symlinkSync('../../../away', join(it.repo, 'src/cart/lib'));
      it.commit();
      box.write('away/new', 'needed\n');
    },
  ],
  [
    'a file of a repository that is named by its commit alone',
    (it, box) => {
      box.repo('shop/src/cart/lib');
      it.write('src/cart/lib/new', 'needed\n');
      box.commit(join(it.repo, 'src/cart/lib'));
      it.commit();
    },
  ],
])('%s that a smoke test needs: both layers hold, and name the commit at once', async (_, make) => {
  const box = sandbox();
  const it = await guarded(box, { features: NEEDY });
  it.change('src/cart/add.ts');
  await make(it, box);
  const inOneLine = /^lanehold feature verify cart --at \w{12} && git push$/;
  const first = await it.judge('git push');
  expect(offered(first.reason)).toMatch(inOneLine);
  const itself = await it.judge('lanehold feature verify cart && git push');
  expect(itself.reason).toContain('does not count: ');
  await it.verify('cart');
  const { decision, reason } = await it.judge('git push');
  expect(decision).toBe('deny');
  expect(reason).toMatch(
    /^- cart: it passed a moment ago beside \S+(?:, \S+)?, which (?:does|do) not leave$/m,
  );
  expect(offered(reason)).toMatch(inOneLine);
  const { verdict, stderr } = await push(box, it);
  expect(verdict).toBe('held');
  expect(offered(stderr)).toMatch(/ feature verify cart --at \w{12}$/);
  const atCommit = await it.lanehold('feature', 'verify', 'cart', '--at', 'HEAD');
  expect(atCommit.stdout).toContain('Not verified');
  await it.verify('cart');
  expect((await it.judge('git push')).decision).toBe('deny');
});

/** What does not keep a pass in place from letting a push through. */
test.each<[string, (it: Shop) => unknown, (it: Shop) => unknown]>([
  ['leaves with it', (it) => it.write('lib/new', 'x\n'), (it) => it.commit()],
  [
    'leaves with it, and has changed since',
    (it) => it.write('lib/new', 'x\n'),
    (it) => it.change('lib/new', 'y\n'),
  ],
  ['came later', () => undefined, (it) => it.write('lib/new', 'x\n')],
  ['is ignored', (it) => it.write('node_modules/x/index.js', 'x\n'), () => undefined],
  [
    'no test reads',
    (it) => {
      for (const path of ['PLAN.md', 'docs/new.md', 'run.log', 'a.patch', '.vscode/settings.json'])
        it.write(path, 'x\n');
    },
    () => undefined,
  ],
  [
    'git was told not to see, and has not changed',
    (it) => {
      it.change('lib/old', 'x\n');
      it.git('update-index', '--skip-worktree', 'lib/old', 'README.md');
      it.write('README.md', 'mine\n');
    },
    () => undefined,
  ],
  [
    'was there when it passed at the commit',
    async (it) => {
      it.write('scratch.js', 'x\n');
      await it.verify('cart', '--at', 'HEAD');
    },
    () => undefined,
  ],
])('nobody is held for what %s', async (_, before, after) => {
  const it = shop(sandbox(), { features: EASY });
  it.write('.gitignore', 'node_modules\n');
  it.change('src/cart/add.ts');
  await before(it);
  await it.verify('cart');
  await after(it);
  const { decision, reason } = await it.judge('git push');
  expect(decision, reason).toBe('pass');
});

test('a private file that only a rest has is never to be committed, and a pass beside it says so', async () => {
  const it = shop(sandbox(), {
    features: { ...EASY, rest: { rest: true, smoke: ['true'] } },
  });
  it.change('package.json', '{}\n');
  it.write('my-notes.txt', 'secret\n');
  const passed = await it.lanehold('feature', 'verify', 'rest');
  expect(passed.stdout).toMatch(
    /^Verified 1 of 1: rest\n {2}beside my-notes\.txt, .*\n {2}add `--at HEAD`/,
  );
  const { reason } = await it.judge('git push');
  expect(reason).not.toContain('Commit ');
  expect(offered(reason)).toMatch(/^lanehold feature verify rest --at \w{12} && git push$/);
  const whole = await it.lanehold('feature', 'verify', 'rest', '--at', 'HEAD');
  expect(whole.stdout).toBe('Verified 1 of 1: rest\n');
  expect((await it.judge('git push')).decision).toBe('pass');
  it.git('push', '--quiet');
  it.write('scratch.txt', 'x\n');
  expect((await it.lanehold('status')).stdout).toContain(
    'Not committed, held once it is: 1\n  rest: changed since',
  );
  expect((await it.lanehold('statusline')).stdout).toBe('lanehold: nothing to verify\n');
  it.git('clean', '-fq', 'scratch.txt');
  it.change('packages/api/package.json', '{}\n');
  const NEW = '  packages/api has no feature: `lanehold feature discover --write --try`\n';
  expect((await it.lanehold('feature', 'verify', 'rest')).stdout).toContain(NEW);
  it.change('packages/api/index.js', '1;\n');
  expect((await it.lanehold('feature', 'verify', 'rest')).stdout).not.toContain('no feature');
  it.change('package.json', '{"a": 1}\n');
  it.write('package.json', '{"a": 2}\n');
  it.git('clean', '-fq', 'my-notes.txt');
  await it.verify('rest');
  expect((await it.judge('git push')).reason).toContain('\nCommit package.json, then ');
});

test('who asks what is pending is told of the commit, too', async () => {
  const it = shop(sandbox(), { features: EASY });
  it.change('src/cart/add.ts');
  it.write('scratch.js', 'x\n');
  await it.verify('cart');
  expect((await it.lanehold('feature', 'pending')).exitCode).toBe(3);
  const { stderr } = await it.lanehold('feature', 'verify', '--pending');
  expect(stderr).toContain(
    'commit, stash or ignore scratch.js, or `lanehold feature verify cart --at HEAD`',
  );
});

test('a link that leads from any checkout into the working tree keeps a commit from passing', async () => {
  const it = shop(sandbox(), { features: NEEDY });
  it.write('other/new', 'needed\n');
  symlinkSync(join(it.repo, 'other'), join(it.repo, 'src/cart/lib'));
  it.git('add', 'src/cart');
  it.git('commit', '--quiet', '--message', 'link');
  const { stdout } = await it.lanehold('feature', 'verify', 'cart', '--at', 'HEAD');
  expect(stdout).toContain('src/cart/lib leads into the working tree');
  expect((await it.judge('git push')).decision).toBe('deny');
});

describe('a sparse checkout', () => {
  const sparse = () => {
    const box = sandbox();
    const it = shop(box, {
      features: { cart: { files: ['src/**'], smoke: ['! grep -rq failing src'] } },
    });
    it.write('src/checkout/pay.test.ts', 'failing\n');
    it.change('src/cart/add.ts');
    it.git('sparse-checkout', 'set', 'src/cart');
    return it;
  };

  test('is no pass where a file of the feature is not there, and a commit is tested whole', async () => {
    const it = sparse();
    const here = await it.lanehold('feature', 'verify', 'cart');
    expect(here.exitCode).toBe(1);
    expect(`${here.stdout}${here.stderr}`).toMatch(/src\/checkout\/\S+ is not checked out here/);
    expect((await it.judge('git push')).decision).toBe('deny');
    const whole = await it.lanehold('feature', 'verify', 'cart', '--at', 'HEAD');
    expect(whole.stdout).toContain('Not verified');
  });
});
