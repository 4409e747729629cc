import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command } from '../../support/command.ts';
import { beforeCommand } from '../../support/payloads.ts';
import { runNode, runProgram } from '../../support/program.ts';
import { asPushed, guarded, installGitHook, push } from '../../support/pushing.ts';
import { sandbox } from '../../support/sandbox.ts';
import { shop } from '../../support/shop.ts';

describe('a push', () => {
  test('is held, and passes in silence once what it sends is verified', async () => {
    const box = sandbox();
    const it = await guarded(box);
    const tip = it.change('src/cart/add.ts');
    const held = await push(box, it);
    expect(held).toMatchObject({ verdict: 'held', held: ['cart'] });
    expect(held.stderr).toMatch(/^Verify, then push again: .* feature verify cart$/m);
    await it.verify('cart');
    await box.hook('before-tool', beforeCommand(it.repo, 'git push --quiet'));
    const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'session-1' };
    expect(await push(box, it, ['--quiet'], { env })).toMatchObject({
      verdict: 'pushed',
      stderr: '',
    });
    // Both hooks have answered: one line says it.
    const log = (await it.lanehold('log')).stdout
      .split('\n')
      .filter((line) => line.includes('  pass  '));
    expect(log).toEqual([expect.stringMatching(/ git push --quiet \(to origin: main\)$/)]);
    expect(box.git(it.remote, 'rev-parse', 'main')).toBe(tip);
  });

  test('from a script, which the hook of an agent cannot read, is held', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.change('src/cart/add.ts');
    // In words that no reading of the text would take for a push.
    const script = box.write(
      'bin/tool.cjs',
      `const word = Buffer.from('cHVzaA==', 'base64').toString();
       const { status } = require('node:child_process').spawnSync('git', [word], { stdio: 'inherit' });
       process.exitCode = status;`,
    );
    expect((await it.judge(`node ${script}`)).held).toEqual([]);
    const ran = await runNode(script, [], { cwd: it.repo, env: box.env });
    expect(asPushed(ran)).toMatchObject({ verdict: 'held', held: ['cart'] });
  });

  test('is held below an agent although it sets LANEHOLD_DISABLE', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.change('src/cart/add.ts');
    const off = { LANEHOLD_DISABLE: '1' };
    const marked = await push(box, it, [], { env: { ...off, CLAUDECODE: '1' } });
    expect(marked).toMatchObject({ verdict: 'held', held: ['cart'] });
    expect(marked.stderr).toContain('LANEHOLD_DISABLE=1 counts only where no agent is');
    // Its program is above, and its marks are gone.
    const agent = box.write('bin/claude', 'git push; exit $?\n');
    const start = { cwd: it.repo, env: { ...box.env, ...off } };
    expect(asPushed(await runProgram('/bin/sh', [agent], start)).held).toEqual(['cart']);
    expect((await push(box, it, [], { env: off })).verdict).toBe('pushed');
  });

  test('of what belongs to no feature passes', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.change('README.md');
    expect(await push(box, it)).toMatchObject({ verdict: 'pushed' });
  });

  test('says which commit to verify where another one is checked out', async () => {
    const box = sandbox();
    const it = await guarded(box);
    const oid = it.change('src/cart/add.ts');
    it.change('src/cart/add.ts', 'more\n');
    const held = await push(box, it, ['origin', 'HEAD~1:main']);
    expect(held.stderr).toContain(`feature verify cart --at ${oid.slice(0, 12)}`);
    await it.verify('cart', '--at', oid);
    expect((await push(box, it, ['origin', 'HEAD~1:main'])).verdict).toBe('pushed');
    expect((await push(box, it)).held).toEqual(['cart']);
  });
});

describe('exactly the refs that git sends count', () => {
  test('another branch than the one that is checked out', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.git('switch', '--quiet', '--create', 'topic');
    it.change('src/checkout/pay.ts');
    it.git('switch', '--quiet', 'main');
    expect((await push(box, it, ['origin', 'topic'])).held).toEqual(['checkout']);
    expect((await push(box, it)).verdict).toBe('pushed');
  });

  test('each of several refs', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.change('src/cart/add.ts');
    it.git('switch', '--quiet', '--create', 'topic', 'HEAD~1');
    it.change('src/checkout/pay.ts');
    const both = ['origin', 'main', 'topic'];
    expect((await push(box, it, both)).held.toSorted()).toEqual(['cart', 'checkout']);
    await it.verify('checkout');
    expect((await push(box, it, both)).held).toEqual(['cart']);
    expect(box.git(it.remote, 'branch', '--list', 'topic')).toBe('');
  });

  test('the commit behind a tag', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.git('tag', '--annotate', 'v1', '--message', 'one');
    expect((await push(box, it, ['origin', 'v1'])).verdict).toBe('pushed');
    it.change('src/cart/add.ts');
    it.git('tag', '--annotate', 'v2', '--message', 'two');
    expect((await push(box, it, ['origin', 'v2'])).held).toEqual(['cart']);
    expect((await push(box, it, ['--tags'])).held).toEqual(['cart']);
    await it.verify('cart');
    expect((await push(box, it, ['--follow-tags'])).verdict).toBe('pushed');
    expect(box.git(it.remote, 'tag')).toBe('v1\nv2');
  });

  test('a deletion sends nothing', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.git('push', '--quiet', 'origin', 'main:topic', 'main:other');
    it.change('src/cart/add.ts');
    expect((await push(box, it, ['origin', ':other'])).verdict).toBe('pushed');
    expect((await push(box, it, ['origin', ':topic', 'main'])).held).toEqual(['cart']);
  });

  test('a commit that another branch of the remote has sends nothing new', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.change('src/cart/add.ts');
    await it.verify('cart');
    it.git('push', '--quiet', 'origin', 'main');
    it.git('branch', 'same', 'HEAD');
    expect((await push(box, it, ['origin', 'same'])).verdict).toBe('pushed');
  });

  test('a detached HEAD', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.git('switch', '--quiet', '--detach');
    it.change('src/cart/add.ts');
    expect((await push(box, it, ['origin', 'HEAD:main'])).held).toEqual(['cart']);
    expect((await push(box, it, ['origin', 'HEAD@{0}:refs/heads/x'])).held).toEqual(['cart']);
  });

  test('what the remote has now, though nobody has fetched it', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.change('src/cart/add.ts');
    // Past the hook and past the remote-tracking branch: git knows it from the remote alone.
    it.git('push', '--quiet', '--no-verify', it.remote, 'main');
    it.git('update-ref', 'refs/remotes/origin/main', 'HEAD~1');
    it.change('README.md', 'two\n');
    expect((await push(box, it, ['origin', 'main'])).verdict).toBe('pushed');
  });

  test('a tracking branch that somebody moved does not lift the hold', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.change('src/cart/add.ts');
    for (const branch of ['elsewhere', 'main']) {
      it.git('update-ref', `refs/remotes/origin/${branch}`, 'HEAD');
      expect((await push(box, it, ['origin', 'main'])).held).toEqual(['cart']);
    }
  });

  test('a forced push, also over commits that are not here', async () => {
    const box = sandbox();
    const it = await guarded(box);
    const other = join(box.root, 'other');
    box.git(box.root, 'clone', '--quiet', it.remote, other);
    box.write('other/src/checkout/pay.ts', 'theirs\n');
    box.commit(other, 'theirs');
    box.git(other, 'push', '--quiet');
    it.change('src/cart/add.ts');
    expect((await push(box, it, ['--force', 'origin', 'main'])).held).toEqual(['cart']);
    await it.verify('cart');
    expect((await push(box, it, ['--force', 'origin', 'main'])).verdict).toBe('pushed');
  });

  test('with nothing known of a remote, everything', async () => {
    const box = sandbox();
    const it = await guarded(box);
    const fresh = box.repo('fresh.git', '--bare');
    expect((await push(box, it, [fresh, 'main'])).held).toEqual(['cart', 'checkout']);
    await it.verify('cart', 'checkout');
    expect((await push(box, it, [fresh, 'main'])).verdict).toBe('pushed');
  });

  test('the address of a remote stands for the remote', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.git('switch', '--quiet', '--create', 'topic');
    it.change('src/cart/add.ts');
    expect((await push(box, it, [it.remote, 'topic'])).held).toEqual(['cart']);
  });

  test('what is no commit cannot be judged, alone or beside what can', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.git('tag', 'blob', it.git('rev-parse', 'HEAD:README.md'));
    for (const refs of [['blob'], ['main', 'blob']]) {
      const { verdict, stderr } = await push(box, it, ['origin', ...refs]);
      expect(verdict).toBe('held');
      expect(stderr).toContain('refs/tags/blob, is no commit in this repository');
      expect(stderr).toContain('To proceed: ');
    }
  });
});

describe('wherever the repository is', () => {
  test('a shallow clone', async () => {
    const box = sandbox();
    const it = shop(box);
    it.change('README.md', 'two\n');
    it.git('push', '--quiet');
    const repo = join(box.root, 'shallow');
    box.git(box.root, 'clone', '--quiet', '--depth=1', `file://${it.remote}`, repo);
    await installGitHook(box, repo);
    box.write('shallow/src/cart/add.ts', 'changed\n');
    box.commit(repo);
    expect((await push(box, { repo })).held).toEqual(['cart']);
    await command(box, repo, ['feature', 'verify', 'cart']);
    expect((await push(box, { repo })).verdict).toBe('pushed');
  });

  test('named by --git-dir, from a folder of another project', async () => {
    const box = sandbox();
    const it = await guarded(box);
    it.change('src/cart/add.ts');
    const elsewhere = box.repo('elsewhere');
    const args = ['--git-dir', join(it.repo, '.git'), 'push', 'origin', 'main'];
    const ran = await runProgram('git', args, { cwd: elsewhere, env: box.env });
    expect(asPushed(ran)).toMatchObject({ verdict: 'held', held: ['cart'] });
  });

  test('a bare repository', async () => {
    const box = sandbox();
    const it = shop(box);
    it.change('src/cart/add.ts');
    const repo = join(box.root, 'mirror.git');
    box.git(box.root, 'clone', '--quiet', '--bare', it.repo, repo);
    box.git(repo, 'remote', 'set-url', 'origin', it.remote);
    await installGitHook(box, repo);
    expect((await push(box, { repo }, ['origin', 'main'])).held).toEqual(['cart']);
  });
});
