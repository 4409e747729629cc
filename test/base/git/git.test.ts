import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { gitIn } from '../../../src/base/git/git.ts';
import { processEntry } from '../../../src/base/process/process-entry.ts';
import { sandbox } from '../../support/sandbox.ts';
import { eventually } from '../../support/until.ts';

test('what git starts to reach a remote has no terminal to ask on, and ends with the time limit', async () => {
  const box = sandbox();
  const ssh = join(box.root, 'ssh');
  const started = join(box.root, 'pid');
  writeFileSync(
    ssh,
    `#!/bin/sh\necho $$ > '${started}.new'; mv '${started}.new' '${started}'\nsleep 60\n`,
  );
  chmodSync(ssh, 0o755);
  const env = { ...box.env, GIT_SSH: ssh, GIT_SSH_VARIANT: 'ssh' };
  const git = gitIn(box.root, env, { network: true, timeoutMs: 5_000 });
  const asked = git.attempt(['ls-remote', 'ssh://example.invalid/shop']);
  const failed = expect(asked).rejects.toThrow(
    '`git ls-remote ssh://example.invalid/shop` failed: timed out after 5 s',
  );

  await eventually(() => expect(existsSync(started)).toBe(true));
  const pid = Number(readFileSync(started, 'utf8'));
  expect(processEntry(pid)?.session).not.toBe(processEntry(process.pid)?.session);
  await failed;
  await eventually(() => expect(['ended', undefined]).toContain(processEntry(pid)?.state));
});

test('neither redirected nor configured by the variables of its caller', async () => {
  const box = sandbox();
  const repo = box.repo('shop');
  const other = box.repo('other');
  for (const folder of [repo, other]) {
    writeFileSync(join(folder, `${basename(folder)}.txt`), '');
    box.git(folder, 'add', '.');
  }
  const env = {
    ...box.env,
    GIT_DIR: join(other, '.git'),
    GIT_INDEX_FILE: join(other, '.git/index'),
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'user.name',
    GIT_CONFIG_VALUE_0: 'Eve',
  };
  const git = gitIn(repo, env);
  expect(await git.text(['ls-files'])).toBe('shop.txt\n');
  expect(await git.text(['config', 'user.name'])).toBe('Ada\n');
});
