/** Evidence that is made in one clone, and checked in another. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { sandbox } from '../support/sandbox.ts';
import type { Features } from '../support/shop.ts';
import { noteAt, sshKey, statementIn, team } from '../support/team.ts';

const signedTeam = (evidence: object = { require: 'signed' }, features?: Features) => {
  const box = sandbox();
  const key = sshKey(box, 'ada');
  const signers = [`ada@example.org ${key.publicKey}`];
  const { member, ...others } = team(box, {
    evidence,
    signers,
    ...(features && { features }),
  });
  return { box, key, ada: member('ada', key), member, ...others };
};

test('evidence signed in one clone lets the gate of a fresh clone without a store pass', async () => {
  const { ada, gateInCi } = signedTeam();
  ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', 'cart');
  expect(await gateInCi()).toMatchObject({ exitCode: 3 });

  expect(await ada.done('evidence', 'push')).toBe('Sent 1 record to origin: cart, signed\n');

  expect(await gateInCi()).toEqual({
    exitCode: 0,
    stdout:
      'Pass: cart verified for exactly what leaves\n- cart: passed by person ada, signed by ada@example.org\n',
    stderr: '',
  });
});

test('a transfer that takes longer than a second is shown on a terminal', async () => {
  const { box, ada, remote } = signedTeam();
  ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', 'cart');
  const hook = box.write(join(remote, 'hooks/pre-receive'), '#!/bin/sh\nsleep 2\n');
  chmodSync(hook, 0o755);
  const push = (how: object) => command(box, ada.repo, ['evidence', 'push'], { ...ada, ...how });
  const shown = await push({ onTerminal: true });
  expect(shown).toMatchObject({ exitCode: 0, stdout: 'Sent 1 record to origin: cart, signed\n' });
  expect(shown.stderr).toMatch(/git: \w+ \d+ % \(\d/);
  ada.git('push', '--quiet', 'origin', ':refs/notes/lanehold');
  expect(await push({})).toMatchObject({ exitCode: 0, stderr: '' });
});

test('a pass beside a file is sent of the commit that has it, and says nothing of one without', async () => {
  const { ada, gateInCi } = signedTeam();
  const without = ada.propose('src/cart/add.ts');
  ada.write('lib/new.js', 'x\n');
  await ada.done('feature', 'verify', 'cart');
  expect(await ada.done('evidence', 'push')).toContain('Nothing to send');
  ada.propose('lib/new.js', 'x\n');
  await ada.done('evidence', 'push');
  expect(await gateInCi()).toMatchObject({ exitCode: 0 });
  const held = await gateInCi(without);
  expect(held.exitCode).toBe(3);
  expect(held.stdout).toContain('beside lib/new.js, which does not leave');
});

test('a change after the evidence is held again', async () => {
  const { ada, gateInCi } = signedTeam();
  ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', 'cart');
  await ada.done('evidence', 'push');
  ada.propose('src/cart/add.ts', 'once more\n');
  expect(await gateInCi()).toMatchObject({ exitCode: 3 });
});

test('the same content at another commit has the same evidence', async () => {
  const { ada, gateInCi } = signedTeam();
  ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', 'cart');
  await ada.done('evidence', 'push');
  ada.propose('README.md');
  expect(await gateInCi()).toMatchObject({ exitCode: 0 });
});

test('unsigned evidence is refused where the policy asks for a signature, and the reason said', async () => {
  const { ada, gateInCi } = signedTeam();
  const commit = ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', 'cart');
  expect(await ada.done('evidence', 'push', '--no-sign')).toContain('unsigned');
  const { exitCode, stdout } = await gateInCi();
  expect({ exitCode, lines: stdout.split('\n').slice(-3) }).toEqual({
    exitCode: 3,
    lines: [
      'Evidence that does not count:',
      `- cart, noted at ${commit.slice(0, 12)}: it is unsigned, and the policy asks for a signature`,
      '',
    ],
  });
});

test('unsigned evidence counts with the policy `any`', async () => {
  const { ada, gateInCi } = signedTeam({ require: 'any' });
  ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', 'cart');
  await ada.done('evidence', 'push', '--no-sign');
  expect((await gateInCi()).stdout).toContain('unsigned');
});

test('a run that failed later supersedes one that passed', async () => {
  const { ada, gateInCi } = signedTeam(undefined, {
    cart: { files: ['src/cart/**'], smoke: ['test ! -e broken'] },
  });
  ada.write('.gitignore', 'broken\n');
  ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', 'cart');
  await ada.done('evidence', 'push');
  expect(await gateInCi()).toMatchObject({ exitCode: 0 });

  ada.write('broken', '');
  expect(await ada.lanehold('feature', 'verify', 'cart')).toMatchObject({ exitCode: 1 });
  await ada.done('evidence', 'push');
  const { exitCode, stdout } = await gateInCi();
  expect(exitCode).toBe(3);
  expect(stdout).toContain('`test ! -e broken` failed with exit code 1');
});

test('a waiver is shared with its reason, and expires', async () => {
  const { box, ada, gateInCi } = signedTeam();
  ada.propose('src/cart/add.ts');
  await ada.done('feature', 'waive', 'cart', '--reason', 'the sandbox is down', '--expires', '24h');
  await ada.done('evidence', 'push');
  const [written] = noteAt(ada, 'HEAD');
  const { predicate } = statementIn(written as never);
  expect(predicate).toMatchObject({
    result: 'WARNED',
    lanehold: { kind: 'waived', reason: 'the sandbox is down', expires: expect.any(String) },
  });
  expect(await gateInCi()).toMatchObject({ exitCode: 0 });

  const later = { now: new Date(Date.now() + 25 * 3_600_000), env: { LANEHOLD_HOME: box.home } };
  const run = await command(box, ada.repo, ['gate', '--base', 'origin/main'], later);
  expect(run).toMatchObject({
    exitCode: 3,
    stdout: expect.stringContaining('its waiver expired 1 hour ago'),
  });
});

test('two people who push notes at once lose nothing', async () => {
  const { ada, member, gateInCi } = signedTeam({ require: 'any' });
  const bob = member('bob');
  ada.propose('src/cart/add.ts', 'two\n', 'change');
  bob.git('fetch', '--quiet');
  bob.git('switch', '--quiet', 'change');
  ada.propose('src/checkout/pay.ts', 'two\n', 'change');
  bob.git('pull', '--quiet');
  await ada.done('feature', 'verify', 'cart');
  await bob.done('feature', 'verify', 'checkout');
  const pushed = await Promise.all([
    ada.lanehold('evidence', 'push'),
    bob.lanehold('evidence', 'push'),
  ]);
  expect(pushed.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(await gateInCi()).toMatchObject({ exitCode: 0 });
});

test('what is pulled counts for the hook, too, and is not sent as own evidence', async () => {
  const { ada, member } = signedTeam();
  const bob = member('bob');
  ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', 'cart');
  await ada.done('evidence', 'push');
  bob.git('fetch', '--quiet');
  bob.git('switch', '--quiet', 'change');
  const wouldPush = ['gate', '--command', 'git push origin change:main'];
  expect(await bob.lanehold(...wouldPush)).toMatchObject({ exitCode: 3 });

  expect(await bob.done('evidence', 'pull')).toBe(
    'Imported 1 record from origin\n  cart: passed, signed by ada@example.org\n',
  );
  expect(await bob.lanehold(...wouldPush)).toMatchObject({ exitCode: 0 });
  expect(await bob.done('evidence', 'pull')).toContain('No evidence of origin is new here');
  expect(await bob.done('evidence', 'push')).toContain('Nothing to send');
});

test('what the base got since the branch left it is not asked of the branch', async () => {
  const { box, ada, member, gateInCi } = signedTeam();
  ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', 'cart');
  await ada.done('evidence', 'push');
  const main = member('main');
  main.write('src/checkout/pay.ts', 'newer\n');
  box.commit(main.repo);
  main.git('push', '--quiet');
  expect(await gateInCi()).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('Pass: cart verified'),
  });
});

test('evidence that is sent twice is there once', async () => {
  const { ada } = signedTeam();
  const commit = ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', 'cart');
  await ada.done('evidence', 'push', '--no-sign');
  await ada.done('evidence', 'push');
  expect(await ada.done('evidence', 'push')).toBe('origin has the evidence for cart already\n');
  expect(
    noteAt(ada, commit)
      .map(({ signatures }) => signatures.length)
      .sort(),
  ).toEqual([0, 1]);
});
