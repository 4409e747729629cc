/** Everyone who may push notes can put anything there: which of it counts, and why not. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import {
  edited,
  forgeNote,
  type Key,
  type Member,
  noteAt,
  sshKey,
  statementIn,
  type Team,
  team,
  type Written,
} from '../support/team.ts';

type Facts = Record<string, unknown> & { lanehold: Record<string, unknown> };
type Subject = { name: string; digest: Record<string, string> };
type Statement = { subject: [Subject, ...Subject[]]; predicate: Facts };

const box = sandbox(afterAll);
let ada: Member;
let mallory: Key;
let gateInCi: Team['gateInCi'];
/** The commit that changes cart, and the evidence for it as Ada has signed it. */
let commit: string;
let honest: Written;

beforeAll(async () => {
  const key = sshKey(box, 'ada');
  mallory = sshKey(box, 'mallory');
  const world = team(box, {
    evidence: { require: 'signed' },
    signers: [`ada@example.org ${key.publicKey}`],
  });
  gateInCi = world.gateInCi;
  ada = world.member('ada', key);
  commit = ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', 'cart');
  await ada.done('evidence', 'push');
  const [written] = noteAt(ada, commit);
  if (written === undefined) throw new Error('nothing was noted');
  honest = written;
});

function mallorysSignature(): string {
  mallorys ??= signedBy(mallory, honest).signatures[0]?.sig;
  return mallorys ?? '';
}
let mallorys: string | undefined;

/** Signs as `lanehold evidence push` would, with any key. */
function signedBy({ file }: Key, envelope: Written, namespace = 'lanehold'): Written {
  const payload = Buffer.from(envelope.payload, 'base64');
  const head = `DSSEv1 ${envelope.payloadType.length} ${envelope.payloadType} ${payload.length} `;
  const armour = execFileSync('ssh-keygen', ['-Y', 'sign', '-n', namespace, '-f', file], {
    input: Buffer.concat([Buffer.from(head), payload]),
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const sig = armour.replaceAll(/-----[^-]+-----|\s/g, '');
  return { ...envelope, signatures: [{ keyid: 'ada@example.org', sig }] };
}

const change = (work: (statement: Statement) => void) => () => edited(honest, work as never);
const facts = (work: (lanehold: Record<string, unknown>) => void) =>
  change(({ predicate }) => work(predicate.lanehold));

test('counts as it was signed', async () => {
  forgeNote(box, ada, commit, [honest]);
  expect(await gateInCi()).toMatchObject({ exitCode: 0 });
});

const BROKEN = 'its signature does not belong to what it says';

describe('does not count', () => {
  test.each<[what: string, forge: () => Written, reason: string | undefined]>([
    ['without its signature', () => ({ ...honest, signatures: [] }), 'it is unsigned'],
    [
      'with another time',
      facts((it) => (it.at = '2030-01-01T00:00:00.000Z')),
      'it is from the future',
    ],
    ['with another name', facts((it) => (it.actor = 'person bob')), BROKEN],
    ['with an unknown field', facts((it) => (it.extra = 1)), BROKEN],
    [
      'signed by a stranger who says to be Ada',
      () => signedBy(mallory, honest),
      'nobody who may sign has the key SHA256:',
    ],
    [
      'with a signature that is none',
      () => ({ ...honest, signatures: [{ keyid: '', sig: 'U1NIU0lHAAAA' }] }),
      'nobody who may sign',
    ],
    ['of a later payload type', () => ({ ...honest, payloadType: 'application/json' }), undefined],
    [
      'about another feature',
      change(({ subject }) => (subject[0].name = 'lanehold:feature/checkout')),
      undefined,
    ],
  ])('%s', async (_, forge, reason) => {
    forgeNote(box, ada, commit, [forge()]);
    const { exitCode, stdout } = await gateInCi();
    expect(exitCode).toBe(3);
    if (reason === undefined) expect(stdout).not.toContain('does not count');
    else expect(stdout).toContain(reason);
  });

  test('signed by Ada for something else than evidence', async () => {
    const own = { file: `${box.root}/keys/ada`, publicKey: '' };
    forgeNote(box, ada, commit, [signedBy(own, honest, 'git')]);
    const { exitCode, stdout } = await gateInCi();
    expect({ exitCode, broken: stdout.includes(BROKEN) }).toEqual({ exitCode: 3, broken: true });
  });

  test('with the signature of other evidence of hers', async () => {
    ada.git('switch', '--quiet', '--create', 'other', 'main');
    const other = ada.propose('src/checkout/pay.ts', 'x\n', 'other');
    await ada.done('feature', 'verify', 'checkout');
    await ada.done('evidence', 'push');
    const [theirs] = noteAt(ada, other).slice(-1);
    ada.git('switch', '--quiet', 'change');
    forgeNote(box, ada, commit, [{ ...honest, signatures: theirs?.signatures ?? [] }]);
    const { exitCode, stdout } = await gateInCi();
    expect({ exitCode, broken: stdout.includes(BROKEN) }).toEqual({ exitCode: 3, broken: true });
  });

  test('for another feature than its subject', async () => {
    ada.git('switch', '--quiet', '--create', 'copied', 'main');
    const copied = ada.propose('src/checkout/pay.ts', 'y\n', 'copied');
    forgeNote(box, ada, copied, [honest]);
    expect(await gateInCi('origin/copied')).toMatchObject({ exitCode: 3 });
    ada.git('switch', '--quiet', 'change');
  });

  test('at a commit with other content', async () => {
    ada.git('switch', '--quiet', '--create', 'replayed', 'main');
    const replayed = ada.propose('src/cart/add.ts', 'something else\n', 'replayed');
    forgeNote(box, ada, replayed, [honest]);
    expect(await gateInCi('origin/replayed')).toMatchObject({ exitCode: 3 });
    ada.git('switch', '--quiet', 'change');
  });
});

test('is the same at a commit with the same content', async () => {
  ada.git('switch', '--quiet', '--create', 'same', 'main');
  const same = ada.propose('src/cart/add.ts', 'src/cart/add.ts changed\n', 'same');
  forgeNote(box, ada, same, [honest]);
  expect(await gateInCi('origin/same')).toMatchObject({ exitCode: 0 });
  ada.git('switch', '--quiet', 'change');
});

test('other lines in the note do no harm', async () => {
  const junk = [
    'not json',
    '[]',
    'null',
    '{"payloadType":{},"payload":[],"signatures":0}',
    `${'['.repeat(50_000)}`,
    `"${'x'.repeat(300_000)}"`,
    { ...honest, signatures: [...Array(9)].map(() => honest.signatures[0]) },
    { ...honest, payload: '../../etc/passwd' },
    edited(honest, (({ subject }: Statement) => {
      subject[0].name = 'lanehold:feature/../../etc/passwd';
    }) as never),
    edited(honest, (({ subject }: Statement) => subject.push(subject[0])) as never),
    edited(honest, (({ predicate }: Statement) => {
      predicate.lanehold.runs = 'all';
    }) as never),
    honest,
    honest,
  ];
  forgeNote(box, ada, commit, junk);
  expect(await gateInCi()).toMatchObject({ exitCode: 0 });
  const { exitCode, stdout } = await ada.lanehold('evidence', 'verify', '--base', 'origin/main');
  expect(exitCode).toBe(1);
  expect(stdout.split('\n')[0]).toBe('Accepted 1 of 12 records at HEAD');
});

test('a signer that only the head names does not count', async () => {
  ada.git('switch', '--quiet', '--create', 'own-signers', 'main');
  ada.write('.lanehold/allowed_signers', `ada@example.org ${mallory.publicKey}\n`);
  ada.write(
    'lanehold.json',
    JSON.stringify({
      features: {
        cart: { files: ['src/cart/**'], smoke: ['true'] },
        checkout: { files: ['src/checkout/**'], smoke: ['true'] },
      },
      evidence: { require: 'any' },
    }),
  );
  ada.propose('src/cart/add.ts', 'mine\n', 'own-signers');
  await ada.done('feature', 'verify', 'cart');
  ada.git('config', 'user.signingKey', mallory.file);
  await ada.done('evidence', 'push');
  const { exitCode, stdout } = await gateInCi('origin/own-signers');
  expect(exitCode).toBe(3);
  expect(stdout).toContain('nobody who may sign has the key');
});

test('a file of the working tree cannot say who may sign', async () => {
  ada.write('signers', `ada@example.org ${mallory.publicKey}\n`);
  const run = await ada.lanehold('gate', '--allowed-signers', 'signers');
  expect(run).toMatchObject({ exitCode: 2 });
  expect(run.stderr).toContain('is a part of what is judged');
  expect(statementIn(honest)._type).toBe('https://in-toto.io/Statement/v1');
});

test('too many notes hold, and the gate says what it has not read', async () => {
  const padding = 'x'.repeat(100_000);
  const flood = [...Array(50).keys()].map((at) => ({ ...honest, padding: `${at}${padding}` }));
  // The same evidence at other commits would do.
  ada.git('update-ref', '-d', 'refs/notes/lanehold');
  forgeNote(box, ada, commit, flood);
  const { exitCode, stdout } = await gateInCi();
  expect(exitCode).toBe(3);
  expect(stdout).toContain('- 1 note is too large, or one too many, to be read');
});

test('many signatures by unknown keys take little time, and hold', async () => {
  const flood = [...Array(1000).keys()].map((at) => ({
    ...honest,
    signatures: [{ keyid: String(at), sig: mallorysSignature() }],
  }));
  forgeNote(box, ada, commit, flood);
  const starts = box.write('starts', '');
  const { PATH } = box.env;
  const counting = `#!/bin/sh\necho start >> '${starts}'\nPATH='${PATH}' exec ssh-keygen "$@"\n`;
  chmodSync(box.write('counting/ssh-keygen', counting), 0o755);
  box.env.PATH = `${join(box.root, 'counting')}:${PATH}`;
  const answer = await gateInCi().finally(() => Object.assign(box.env, { PATH }));
  expect(answer).toMatchObject({ exitCode: 3 });
  const count = readFileSync(starts, 'utf8').split('\n').length - 1;
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThan(200);
});
