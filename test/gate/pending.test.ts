import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';
import { shop } from '../support/shop.ts';

const situations: Record<string, (box: Sandbox, repo: string) => void> = {
  'no commit': () => undefined,
  'no remote': (box, repo) => {
    box.commit(repo);
  },
  'a remote and no upstream': (box, repo) => {
    box.commit(repo);
    box.git(repo, 'remote', 'add', 'origin', `${box.root}/remote.git`);
  },
  'an upstream that is gone': (box, repo) => {
    box.commit(repo);
    box.git(repo, 'remote', 'add', 'origin', `${box.root}/remote.git`);
    box.git(repo, 'config', 'branch.main.remote', 'origin');
    box.git(repo, 'config', 'branch.main.merge', 'refs/heads/main');
  },
  'a detached HEAD': (box, repo) => {
    box.commit(repo);
    box.git(repo, 'checkout', '--quiet', '--detach');
  },
  'an upstream without the remote’s HEAD': (box, repo) => {
    box.git('.', 'init', '--quiet', '--bare', 'remote.git');
    box.git(repo, 'remote', 'add', 'origin', `${box.root}/remote.git`);
    box.git(repo, 'commit', '--quiet', '--allow-empty', '--message', 'start');
    box.git(repo, 'push', '--quiet', '--set-upstream', 'origin', 'main');
    box.commit(repo);
  },
};

test.each(Object.entries(situations))(
  'a changed feature is pending with %s',
  async (_, arrange) => {
    const box = sandbox();
    const repo = box.repo();
    box.write('repo/src/pay.txt', 'one\n');
    arrange(box, repo);
    await command(box, repo, [
      'feature',
      'add',
      'checkout',
      '--files',
      'src/**',
      '--smoke',
      'true',
    ]);

    const pending = await command(box, repo, ['feature', 'pending']);

    expect(pending).toMatchObject({ exitCode: 3, stderr: '' });
    expect(pending.stdout).toContain('checkout');
  },
);

test('a commit that is held is pending, also where the working tree is verified', async () => {
  const { change, write, verify, lanehold, judge } = shop(sandbox());
  change('src/cart/add.ts');
  write('src/cart/add.ts', 'better, and not committed\n');
  await verify('cart');
  expect((await judge('git push')).held).toEqual(['cart']);
  expect((await lanehold('status')).stdout).toContain('1 held: ');
  expect((await lanehold('feature', 'pending')).stdout).toContain(
    '  cart: the working tree is verified, but what leaves differs in src/cart/add.ts\n',
  );
  const all = await lanehold('feature', 'verify', '--pending');
  expect(all).toMatchObject({ exitCode: 1, stdout: '' });
  expect(all.stderr).toContain(
    'a push of HEAD is held for cart\nhint: commit, stash or ignore src/cart/add.ts',
  );
});
