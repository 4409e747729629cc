/** What a push is compared with: the remote's branch, else what others have in some other way. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { sandbox } from '../support/sandbox.ts';
import { shop } from '../support/shop.ts';

const DENIED = { decision: 'deny', exitCode: 3 };
const PASSED = { decision: 'pass', exitCode: 0 };

describe('a branch that the remote does not have', () => {
  test('is compared with where it left the default branch', async () => {
    const { judge, git, change } = shop(sandbox());
    git('switch', '--quiet', '--create', 'topic');
    expect(await judge('git push -u origin topic')).toMatchObject(PASSED);
    change('src/cart/add.ts');
    expect(await judge('git push -u origin topic')).toMatchObject({ ...DENIED, held: ['cart'] });
  });

  test('sends nothing new if another branch of the remote has its commit', async () => {
    const { judge, git, change, verify } = shop(sandbox());
    change('src/cart/add.ts');
    await verify('cart');
    git('push', '--quiet', 'origin', 'main:topic');
    change('src/cart/add.ts', 'unverified\n');
    git('branch', 'same', 'HEAD~1');
    expect(await judge('git push origin same')).toMatchObject(PASSED);
    expect(await judge('git push origin main:new')).toMatchObject({ ...DENIED, held: ['cart'] });
  });

  test('is compared with the likely default branch of a remote that was added by hand', async () => {
    const { judge, git, change } = shop(sandbox());
    git('remote', 'set-head', 'origin', '--delete');
    git('switch', '--quiet', '--create', 'topic');
    change('src/checkout/pay.ts');
    expect((await judge('git push origin topic')).held).toEqual(['checkout']);
  });

  test('is compared with nothing where the remote is new: every feature counts', async () => {
    const box = sandbox();
    const { judge, git, verify } = shop(box);
    git('remote', 'add', 'mirror', box.repo('mirror.git', '--bare'));
    expect((await judge('git push mirror main')).held).toEqual(['cart', 'checkout']);
    await verify('cart', 'checkout');
    expect(await judge('git push mirror main')).toMatchObject(PASSED);
  });

  test('is not compared with a local branch that poses as the default one', async () => {
    const { judge, git, change } = shop(sandbox());
    change('src/cart/add.ts');
    // Whoever can write refs can point this one at what nobody else has.
    git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/heads/main');
    git('switch', '--quiet', '--create', 'topic');
    expect((await judge('git push origin topic')).held).toEqual(['cart']);
  });
});

describe('the first push of a repository', () => {
  test('everything leaves', async () => {
    const box = sandbox();
    const { judge, git, verify } = shop(box);
    git('remote', 'remove', 'origin');
    git('remote', 'add', 'origin', box.repo('fresh.git', '--bare'));
    expect((await judge('git push -u origin main')).held).toEqual(['cart', 'checkout']);
    await verify('--pending');
    expect(await judge('git push -u origin main')).toMatchObject(PASSED);
  });

  test('before the first commit nothing can leave', async () => {
    const box = sandbox();
    const { judge } = shop(box);
    const repo = box.repo('unborn');
    box.write('unborn/lanehold.json', '{ "features": { "all": { "files": ["**"] } } }');
    const { decision, reason } = await judge('git push origin main', repo);
    expect(decision).toBe('deny');
    expect(reason).toContain('`main`, which is no commit in this repository');
  });
});

describe('a push to an address', () => {
  test('that belongs to a known remote is compared with that remote', async () => {
    const { judge, remote, change } = shop(sandbox());
    change('src/cart/add.ts');
    expect((await judge(`git push ${remote} main`)).held).toEqual(['cart']);
  });

  test('of nobody known is compared with nothing', async () => {
    const box = sandbox();
    const { judge, git } = shop(box);
    const url = pathToFileURL(box.repo('elsewhere.git', '--bare')).href;
    for (const address of [url, '../elsewhere.git', 'git@example.org:a/b.git']) {
      expect((await judge(`git push ${address} main`)).held).toEqual(['cart', 'checkout']);
    }
    git('push', '--quiet', url, 'main');
    expect((await judge(`git push ${url} main`)).held).toEqual(['cart', 'checkout']);
  });
});

describe('histories that are not plain', () => {
  test('a detached HEAD', async () => {
    const { judge, git, change } = shop(sandbox());
    git('switch', '--quiet', '--detach');
    change('src/cart/add.ts');
    for (const text of ['git push origin HEAD:main', 'git push origin HEAD:refs/heads/new']) {
      expect(await judge(text)).toMatchObject({ ...DENIED, held: ['cart'] });
    }
  });

  test('a shallow clone', async () => {
    const box = sandbox();
    const { judge, remote, change, git } = shop(box);
    change('README.md');
    git('push', '--quiet');
    const clone = join(box.root, 'shallow');
    box.git('.', 'clone', '--quiet', '--depth=1', pathToFileURL(remote).href, clone);
    box.write('shallow/src/cart/add.ts', 'two\n');
    box.commit(clone);
    expect((await judge('git push', clone)).held).toEqual(['cart']);
    expect((await judge('git push origin HEAD:topic', clone)).held).toEqual(['cart']);
    // What is one commit further back is not there to be compared with.
    expect((await judge('git push origin main~1:main', clone)).decision).toBe('pass');
  });

  test('a branch that was rewritten is judged by content, not by commits', async () => {
    const { judge, git, change, verify } = shop(sandbox());
    change('src/cart/add.ts');
    change('src/checkout/pay.ts');
    await verify('--pending');
    git('push', '--quiet');
    git('commit', '--quiet', '--amend', '--message', 'reworded');
    expect(await judge('git push --force')).toMatchObject(PASSED);
    git('reset', '--quiet', '--hard', 'HEAD~2');
    // Back to what everybody had: verified or not, it was never verified.
    expect((await judge('git push --force')).held).toEqual(['cart', 'checkout']);
  });

  test('a rebase onto the default branch holds nothing that the default branch has', async () => {
    const { judge, git, change, verify } = shop(sandbox());
    git('switch', '--quiet', '--create', 'topic');
    change('src/cart/add.ts');
    await verify('cart');
    git('push', '--quiet', '-u', 'origin', 'topic');
    git('switch', '--quiet', 'main');
    change('src/checkout/pay.ts', 'from a colleague\n');
    git('push', '--quiet');
    git('switch', '--quiet', 'topic');
    git('rebase', '--quiet', 'main');
    expect(await judge('git push --force-with-lease')).toMatchObject(PASSED);
    change('src/checkout/pay.ts', 'mine\n');
    expect((await judge('git push --force-with-lease')).held).toEqual(['checkout']);
  });

  test('a merge of the default branch is held for what the merge made', async () => {
    const { judge, git, change, verify, write, commit } = shop(sandbox());
    git('switch', '--quiet', '--create', 'topic');
    write('src/cart/mine.ts', 'mine\n');
    commit();
    await verify('cart');
    git('push', '--quiet', '-u', 'origin', 'topic');
    git('switch', '--quiet', 'main');
    change('src/cart/theirs.ts');
    git('push', '--quiet');
    git('switch', '--quiet', 'topic');
    git('merge', '--quiet', '--no-edit', 'main');
    // Neither side has verified the two together.
    expect((await judge('git push')).held).toEqual(['cart']);
  });

  test('replaced objects change nothing: a push sends the original ones', async () => {
    const { judge, git, change } = shop(sandbox());
    const bad = change('src/cart/add.ts');
    git('replace', bad, git('rev-parse', 'origin/main'));
    expect((await judge('git push')).held).toEqual(['cart']);
  });

  test('grafts change nothing either', async () => {
    const { judge, git, change, repo } = shop(sandbox());
    git('switch', '--quiet', '--create', 'topic');
    const bad = change('src/cart/add.ts');
    const published = git('rev-parse', 'origin/main');
    mkdirSync(join(repo, '.git/info'), { recursive: true });
    writeFileSync(join(repo, '.git/info/grafts'), `${published} ${bad}\n`);
    expect((await judge('git push origin topic')).held).toEqual(['cart']);
  });
});

describe('settings that say where a push goes', () => {
  /** `main` is clean, `topic` is not; a second remote knows neither. */
  function twoRemotes() {
    const box = sandbox();
    const project = shop(box);
    project.git('remote', 'add', 'fork', box.repo('fork.git', '--bare'));
    project.git('push', '--quiet', 'fork', 'main');
    project.change('src/cart/add.ts');
    return project;
  }

  test('branch.<name>.pushRemote before remote.pushDefault before branch.<name>.remote', async () => {
    const { judge, git } = twoRemotes();
    git('push', '--quiet', 'fork', 'main');
    // The fork has the change, the origin has not.
    expect((await judge('git push')).held).toEqual(['cart']);
    git('config', 'remote.pushDefault', 'fork');
    expect((await judge('git push')).decision).toBe('pass');
    git('config', 'branch.main.pushRemote', 'origin');
    expect((await judge('git push')).held).toEqual(['cart']);
  });

  test('the last value of a setting counts', async () => {
    const { judge, git } = twoRemotes();
    git('push', '--quiet', 'fork', 'main');
    expect((await judge('git -c remote.pushDefault=fork push')).decision).toBe('pass');
    git('config', 'remote.pushDefault', 'fork');
    expect((await judge('git -c remote.pushDefault=origin push')).held).toEqual(['cart']);
    git('config', 'branch.main.pushRemote', 'origin');
    expect((await judge('git -c branch.main.pushRemote=fork push')).decision).toBe('pass');
  });

  test('remote.<name>.push', async () => {
    const { judge, git } = twoRemotes();
    git('branch', 'clean', 'origin/main');
    git('config', 'remote.origin.push', 'refs/heads/clean:refs/heads/other');
    expect((await judge('git push')).decision).toBe('pass');
    git('config', '--add', 'remote.origin.push', 'HEAD:refs/heads/another');
    expect((await judge('git push origin')).held).toEqual(['cart']);
  });

  test.each([
    ['nothing', 'pass'],
    ['current', 'deny'],
    ['upstream', 'deny'],
    ['simple', 'deny'],
    ['matching', 'deny'],
  ])('push.default=%s: %s', async (mode, decision) => {
    const { judge, git } = twoRemotes();
    git('config', 'push.default', mode);
    expect((await judge('git push')).decision).toBe(decision);
  });

  test('push.default=upstream pushes to the branch that is followed', async () => {
    const { judge, git, change, verify } = shop(sandbox());
    change('src/cart/add.ts');
    await verify('cart');
    git('push', '--quiet', 'origin', 'main:topic');
    change('src/cart/add.ts', 'not verified\n');
    git('switch', '--quiet', '--create', 'local', 'HEAD~1');
    git('branch', '--quiet', '--set-upstream-to', 'origin/topic');
    expect((await judge('git -c push.default=upstream push')).decision).toBe('pass');
    expect((await judge('git push origin HEAD:main')).decision).toBe('pass');
    git('reset', '--quiet', '--hard', 'main');
    expect((await judge('git -c push.default=upstream push')).held).toEqual(['cart']);
  });

  test('a fetch refspec may keep the refs of a remote anywhere', async () => {
    const { judge, git, change } = shop(sandbox());
    git('config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/company/team-*');
    git('update-ref', 'refs/remotes/company/team-main', 'origin/main');
    git('update-ref', '-d', 'refs/remotes/origin/main');
    expect((await judge('git push')).decision).toBe('pass');
    change('src/cart/add.ts');
    expect((await judge('git push')).held).toEqual(['cart']);
  });

  test('a remote that mirrors sends every ref', async () => {
    const { judge, git, change } = shop(sandbox());
    git('switch', '--quiet', '--create', 'hidden');
    change('src/cart/add.ts');
    git('switch', '--quiet', 'main');
    expect((await judge('git push')).decision).toBe('pass');
    git('config', 'remote.origin.mirror', 'true');
    expect((await judge('git push')).held).toEqual(['cart']);
  });
});

describe('the repository that the command names', () => {
  test('is the one that counts, not the one of the session', async () => {
    const box = sandbox();
    const { judge, repo, change } = shop(box);
    const other = box.repo('other');
    box.commit(other, 'nothing to hold');
    change('src/cart/add.ts');
    for (const text of [
      `git -C ${repo} push`,
      `cd ${repo} && git push`,
      `cd ../shop && git push origin main`,
      `(cd ${repo}; git push)`,
      `git --git-dir ${repo}/.git push`,
      `git --git-dir=../shop/.git --work-tree=. push origin main`,
      `GIT_DIR=${repo}/.git git push`,
      `export GIT_DIR=${repo}/.git; git push`,
      `cd / && git --git-dir=${repo}/.git push`,
    ]) {
      expect({ text, ...(await judge(text, other)) }).toMatchObject({ text, held: ['cart'] });
    }
    expect((await judge('git push', other)).decision).toBe('pass');
    expect((await judge(`git -C ${other} push`, repo)).decision).toBe('pass');
    expect((await judge(`git --git-dir=${other}/.git push`, repo)).decision).toBe('pass');
  });

  test('may be named by the environment of the session', async () => {
    const box = sandbox();
    const { repo, change } = shop(box);
    change('src/cart/add.ts');
    const env = { GIT_DIR: join(repo, '.git') };
    const run = await command(box, box.home, ['gate', '--command', 'git push'], { env });
    expect(run.exitCode).toBe(3);
  });

  test('a linked worktree and its git directory are the same project', async () => {
    const box = sandbox();
    const { judge, git, lanehold } = shop(box);
    const linked = join(box.root, 'linked');
    git('worktree', 'add', '--quiet', '-b', 'topic', linked);
    box.write('linked/src/cart/add.ts', 'two\n');
    box.commit(linked);
    expect((await judge('git push origin topic', linked)).held).toEqual(['cart']);
    const gitDir = box.git(linked, 'rev-parse', '--absolute-git-dir');
    const byGitDir = await judge(`git --git-dir=${gitDir} push origin HEAD`, box.home);
    expect(byGitDir.held).toEqual(['cart']);
    const byFile = await judge(`git --git-dir=${linked}/.git push origin HEAD`, box.home);
    expect(byFile.held).toEqual(['cart']);
    await lanehold('feature', 'verify', 'cart', '--at', 'topic');
    expect((await judge(`git --git-dir=${gitDir} push origin HEAD`, box.home)).decision).toBe(
      'pass',
    );
  });

  test('a bare repository is judged, too', async () => {
    const box = sandbox();
    const { judge, remote, change, git } = shop(box);
    change('src/cart/add.ts');
    git('push', '--quiet', 'origin', 'main:topic');
    box.git(remote, 'remote', 'add', 'up', box.repo('up.git', '--bare'));
    expect((await judge('git push up topic', remote)).held).toEqual(['cart', 'checkout']);
    expect((await judge(`git --git-dir=${remote} push up topic`)).held).toEqual([
      'cart',
      'checkout',
    ]);
  });

  test.each(['cd ../made-later && git push', 'git --git-dir=../made-later/.git push'])(
    '%s cannot be judged yet',
    async (text) => {
      const { judge, lanehold } = shop(sandbox());
      await lanehold('feature', 'list');
      const { decision, exitCode, reason } = await judge(`mkdir x; ${text}`);
      expect({ decision, exitCode }).toEqual({ decision: 'deny', exitCode: 1 });
      expect(reason).toContain('in a command of its own');
    },
  );
});
