/** What `git push` would send, and what it is compared with: one situation of git each. */
import { describe, expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { type Shop, shop } from '../support/shop.ts';

/** A shop whose `cart` was changed in the last commit, on `main`, and not pushed. */
function changedShop(): Shop {
  const project = shop(sandbox());
  project.change('src/cart/add.ts');
  return project;
}

describe('a push of a branch that the remote has', () => {
  test('is held for the features whose content the remote does not have', async () => {
    const { judge } = changedShop();
    expect(await judge('git push')).toMatchObject({
      decision: 'deny',
      held: ['cart'],
      exitCode: 3,
    });
  });

  test('passes once exactly that content is verified, and no other', async () => {
    const { judge, verify, change } = changedShop();
    await verify('cart');
    expect(await judge('git push')).toMatchObject({ decision: 'pass', exitCode: 0 });
    change('src/cart/add.ts', 'again\n');
    expect(await judge('git push')).toMatchObject({ decision: 'deny', held: ['cart'] });
    change('src/cart/add.ts', 'src/cart/add.ts changed\n');
    expect(await judge('git push')).toMatchObject({ decision: 'pass' });
  });

  test('passes when nothing of a feature is new', async () => {
    const { judge, change } = shop(sandbox());
    expect(await judge('git push')).toMatchObject({ decision: 'pass' });
    change('README.md');
    expect(await judge('git push')).toMatchObject({ decision: 'pass' });
  });

  test('does not look at what is not committed', async () => {
    const { judge, write } = shop(sandbox());
    write('src/cart/add.ts', 'work in progress\n');
    expect(await judge('git push')).toMatchObject({ decision: 'pass' });
  });

  test.each([
    'git push origin',
    'git push origin main',
    'git push origin HEAD',
    'git push origin @',
    'git push origin +main',
    'git push -u origin HEAD:main',
    'git push origin main:refs/heads/main',
    'git push --force-with-lease origin refs/heads/main',
    'git push --all',
    'git push --branches origin',
    'git push --mirror',
    "git push origin 'refs/heads/*'",
    "git push origin 'refs/heads/*:refs/heads/*'",
    'git push origin :',
    'git push origin README:x main',
    'git push --repo=origin',
    'git -c push.default=matching push',
    'git push --delete --no-delete origin main',
    'git push origin HEAD~0:main',
    'git -C . push',
    'git --git-dir=.git push',
    'GIT_DIR=.git git push',
    'git push origin :/Round:refs/heads/q',
    "git push origin '+:/Round: totals:refs/heads/q'",
    "git push origin ':/!-nothing:refs/heads/q'",
    "git push origin 'HEAD^{/Round: t}:q'",
  ])('%s is held as well', async (text) => {
    const { judge, git } = changedShop();
    git('tag', 'README', 'HEAD~1');
    git('commit', '--quiet', '--amend', '--message', 'Round: totals');
    expect(await judge(text)).toMatchObject({ decision: 'deny', held: ['cart'] });
  });

  test.each([
    'git push --tags --delete origin v1',
    'git push origin --delete main',
    'git push -d origin main',
    'git push origin :main',
    'git push origin +:main',
    'git push origin main~1:main',
    'git push origin main^:refs/heads/topic',
    'git push origin clean',
    'git push origin clean:main',
    'git push origin :/first:refs/heads/q',
    'git -c push.default=nothing push',
  ])('%s sends nothing that the remote does not have', async (text) => {
    const { judge, git } = changedShop();
    git('branch', 'clean', 'origin/main');
    // What only deletes is no boundary at all.
    const deletes = / -d | --delete | \+?:main$/.test(text);
    expect(await judge(text)).toMatchObject({ decision: deletes ? 'none' : 'pass' });
  });
});

describe('which ref leaves', () => {
  test('each of several refspecs counts', async () => {
    const { judge, git, change } = changedShop();
    git('switch', '--quiet', '--create', 'topic', 'origin/main');
    change('src/checkout/pay.ts');
    expect((await judge('git push origin topic')).held).toEqual(['checkout']);
    expect((await judge('git push origin main topic:other')).held).toEqual(['cart', 'checkout']);
    expect((await judge('git push --all origin')).held).toEqual(['cart', 'checkout']);
  });

  test('source and destination of `a:b` are told apart', async () => {
    const { judge, git, verify, change } = changedShop();
    await verify('cart');
    git('push', '--quiet', 'origin', 'main:topic');
    git('branch', 'topic', 'origin/main');
    // The remote's topic has the change already; its main does not.
    expect((await judge('git push origin main:topic')).decision).toBe('pass');
    change('src/checkout/pay.ts');
    expect((await judge('git push origin main:topic')).held).toEqual(['checkout']);
    expect((await judge('git push origin topic:main')).decision).toBe('pass');
  });

  test('tags leave with what they point to', async () => {
    const { judge, git, change } = shop(sandbox());
    git('tag', 'v1');
    expect((await judge('git push origin v1')).decision).toBe('pass');
    change('src/cart/add.ts');
    git('tag', '--annotate', '--message', 'two', 'v2');
    git('reset', '--quiet', '--hard', 'HEAD~1');
    expect((await judge('git push')).decision).toBe('pass');
    for (const text of ['git push origin v2', 'git push --tags', 'git push origin tag v2']) {
      expect(await judge(text)).toMatchObject({ decision: 'deny', held: ['cart'] });
    }
  });

  test('--mirror sends what no branch and no tag names, too', async () => {
    const { judge, git, write } = shop(sandbox());
    write('src/cart/add.ts', 'stashed\n');
    git('stash', '--quiet');
    expect((await judge('git push --all')).decision).toBe('pass');
    expect(await judge('git push --mirror')).toMatchObject({ decision: 'deny', held: ['cart'] });
    expect(await judge("git push origin 'refs/*:refs/*'")).toMatchObject({ held: ['cart'] });
    expect(await judge('git push origin refs/stash:refs/heads/x')).toMatchObject({
      held: ['cart'],
    });
  });

  test('a ref that does not exist yet cannot be judged', async () => {
    const { judge } = changedShop();
    const { decision, reason, exitCode } = await judge('git push origin nowhere');
    expect({ decision, exitCode }).toEqual({ decision: 'deny', exitCode: 1 });
    expect(reason).toContain('the push names `nowhere`, which is no commit in this repository');
    expect(reason).toContain('To proceed: make it first, then push it in a command of its own');
  });

  test('nor one that the command does not spell out', async () => {
    const { judge } = changedShop();
    const { decision, reason } = await judge('git push origin "$(cat branch.txt)"');
    expect(decision).toBe('deny');
    expect(reason).toContain('To proceed: write the remote and the branch out');
  });
});

describe('other ways to push', () => {
  test.each([
    'git-push origin main',
    'git-push REMOTE topic',
    'git send-pack REMOTE topic',
    'git send-pack REMOTE main topic:other',
    'git send-pack --all REMOTE',
    'git send-pack --mirror REMOTE',
  ])('%s is judged by what it sends', async (text) => {
    const { judge, git, remote } = changedShop();
    git('branch', 'topic');
    git('switch', '--quiet', '--detach', 'origin/main');
    expect((await judge(text.replace('REMOTE', remote))).held).toEqual(['cart']);
    const clean = await judge(`git send-pack ${remote} HEAD:refs/heads/x`);
    expect(clean.decision).toBe('pass');
  });

  test.each(['git send-pack --stdin origin < refs.txt', 'git send-pack ../remote.git'])(
    '%s does not say what it sends',
    async (text) => {
      const { judge } = changedShop();
      expect(await judge(text)).toMatchObject({ decision: 'deny', exitCode: 1 });
    },
  );

  test.each(['git subtree push --prefix=src origin main', 'git lfs push origin main'])(
    '%s sends a part of what HEAD holds',
    async (text) => {
      const { judge, git } = changedShop();
      expect((await judge(text)).held).toEqual(['cart']);
      git('reset', '--quiet', '--hard', 'origin/main');
      expect((await judge(text)).decision).toBe('pass');
    },
  );

  test('submodules that leave along are not looked at, so that they may not', async () => {
    const box = sandbox();
    const { judge, git, commit } = shop(box);
    const inner = box.repo('inner');
    box.write('inner/a.ts', '');
    box.commit(inner);
    git('submodule', '--quiet', 'add', inner, 'lib/inner');
    commit();
    expect((await judge('git push')).decision).toBe('pass');
    for (const text of [
      'git push --recurse-submodules=on-demand',
      'git push --recurse-submodules only',
      'git -c push.recurseSubmodules=on-demand push',
      'git -c submodule.recurse=true push',
    ]) {
      const { decision, exitCode, reason } = await judge(text);
      expect({ text, decision, exitCode }).toEqual({ text, decision: 'deny', exitCode: 1 });
      expect(reason).toContain('--recurse-submodules=check');
    }
    expect((await judge('git push --recurse-submodules=check')).decision).toBe('pass');
    expect(
      (await judge('git -c submodule.recurse=true push --no-recurse-submodules')).decision,
    ).toBe('pass');
  });
});
