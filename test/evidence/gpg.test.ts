import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { sandbox } from '../support/sandbox.ts';
import { edited, forgeNote, noteAt, team } from '../support/team.ts';

const missing = spawnSync('gpg', ['--version']).status !== 0;
if (missing) process.stdout.write('gpg is not installed: evidence signed with gpg is not tested\n');

const box = sandbox(afterAll);

/** A keyring with one key of its own; the socket of its agent needs a short path. */
function keyring(name: string) {
  const folder = join(box.root, name);
  mkdirSync(folder, { mode: 0o700 });
  const gpg = (...args: string[]) =>
    execFileSync('gpg', ['--homedir', folder, '--batch', '--quiet', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  afterAll(() => {
    spawnSync('gpgconf', ['--homedir', folder, '--kill', 'all']);
  });
  return { folder, gpg };
}

test.skipIf(missing)('a gpg key that the keyring trusts vouches, and no other', async () => {
  const own = keyring('own');
  own.gpg('--passphrase', '', '--quick-generate-key', 'ada@example.org', 'ed25519', 'sign');
  const fingerprint = /^fpr:+(\w+):/m.exec(own.gpg('--with-colons', '--list-keys'))?.[1] ?? '';
  const { member } = team(box, { evidence: { require: 'ci', ci: [fingerprint] } });
  const ada = member('ada');
  ada.git('config', 'user.signingKey', fingerprint);
  const lanehold = (gnupg: string, ...argv: string[]) =>
    command(box, ada.repo, argv, { env: { ...ada.env, GNUPGHOME: gnupg } });
  const commit = ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', 'cart');
  const sent = await lanehold(own.folder, 'evidence', 'push');
  expect(sent).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/signed$/m) });

  const verify = ['evidence', 'verify', '--base', 'origin/main'];
  const here = await lanehold(own.folder, ...verify);
  expect(here).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`signed by ${fingerprint}`),
  });

  const other = keyring('other');
  const unknown = await lanehold(other.folder, ...verify);
  expect(unknown.stdout).toContain('the keyring does not have the key it names');
  execFileSync('gpg', ['--homedir', other.folder, '--batch', '--quiet', '--import'], {
    input: own.gpg('--export', '--armor'),
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const untrusted = await lanehold(other.folder, ...verify);
  expect(untrusted.stdout).toContain(`the keyring here does not trust the gpg key ${fingerprint}`);

  const [honest] = noteAt(ada, commit);
  if (honest === undefined) throw new Error('nothing was noted');
  const change = (it: { predicate: { lanehold: { actor: string } } }) => {
    it.predicate.lanehold.actor = 'person eve';
  };
  forgeNote(box, ada, commit, [edited(honest, change as never)]);
  const forged = await lanehold(own.folder, ...verify);
  expect(forged).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(/its signature does not belong/),
  });
});
