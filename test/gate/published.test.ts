/** What others have already: any branch of the remote, whatever its address is spelled like. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { plainAddress } from '../../src/base/git/address.ts';
import { guarded, push } from '../support/pushing.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';
import { type Shop, shop } from '../support/shop.ts';

/** A colleague has put content on these branches that nobody has verified here. */
function withColleague(box: Sandbox, { git, remote }: Pick<Shop, 'git' | 'remote'>): void {
  const theirs = join(box.root, 'colleague');
  box.git('.', 'clone', '--quiet', remote, theirs);
  box.git(theirs, 'switch', '--quiet', '--create', 'develop');
  box.write('colleague/src/cart/add.ts', 'developed\n');
  box.commit(theirs, 'develop the cart');
  box.write('colleague/src/checkout/pay.ts', 'developed\n');
  box.commit(theirs, 'develop the checkout');
  box.git(theirs, 'push', '--quiet', 'origin', 'develop', 'develop~1:refs/heads/early');
  git('fetch', '--quiet', 'origin');
}

describe('what any branch of the remote has', () => {
  test('is not held again, by the hook of an agent and by that of git', async () => {
    const box = sandbox();
    const it = await guarded(box);
    const { git, judge, change } = it;
    withColleague(box, it);
    /** Both layers on a new branch, which is thrown away again where it could be pushed. */
    const heldAs = async (branch: string): Promise<readonly string[]> => {
      const { held } = await judge(`git push -u origin ${branch}`);
      const pushed = await push(box, it, ['origin', branch]);
      expect({ branch, held: pushed.held }).toEqual({ branch, held });
      if (pushed.verdict === 'pushed')
        git('push', '--quiet', '--no-verify', 'origin', `:${branch}`);
      return held;
    };
    git('switch', '--quiet', '--create', 'readme', 'origin/develop~1');
    change('README.md', 'from an early state of develop\n');
    expect(await heldAs('readme')).toEqual([]);
    // Its upstream branch is what the working tree is compared with.
    git('branch', '--quiet', '--set-upstream-to', 'origin/develop');
    expect((await it.lanehold('feature', 'pending')).exitCode).toBe(0);
    git('switch', '--quiet', '--create', 'stacked');
    change('src/cart/add.ts', 'mine\n');
    expect(await heldAs('stacked')).toEqual(['cart']);
    git('switch', '--quiet', '--create', 'merged', 'origin/main');
    git('merge', '--quiet', '--no-edit', '--no-ff', 'origin/develop');
    expect(await heldAs('merged')).toEqual([]);
    change('src/checkout/pay.ts', 'mine\n');
    expect(await heldAs('merged')).toEqual(['checkout']);
  });

  test('is not held where a branch that was pushed is merged with it or rebased onto it', async () => {
    const box = sandbox();
    const it = await guarded(box);
    const { git, judge, change } = it;
    git('switch', '--quiet', '--create', 'topic');
    change('README.md', 'topic\n');
    git('push', '--quiet', '--no-verify', '-u', 'origin', 'topic');
    withColleague(box, it);
    git('switch', '--quiet', '--create', 'copy', '--no-track', 'origin/topic');
    git('rebase', '--quiet', 'origin/develop~1');
    expect((await judge('git push --force origin copy:topic')).held).toEqual([]);
    git('switch', '--quiet', 'topic');
    git('merge', '--quiet', '--no-edit', 'origin/develop~1');
    expect((await judge('git push')).held).toEqual([]);
    expect((await push(box, it)).verdict).toBe('pushed');
    change('src/cart/add.ts', 'mine\n');
    expect((await judge('git push')).held).toEqual(['cart']);
    expect((await push(box, it)).held).toEqual(['cart']);
    // What is taken back at the remote has never been verified.
    git('reset', '--quiet', '--hard', 'origin/topic');
    change('src/checkout/pay.ts', 'broken\n');
    change('src/checkout/pay.ts', 'mended\n');
    await it.verify('checkout');
    expect((await push(box, it)).verdict).toBe('pushed');
    git('reset', '--quiet', '--hard', 'HEAD~1');
    expect((await judge('git push --force')).held).toEqual(['checkout']);
    expect((await push(box, it, ['--force'])).held).toEqual(['checkout']);
  });

  test('is the base of a pull request where the command names it', async () => {
    const box = sandbox();
    const it = shop(box);
    withColleague(box, it);
    it.git('switch', '--quiet', '--create', 'topic', 'origin/develop');
    it.change('README.md');
    expect((await it.judge('gh pr create --fill')).held).toEqual(['cart', 'checkout']);
    for (const text of [
      'gh pr create --base develop --fill',
      'gh pr create -B develop -t x -b y',
      'glab mr create --target-branch=develop',
    ]) {
      expect({ text, ...(await it.judge(text)) }).toMatchObject({ text, decision: 'pass' });
    }
    it.change('src/cart/add.ts', 'mine\n');
    expect((await it.judge('gh pr create --base develop')).held).toEqual(['cart']);
  });
});

describe('a fork', () => {
  test('has what the repository has that it was forked from, not the other way round', async () => {
    const box = sandbox();
    const it = await guarded(box);
    const { git, judge, change } = it;
    const upstream = join(box.root, 'upstream.git');
    box.git('.', 'clone', '--quiet', '--bare', it.remote, upstream);
    const theirs = join(box.root, 'theirs');
    box.git('.', 'clone', '--quiet', upstream, theirs);
    box.write('theirs/src/cart/add.ts', 'newer\n');
    box.commit(theirs);
    box.git(theirs, 'push', '--quiet');
    git('remote', 'add', 'upstream', upstream);
    git('fetch', '--quiet', 'upstream');
    // The fork is stale.
    git('switch', '--quiet', '--create', 'topic', 'upstream/main');
    change('README.md', 'topic\n');
    // Anybody could have made a repository here, and have called it so.
    expect((await judge('git push -u origin topic')).held).toEqual(['cart']);
    expect((await push(box, it, ['origin', 'topic'])).held).toEqual(['cart']);
    git('config', 'remote.upstream.gh-resolved', 'base');
    expect((await judge('git push -u origin topic')).held).toEqual([]);
    expect((await judge('gh pr create --repo them/shop --fill')).decision).toBe('pass');
    expect((await push(box, it, ['origin', 'topic'])).verdict).toBe('pushed');
    change('src/checkout/pay.ts', 'mine\n');
    expect((await judge('git push origin topic')).held).toEqual(['checkout']);
    expect((await judge('gh pr create')).held).toEqual(['checkout']);
    expect((await push(box, it, ['origin', 'topic'])).held).toEqual(['checkout']);
    // What only the fork has is new to the other one.
    git('push', '--quiet', '--no-verify', 'origin', 'topic');
    expect((await judge('git push upstream topic')).held).toEqual(['checkout']);
    git('switch', '--quiet', 'main');
    git('merge', '--quiet', '--ff-only', 'upstream/main');
    expect((await judge('git push')).held).toEqual([]);
    expect((await push(box, it)).verdict).toBe('pushed');
  });

  test('is told from a mirror by its address: the owner differs, the name does not', async () => {
    const box = sandbox();
    const { judge, git } = shop(box);
    const mine = 'https://example.org/me/shop.git';
    git('remote', 'add', 'mine', mine);
    expect((await judge('git push mine main')).held).toEqual(['cart', 'checkout']);
    git('config', 'remote.origin.url', 'git@example.org:them/shop');
    for (const text of ['git push mine main', `git push ${mine} main`, 'git push mine HEAD:x']) {
      expect({ text, ...(await judge(text)) }).toMatchObject({ text, decision: 'pass' });
    }
    git('config', 'remote.mine.url', 'https://example.org/me/other.git');
    expect((await judge('git push mine main')).held).toEqual(['cart', 'checkout']);
  });
});

describe('the address of a remote', () => {
  test.each([
    'https://example.org/a/b',
    'https://example.org/a/b.git/',
    'https://token:x-oauth-basic@Example.org:443/a/b.git',
    'git@example.org:a/b.git',
    'ssh://git@example.org/a/b.git',
    'ssh://git@example.org:22/a/b',
    'git+ssh://example.org//a/b',
    'example.org:/a/b',
  ])('%s leads to the same repository as the others', async (address) => {
    expect(plainAddress(address, '/')).toBe('example.org/a/b');
  });

  test.each([
    'https://example.org/a/b2',
    'https://example.org:8443/a/b',
    'https://example.com/a/b',
    './example.org:a/b',
    '/example.org/a/b',
  ])('%s leads to another one', (address) => {
    expect(plainAddress(address, '/')).not.toBe('example.org/a/b');
  });

  test('in any spelling is compared with what is known of its remote', async () => {
    const box = sandbox();
    const { judge, git, remote, change } = shop(box);
    change('src/cart/add.ts');
    git('config', 'url.file:///nowhere/.insteadOf', 'none:');
    git('config', `url.${box.root}/.pushInsteadOf`, 'short:');
    for (const address of [
      remote.replace(/\.git$/, ''),
      `${remote}/`,
      pathToFileURL(remote).href,
      '../remote.git',
      'short:remote.git',
    ]) {
      expect({ address, ...(await judge(`git push ${address} main`)) }).toMatchObject({
        address,
        held: ['cart'],
      });
    }
    git('config', 'remote.origin.pushurl', 'https://user:token@example.org/a/b.git');
    for (const address of ['git@example.org:a/b', 'ssh://git@example.org/a/b.git', remote]) {
      expect((await judge(`git push ${address} main`)).held).toEqual(['cart']);
    }
    expect((await judge('git push none:remote.git main')).held).toEqual(['cart', 'checkout']);
  });
});

describe('a negative refspec', () => {
  test('takes away from what a pattern matches, for git as well', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.git('switch', '--quiet', '--create', 'wip/cart');
    it.change('src/cart/add.ts');
    it.git('switch', '--quiet', '--create', 'clean', 'main');
    for (const refspecs of [
      ['refs/heads/*', '^refs/heads/wip/*'],
      ['^refs/heads/wip/cart', 'refs/heads/*:refs/heads/*'],
    ]) {
      const words = refspecs.map((word) => `'${word}'`).join(' ');
      expect((await it.judge(`git push origin ${words}`)).decision).toBe('pass');
      expect((await push(box, it, ['origin', ...refspecs])).verdict).toBe('pushed');
    }
    expect((await it.judge("git push origin 'refs/heads/*' '^refs/heads/wip'")).held).toEqual([
      'cart',
    ]);
    it.git('config', 'remote.origin.push', 'refs/heads/*');
    expect((await it.judge('git push origin')).held).toEqual(['cart']);
    it.git('config', '--add', 'remote.origin.push', '^refs/heads/wip/*');
    expect((await it.judge('git push origin')).decision).toBe('pass');
    const named = ['wip/cart', '^refs/heads/wip/*'];
    expect((await it.judge(`git push origin ${named.join(' ')}`)).decision).toBe('pass');
    expect((await push(box, it, ['origin', ...named])).stderr).toContain('up-to-date');
  });
});
