/** Commits of lanes and merges have the person's signature where the key answers without a person. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { onPath } from '../../../src/base/files/executable.ts';
import { gitIn } from '../../../src/base/git/git-in.ts';
import { integrate } from '../../../src/lanes/queue/integrate.ts';
import { signed } from '../../../src/lanes/tree/sign.ts';
import { laneRows } from '../../support/lane-rows.ts';
import { sandbox } from '../../support/sandbox.ts';

const SLOW = 240_000;

/** A key for ssh in the person's settings, with the programs that could ask somebody. */
async function withKey(passphrase: string) {
  const rows = await laneRows({ validate: 'true' });
  const { box, git } = rows;
  const [key, asked] = [join(box.root, 'key'), join(box.root, 'asked')];
  const args = ['-q', '-t', 'ed25519', '-N', passphrase, '-C', 'ada', '-f', key];
  execFileSync('ssh-keygen', args, { env: { ...box.env } });
  const ask = box.write(join(box.root, 'ask'), `#!/bin/sh\ntouch '${asked}'\necho ${passphrase}\n`);
  chmodSync(ask, 0o755);
  Object.assign(rows.context.env, { SSH_ASKPASS: ask, DISPLAY: ':99' });
  const allowed = box.write(
    join(box.root, 'allowed'),
    `* ${execFileSync('cat', [`${key}.pub`], { encoding: 'utf8' })}`,
  );
  git('config', 'gpg.format', 'ssh');
  git('config', 'user.signingkey', key);
  git('config', 'gpg.ssh.allowedSignersFile', allowed);
  const said: string[] = [];
  return {
    ...rows,
    said,
    asked: () => existsSync(asked),
    signs: (ref: string) => git('log', '-1', '--format=%G?', ref),
    sign: (wish: 'true' | 'false') => git('config', 'commit.gpgsign', wish),
    /** The commits that the test makes itself are not signed. */
    async integrate() {
      git('config', 'commit.gpgsign', 'true');
      await integrate(rows.context, rows.run, {
        signal: new AbortController().signal,
        progress: (line) => said.push(line),
      });
      git('config', 'commit.gpgsign', 'false');
    },
  };
}

test(
  'a merge is signed, with the same commit when it is repeated',
  async () => {
    const it = await withKey('');
    it.verified('a', { 'a.txt': 'a\n' });
    await it.integrate();
    expect(it.state('a')).toBe('integrated');
    expect(it.signs(it.tip())).toBe('G');
    expect(it.git('log', '-1', '--format=%s', it.tip())).toBe('Merge lane a of billing');
    const git = gitIn(it.repo, it.context.env);
    const again = it.git('commit-tree', '-m', 'x', `${it.base}^{tree}`);
    expect(await signed(git, again)).toBe(await signed(git, again));
    expect(it.said.join()).not.toContain('not signed');
  },
  SLOW,
);

test(
  'a key that needs a person is told once, and nobody is asked',
  async () => {
    const it = await withKey('a passphrase');
    it.verified('a', { 'a.txt': 'a\n' });
    await it.integrate();
    it.verified('b', { 'b.txt': 'b\n' });
    await it.integrate();
    expect([it.state('a'), it.state('b')]).toEqual(['integrated', 'integrated']);
    expect(it.signs(it.tip())).toBe('N');
    expect(it.said.filter((line) => line.includes('commits are not signed'))).toEqual([
      expect.stringContaining('ssh-keygen gave no signature: '),
    ]);
    expect(it.asked()).toBe(false);
  },
  SLOW,
);

test.each([
  ['another program', ['gpg.ssh.program', '/opt/1Password/op-ssh-sign'], 'true'],
  ['no key', ['--unset', 'user.signingkey'], 'true'],
  ['settings that do not ask for it', ['commit.gpgsign', 'false'], 'false'],
] as const)('nothing is signed with %s', async (_, settings, wish) => {
  const it = await withKey('');
  it.sign(wish);
  it.git('config', ...settings);
  expect(await signed(gitIn(it.repo, it.context.env), it.base)).toBe(it.base);
});

const hasGpg = onPath('gpg', process.env) !== undefined;

test.runIf(hasGpg)(
  `a key of GnuPG signs, and one with a passphrase asks nobody${hasGpg ? '' : ' (no gpg here)'}`,
  async () => {
    const box = sandbox();
    const home = join(box.root, 'g');
    const env = { ...box.env, GNUPGHOME: home };
    execFileSync('mkdir', ['-m', '700', home]);
    const gpg = (...args: readonly string[]) => execFileSync('gpg', args, { env, stdio: 'pipe' });
    onTestFinished(() => {
      execFileSync('gpgconf', ['--kill', 'all'], { env });
    });
    for (const [who, passphrase] of [
      ['ada', ''],
      ['bob', 'a passphrase'],
    ] as const) {
      const key = [`${who} <${who}@example.com>`, 'ed25519', 'sign', 'never'];
      gpg(
        '--batch',
        '--pinentry-mode',
        'loopback',
        '--passphrase',
        passphrase,
        '--quick-gen-key',
        ...key,
      );
    }
    // What was unlocked to make the keys is forgotten.
    execFileSync('gpgconf', ['--kill', 'gpg-agent'], { env });
    for (const [name, verdict] of [
      ['ada', /[GU]/],
      ['bob', /N/],
    ] as const) {
      const repo = box.repo(name);
      box.write(join(repo, 'a.txt'), 'a\n');
      const sha = box.commit(repo, 'first');
      box.git(repo, 'config', 'commit.gpgsign', 'true');
      box.git(repo, 'config', 'user.signingkey', `${name}@example.com`);
      const made = await signed(gitIn(repo, env), sha);
      const args = ['-C', repo, 'log', '-1', '--format=%G?', made];
      expect(execFileSync('git', args, { env, encoding: 'utf8' })).toMatch(verdict);
    }
  },
  SLOW,
);
