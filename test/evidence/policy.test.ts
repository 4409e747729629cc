/** Whose evidence counts, by the policies of base and head and the principals of CI. */
import { chmodSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';
import { FEATURES } from '../support/shop.ts';
import { edited, forgeNote, type Key, type Member, noteAt, sshKey, team } from '../support/team.ts';

interface Case {
  readonly base?: object;
  readonly head?: object | undefined;
  readonly signer?: 'ada' | 'ci' | 'nobody';
}

/** Cart is changed and verified by one signer; what does the gate of a fresh clone say? */
async function judged(box: Sandbox, { base, head, signer = 'ada' }: Case) {
  const keys: Record<string, Key> = { ada: sshKey(box, 'ada'), ci: sshKey(box, 'ci') };
  const { member, gateInCi } = team(box, {
    ...(base && { evidence: base }),
    signers: Object.entries(keys).map(([name, key]) => `${name}@example.org ${key.publicKey}`),
  });
  const clone = member('clone', keys[signer]);
  if (head !== undefined) {
    clone.write('lanehold.json', JSON.stringify({ features: FEATURES, evidence: head }));
  }
  clone.propose('src/cart/add.ts');
  await clone.done('feature', 'verify', 'cart');
  await clone.done('evidence', 'push');
  return gateInCi();
}

const ANY = { require: 'any' };
const CI = { require: 'ci', ci: ['ci@example.org'] };

test.each<[what: string, it: Case, exitCode: number, reason: string]>([
  ['nothing is said: unsigned', { signer: 'nobody' }, 3, 'it is unsigned'],
  ['anybody may vouch: unsigned', { base: ANY, signer: 'nobody' }, 0, 'unsigned'],
  ['nothing is said: signed', {}, 0, 'signed by ada@example.org'],
  [
    'the head asks for less',
    { base: { require: 'signed' }, head: { require: 'any' }, signer: 'nobody' },
    3,
    'it is unsigned',
  ],
  [
    'the head lets anybody vouch, and the base says nothing',
    { head: ANY, signer: 'nobody' },
    3,
    'it is unsigned',
  ],
  [
    'the head asks for more',
    { base: ANY, head: { require: 'signed' }, signer: 'nobody' },
    3,
    'it is unsigned',
  ],
  [
    'CI is asked for: a person',
    { base: CI },
    3,
    'it is signed by ada@example.org, and the base does not name that as CI',
  ],
  ['CI is asked for: CI', { base: CI, signer: 'ci' }, 0, 'signed by ci@example.org'],
  [
    'CI is asked for: nobody',
    { base: CI, signer: 'nobody' },
    3,
    "the policy asks for CI's signature",
  ],
  [
    'a person names herself CI in the head',
    { base: CI, head: { require: 'ci', ci: ['ci@example.org', 'ada@example.org'] } },
    3,
    'the base does not name that as CI',
  ],
  ['the head names CI first', { head: CI, signer: 'ci' }, 3, 'the base does not name that as CI'],
  [
    'the head takes CI away',
    { base: CI, head: { require: 'ci', ci: [] }, signer: 'ci' },
    3,
    'the base does not name that as CI',
  ],
])('%s', async (_, it, exitCode, reason) => {
  const answer = await judged(sandbox(), it);
  expect(answer).toMatchObject({ exitCode, stdout: expect.stringContaining(reason) });
});

/** Ada changes cart, verifies and signs; the base does not say who may sign. */
async function signedByAda(box: Sandbox, start: Parameters<typeof team>[1]) {
  const key = sshKey(box, 'ada');
  const world = team(box, start);
  const ada = world.member('ada', key);
  ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', 'cart');
  await ada.done('evidence', 'push');
  return { ...world, ada, key };
}

const SIGNED = { evidence: { require: 'signed' } };

test('without a list of signers no signer is known', async () => {
  const { gateInCi } = await signedByAda(sandbox(), SIGNED);
  const { exitCode, stdout } = await gateInCi();
  expect(exitCode).toBe(3);
  expect(stdout).toContain(
    'there is no .lanehold/allowed_signers in the base, nor a file of your own',
  );
});

test('a file that the caller names, or git knows, says who may sign', async () => {
  const box = sandbox();
  const { gateInCi, key } = await signedByAda(box, SIGNED);
  const file = box.write('signers', `ada@example.org ${key.publicKey}\n`);
  expect(await gateInCi('origin/change', '--allowed-signers', file)).toMatchObject({ exitCode: 0 });
  box.git(box.root, 'config', '--global', 'gpg.ssh.allowedSignersFile', file);
  expect(await gateInCi()).toMatchObject({ exitCode: 0 });
});

test.each([
  ['is not there', '/nonexistent/signers', 'the allowed signers cannot be read'],
  ['lies in the working tree', '.lanehold/mine', 'is a part of what is judged'],
])("a setting of git's whose file %s stops nothing but signatures", async (_, file, reason) => {
  const box = sandbox();
  const { ada, key } = await signedByAda(box, SIGNED);
  ada.write('.lanehold/mine', `ada@example.org ${key.publicKey}\n`);
  ada.git('config', 'gpg.ssh.allowedSignersFile', resolve(ada.repo, file));
  const run = await ada.lanehold('evidence', 'verify', '--base', 'origin/main');
  expect(run).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(reason) });
  expect(await ada.lanehold('gate', '--base', 'origin/main')).toMatchObject({ exitCode: 0 });
});

test('a file in the git directory belongs to the user', async () => {
  const box = sandbox();
  const { ada, key } = await signedByAda(box, SIGNED);
  ada.write('.git/signers', `ada@example.org ${key.publicKey}\n`);
  ada.git('config', 'gpg.ssh.allowedSignersFile', join(ada.repo, '.git/signers'));
  expect(await ada.lanehold('evidence', 'verify', '--base', 'origin/main')).toMatchObject({
    exitCode: 0,
  });
});

test('an allowed signer may be limited in time and in use', async () => {
  const box = sandbox();
  const { gateInCi, key } = await signedByAda(box, SIGNED);
  const limited = (option: string) =>
    box.write('signers', `ada@example.org ${option} ${key.publicKey}\n`);
  for (const [option, exitCode] of [
    ['namespaces="lanehold"', 0],
    ['namespaces="git"', 3],
    ['valid-before="20200101"', 3],
  ] as const) {
    const run = await gateInCi('origin/change', '--allowed-signers', limited(option));
    expect({ option, exitCode: run.exitCode }).toEqual({ option, exitCode });
  }
});

test('an unknown key counts with the policy `any`, but not for what was changed after signing', async () => {
  const box = sandbox();
  const { gateInCi, ada } = await signedByAda(box, { evidence: ANY });
  expect((await gateInCi()).stdout).toContain('signed by the unknown key SHA256:');
  const [honest] = noteAt(ada, 'HEAD');
  if (honest === undefined) throw new Error('nothing was noted');
  const change = (it: { predicate: { lanehold: { actor: string } } }) => {
    it.predicate.lanehold.actor = 'person eve';
  };
  forgeNote(box, ada, 'HEAD', [edited(honest, change as never)]);
  const { exitCode, stdout } = await gateInCi();
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(/its signature does not belong/);
});

test('an attestation counts only where the feature may be attested', async () => {
  const box = sandbox();
  const { member, gateInCi } = team(box, { evidence: ANY, gate: { attest: 'any' } });
  const ada = member('ada');
  ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', 'cart', '--attest', '--notes', 'read it');
  await ada.done('evidence', 'push');
  expect(await gateInCi()).toMatchObject({ exitCode: 0 });

  const main = member('main');
  main.write('lanehold.json', JSON.stringify({ features: FEATURES, evidence: ANY }));
  box.commit(main.repo);
  main.git('push', '--quiet');
  const { exitCode, stdout } = await gateInCi();
  expect(exitCode).toBe(3);
  expect(stdout).toContain('the feature has a smoke test to run');
});

test('private features and local facts are not shared', async () => {
  const box = sandbox();
  const { member } = team(box);
  const ada = member('ada');
  await ada.done('feature', 'add', 'secret', '--files', 'src/**', '--smoke', 'true');
  ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', 'cart', 'secret');
  expect(await ada.done('evidence', 'push')).toContain('Sent 1 record to origin: cart, unsigned');
  const notes = ada.git('notes', '--ref=refs/notes/lanehold', 'show', 'HEAD');
  const said = Buffer.from(JSON.parse(notes).payload, 'base64').toString('utf8');
  expect(said).not.toContain(box.root);
  expect(said).not.toContain('secret');
});

test('a key that cannot sign is an error, and not a reason to send it unsigned', async () => {
  const box = sandbox();
  const { member } = team(box);
  const ada = member('ada', { file: join(box.root, 'none'), publicKey: '' });
  ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', 'cart');
  const { exitCode, stderr } = await ada.lanehold('evidence', 'push');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('cannot sign the evidence with the ssh key');
});

test('without ssh-keygen evidence cannot be checked, and the gate says so', async () => {
  const box = sandbox();
  const key = sshKey(box, 'ada');
  const { member } = team(box, { ...SIGNED, signers: [`ada@example.org ${key.publicKey}`] });
  const ada: Member = member('ada', key);
  ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', 'cart');
  await ada.done('evidence', 'push');
  // A PATH with git and nothing else.
  const bin = join(box.root, 'bin');
  const git = box.git(box.root, '--exec-path');
  box.write(join(bin, 'git'), `#!/bin/sh\nexec ${git}/git "$@"\n`);
  chmodSync(join(bin, 'git'), 0o755);
  const { exitCode, stdout } = await command(
    box,
    ada.repo,
    ['evidence', 'verify', '--base', 'origin/main'],
    { env: { ...ada.env, PATH: bin } },
  );
  expect(exitCode).toBe(1);
  expect(stdout).toContain('its signature cannot be checked: ssh-keygen not found');
});
