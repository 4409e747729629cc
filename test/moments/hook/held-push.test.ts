import { expect, test } from 'vitest';
import { afterEdit, beforeCommand } from '../../support/payloads.ts';
import { sandbox } from '../../support/sandbox.ts';

test('an edit is announced once, and the push is denied until the feature is verified', async () => {
  const box = sandbox();
  const repo = box.repo();
  box.git('.', 'init', '--bare', '--quiet', 'remote.git');
  box.git(repo, 'remote', 'add', 'origin', `${box.root}/remote.git`);
  const file = box.write('repo/src/pay.txt', 'one\n');
  box.commit(repo);
  const added = await box.cli(
    ...[repo, 'feature', 'add', 'checkout', '--files', 'src/**', '--smoke', 'test -s src/pay.txt'],
  );
  expect(added).toMatchObject({ exitCode: 0, stderr: '' });

  const first = await box.startHook('after-tool', afterEdit(repo, file));
  expect(first).toMatchObject({ exitCode: 0, stderr: '' });
  expect(first.stdout).toContain('checkout');
  const second = await box.startHook('after-tool', afterEdit(repo, file));
  expect(second).toMatchObject({ exitCode: 0, stderr: '', stdout: '' });

  const push = beforeCommand(repo, 'git push origin main');
  const held = await box.startHook('before-tool', push);
  expect(held).toMatchObject({ exitCode: 2, stderr: '' });
  expect(held.stdout).toContain('feature verify checkout');
  expect(JSON.parse(held.stdout).hookSpecificOutput.permissionDecision).toBe('deny');

  expect(await box.cli(repo, 'feature', 'verify', 'checkout')).toMatchObject({ exitCode: 0 });
  expect(await box.startHook('before-tool', push)).toMatchObject({ exitCode: 0, stdout: '' });
});
