/** A remote-tracking ref counts only for the address that it is known to come from. */
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { beforeCommand, sessionStart } from '../support/payloads.ts';
import { guarded, push } from '../support/pushing.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';
import { shop } from '../support/shop.ts';

const NOTES = '.git/lanehold/remotes';

/** A session has started, and a colleague works in a clone. */
async function inSession(box: Sandbox, project: ReturnType<typeof shop>) {
  const theirs = join(box.root, 'theirs');
  box.git('.', 'clone', '--quiet', project.remote, theirs);
  await box.hook('session-start', sessionStart(project.repo));
  return {
    /** What the colleague pushes is verified by nobody here. */
    colleaguePushes(path: string, content: string, branch = 'main'): void {
      box.write(join('theirs', path), content);
      box.commit(theirs);
      box.git(theirs, 'push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`);
    },
    /** What the agent ran, as its hook is told. */
    async ran(command: string, run: () => unknown): Promise<void> {
      run();
      const payload = { ...beforeCommand(project.repo, command), tool_response: {} };
      await box.hook('after-tool', payload);
    },
  };
}

describe('in a session', () => {
  test('a ref that was written does not count, one that was fetched does', async () => {
    const box = sandbox();
    const it = shop(box);
    const { colleaguePushes, ran } = await inSession(box, it);
    const { git, judge, change } = it;
    expect(statSync(join(it.repo, NOTES)).mode & 0o777).toBe(0o600);
    change('src/cart/add.ts');
    const fetchFirst = 'If origin has it already, tell so first: git fetch origin';
    for (const branch of ['elsewhere', 'main']) {
      git('update-ref', `refs/remotes/origin/${branch}`, 'HEAD');
      for (const text of ['git push origin main', 'git push origin HEAD:topic']) {
        const judged = await judge(text);
        expect({ text, ...judged }).toMatchObject({ text, held: ['cart'] });
        expect(judged.reason).toContain(fetchFirst);
      }
    }
    // Nor is a tag one that others have, with which a publish would be compared.
    git('tag', 'v1');
    change('README.md', 'released\n');
    expect((await judge('npm publish')).held).toEqual(['cart', 'checkout']);
    git('tag', '--delete', 'v1');
    // git puts right what it fetches; the ref of no branch stays.
    git('update-ref', '-d', 'refs/remotes/origin/elsewhere');
    git('fetch', '--quiet');
    const held = await judge('git push');
    expect(held.held).toEqual(['cart']);
    expect(held.reason).not.toContain('git fetch');
    await it.verify('cart');
    expect((await judge('git push')).decision).toBe('pass');

    // Also where another program has fetched, or where another fetch has followed.
    colleaguePushes('src/checkout/pay.ts', 'theirs\n');
    git('pull', '--quiet', '--rebase');
    expect((await judge('git push')).decision).toBe('pass');
    colleaguePushes('src/checkout/pay.ts', 'theirs again\n');
    await ran('git fetch', () => git('fetch', '--quiet'));
    git('rebase', '--quiet', 'origin/main');
    git('fetch', '--quiet', it.repo);
    expect((await judge('git push')).decision).toBe('pass');
  });

  test('another address has nothing until it was asked, another spelling has all', async () => {
    const box = sandbox();
    const it = shop(box);
    await inSession(box, it);
    const { git, judge } = it;
    git('config', 'remote.origin.url', pathToFileURL(it.remote).href);
    expect((await judge('git push origin main:topic')).decision).toBe('pass');
    const other = join(box.root, 'other.git');
    box.git('.', 'clone', '--quiet', '--bare', it.remote, other);
    for (const key of ['url', 'pushurl']) {
      git('config', `remote.origin.${key}`, other);
      const { held, reason } = await judge('git push origin main:topic');
      expect({ key, held }).toEqual({ key, held: ['cart', 'checkout'] });
      expect(reason).toContain('git fetch origin');
      git('config', '--unset', `remote.origin.${key}`);
      git('config', 'remote.origin.url', it.remote);
    }
    git('config', 'remote.origin.url', other);
    git('fetch', '--quiet');
    expect((await judge('git push origin main:topic')).decision).toBe('pass');
    await box.hook('session-start', sessionStart(it.repo));
    expect((await judge('git push origin main:topic')).decision).toBe('pass');
    // What is fetched from here says nothing of where it is pushed to.
    it.change('src/cart/add.ts');
    git('config', 'remote.origin.pushurl', it.remote);
    git('config', 'remote.origin.url', it.repo);
    git('fetch', '--quiet');
    expect((await judge('git push origin HEAD:refs/heads/topic')).held).toContain('cart');
  });

  test('is left to the hook of git, which asks the remote', async () => {
    const box = sandbox();
    const it = await guarded(box);
    await inSession(box, it);
    const { git, judge, change } = it;
    change('src/cart/add.ts');
    git('update-ref', 'refs/remotes/origin/elsewhere', 'HEAD');
    git('switch', '--quiet', '--create', 'topic');
    change('README.md', 'more\n');
    expect(await judge('git push origin topic')).toMatchObject({
      decision: 'pass',
      undecided: expect.stringContaining('what origin has is not known here'),
    });
    expect((await push(box, it, ['origin', 'topic'])).held).toEqual(['cart']);
    // It is as good as known where the remote says so.
    git('push', '--quiet', '--no-verify', it.remote, 'topic~1:refs/heads/elsewhere');
    expect((await push(box, it, ['origin', 'topic'])).verdict).toBe('pushed');
    // What git's own hook has let through is known from then on.
    expect((await judge('git push origin topic:another')).undecided).toBe('');
    expect((await judge('git push origin topic:another')).decision).toBe('pass');
  });
});

describe('before any session', () => {
  test('a clone is believed, unless it was made of something else than its remote', async () => {
    const box = sandbox();
    const { judge, remote, repo, change } = shop(box);
    change('src/cart/add.ts');
    const fresh = join(box.root, 'fresh');
    box.git('.', 'clone', '--quiet', remote, fresh);
    box.write('fresh/README.md', 'fresh\n');
    box.commit(fresh);
    expect((await judge('git push origin HEAD:topic', fresh)).decision).toBe('pass');
    expect(existsSync(join(fresh, NOTES))).toBe(false);
    // The branch of the local repository is one of its remote now, as it seems.
    const copy = join(box.root, 'copy');
    box.git('.', 'clone', '--quiet', repo, copy);
    box.git(copy, 'remote', 'set-url', 'origin', remote);
    for (const text of ['git push origin HEAD:topic', 'git push']) {
      expect((await judge(text, copy)).held).toEqual(['cart', 'checkout']);
    }
    box.git(copy, 'fetch', '--quiet');
    for (const text of ['git push origin HEAD:topic', 'git push']) {
      expect((await judge(text, copy)).held).toEqual(['cart']);
    }
  });

  test('the hook of git believes nobody but the remote', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.change('src/cart/add.ts');
    it.git('update-ref', 'refs/remotes/origin/elsewhere', 'HEAD');
    it.git('switch', '--quiet', '--create', 'topic');
    it.change('README.md', 'more\n');
    expect((await push(box, it, ['origin', 'topic'])).held).toEqual(['cart']);
    // Of a remote that is new here it is the only one to tell.
    const mirror = join(box.root, 'mirror.git');
    box.git('.', 'clone', '--quiet', '--bare', it.remote, mirror);
    it.git('switch', '--quiet', '--create', 'readme', 'origin/main');
    it.change('README.md', 'only\n');
    expect((await push(box, it, [mirror, 'readme'])).verdict).toBe('pushed');
    expect((await push(box, it, [mirror, 'topic'])).held).toEqual(['cart']);

    // One that does not answer is taken for what its refs say, and nobody is asked for a password.
    const ssh = box.write(
      'bin/ssh',
      `#!/bin/sh
for command; do :; done
case $command in *upload-pack*) echo "$GIT_ASKPASS $SSH_ASKPASS_REQUIRE" >>asked; exit 1 ;; esac
exec sh -c "$command"
`,
    );
    chmodSync(ssh, 0o755);
    it.git('config', 'core.sshCommand', ssh);
    it.git('config', 'remote.origin.url', `ssh://git@localhost${it.remote}`);
    it.git('switch', '--quiet', 'topic');
    expect((await push(box, it, ['origin', 'topic'])).verdict).toBe('pushed');
    expect(readFileSync(join(it.repo, 'asked'), 'utf8')).toBe('true never\n');
  });
});
