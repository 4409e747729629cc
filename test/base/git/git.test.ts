import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GitMaker } from '../../../src/base/git/git.ts';
import { gitIn } from '../../../src/base/git/git-in.ts';
import { hookGit } from '../../../src/base/git/small-git.ts';
import { processEntry } from '../../../src/base/process/process-entry.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';
import { eventually } from '../../support/until.ts';

const MAKERS: readonly (readonly [string, GitMaker])[] = [
  ['of the hook', hookGit],
  ['by simple-git', gitIn],
];

/** An environment whose ssh notes its pid in the file and goes on for a minute. */
function hangingSsh(box: Sandbox) {
  const ssh = join(box.root, 'ssh');
  const started = join(box.root, 'pid');
  const note = `echo $$ > '${started}.new'; mv '${started}.new' '${started}'`;
  writeFileSync(ssh, `#!/bin/sh\n${note}\nsleep 60\n`);
  chmodSync(ssh, 0o755);
  return { env: { ...box.env, GIT_SSH: ssh, GIT_SSH_VARIANT: 'ssh' }, started };
}

const ASK_REMOTE = ['ls-remote', 'ssh://example.invalid/shop'];

async function startedSsh(file: string): Promise<number> {
  await eventually(() => expect(existsSync(file)).toBe(true));
  return Number(readFileSync(file, 'utf8'));
}

const ended = (pid: number) =>
  eventually(() => expect(['ended', undefined]).toContain(processEntry(pid)?.state));

describe.each(MAKERS)('git %s', (_, make) => {
  test('what it starts to reach a remote has no terminal to ask on, and ends with the time limit', async () => {
    const box = sandbox();
    const { env, started } = hangingSsh(box);
    const git = make(box.root, env, { network: true, timeoutMs: 5_000 });
    const failed = expect(git.attempt(ASK_REMOTE)).rejects.toThrow(
      '`git ls-remote ssh://example.invalid/shop` failed: timed out after 5 s',
    );
    const pid = await startedSsh(started);
    expect(processEntry(pid)?.session).not.toBe(processEntry(process.pid)?.session);
    await failed;
    await ended(pid);
  });

  test('is neither redirected nor configured by the variables of its caller', async () => {
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
      EDITOR: 'vi',
      GIT_SSH_COMMAND: 'ssh -v',
    };
    const git = make(repo, env);
    expect(await git.text(['ls-files'])).toBe('shop.txt\n');
    expect(await git.text(['config', 'user.name'])).toBe('Ada\n');
  });

  test('gives output as it is, its input, and how it ended', async () => {
    const box = sandbox();
    const repo = box.repo('shop');
    const git = make(repo, box.env);
    expect(await git.text(['hash-object', '--stdin'], '')).toMatch(/^e69de29b\w+\n$/);
    expect(await git.text(['stripspace'], ' a \n\n\nb')).toBe(' a\n\nb\n');
    expect(await git.bytes(['stripspace'], Buffer.from([0xff]))).toEqual(Buffer.from([0xff, 0x0a]));
    expect(await git.maybe(['config', 'no.such'])).toBeUndefined();
    expect(await git.attempt(['rev-parse', '--verify', 'HEAD'])).toEqual({
      ...{ exitCode: 128, stdout: '' },
      stderr: 'fatal: Needed a single revision\n',
    });
    await expect(git.text(['-c', 'a.b=c', 'rev-parse', '--verify', 'HEAD'])).rejects.toThrow(
      '`git rev-parse --verify` failed: Needed a single revision',
    );
  });

  test('says why it could not be started, or did not come to its end', async () => {
    const box = sandbox();
    const repo = box.repo('shop');
    const gone = join(box.root, 'gone');
    await expect(make(gone, box.env).text(['status'])).rejects.toThrow(
      `there is no folder ${gone}`,
    );
    const without = make(repo, { ...box.env, PATH: '/nowhere' });
    await expect(without.text(['status'])).rejects.toThrow('`git status` failed: not found');
    box.git(repo, 'config', 'alias.die', '!kill -KILL $PPID');
    await expect(make(repo, box.env).attempt(['die'])).rejects.toThrow(
      /`git die` failed: was killed/,
    );
  });
});

test('an aborted signal ends git with what it has started, and its reason is thrown', async () => {
  const box = sandbox();
  const { env, started } = hangingSsh(box);
  const abort = new AbortController();
  const asked = gitIn(box.root, env, { network: true, signal: abort.signal }).text(ASK_REMOTE);
  const failed = expect(asked).rejects.toThrow('enough');
  const pid = await startedSsh(started);
  abort.abort(new Error('enough'));
  await failed;
  await ended(pid);
});

test('hooks of the repository do not run, and questions about them are answered', async () => {
  const box = sandbox();
  const repo = box.repo('shop');
  box.commit(repo);
  const hook = join(repo, '.git/hooks/post-checkout');
  writeFileSync(hook, '#!/bin/sh\ntouch ran\n');
  chmodSync(hook, 0o755);
  const git = gitIn(repo, box.env);
  await git.text(['checkout', '--quiet', '-b', 'work']);
  expect(existsSync(join(repo, 'ran'))).toBe(false);
  const asked = git.at(repo, { ownHooks: true });
  expect(await asked.text(['rev-parse', '--git-path', 'hooks'])).toBe('.git/hooks\n');
});
