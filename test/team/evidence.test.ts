/** Verified once anywhere: what one machine of a team has tested, another need not test again. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { withBoard } from '../../src/team/board/board.ts';
import { keyOf } from '../../src/team/credentials.ts';
import { placeOfEvidence } from '../../src/team/exchange.ts';
import { seal, subjectOf, unseal } from '../../src/team/seal.ts';
import { acme, connecting, credentialsOf, opened, pushes, takes } from '../support/board.ts';
import { command } from '../support/command.ts';
import { network } from '../support/network.ts';
import { withPostgres } from '../support/postgres.ts';
import { runNode } from '../support/program.ts';
import { CLI_PROGRAM, type Sandbox, sandbox } from '../support/sandbox.ts';
import type { Member } from '../support/team.ts';

const LIMIT_MS = 20_000;

const asCi = (member: Member, ...argv: string[]) => member.laneholdWith({ CI: 'true' }, ...argv);

withPostgres('evidence of a team', (server) => {
  test('what CI has tested is not tested again, and a push of it passes', async () => {
    const { connected, keys, runs } = await acme(server);
    const [ci, ada] = [await connected('ci', keys.ci), await connected('ada', keys.ada)];
    ci.propose('src/cart/add.ts');
    await asCi(ci, 'feature', 'verify', '--base', 'origin/main');
    expect(runs()).toBe(1);
    takes(ada);
    expect((await pushes(ada)).exitCode).toBe(3);
    const verified = await ada.lanehold('feature', 'verify', '--pending');
    expect(verified).toMatchObject({ exitCode: 0, stderr: '' });
    expect(verified.stdout).toBe('Verified 1 of 1: cart\n  cart: verified by ci@acme, just now\n');
    expect(runs()).toBe(1);
    expect((await pushes(ada)).exitCode).toBe(0);
    const { features } = JSON.parse(await ada.done('feature', 'verify', 'cart', '--json'));
    expect(features[0]).toMatchObject({ result: 'passed', elsewhere: { by: 'signed by ci@acme' } });
    // Who doubts it, runs it.
    expect(await ada.done('feature', 'verify', 'cart', '--again')).toBe('Verified 1 of 1: cart\n');
    expect(runs()).toBe(2);
  });

  test('only what was tested elsewhere is left out', async () => {
    const { connected, keys, runs } = await acme(server);
    const [ci, ada] = [await connected('ci', keys.ci), await connected('ada', keys.ada)];
    ci.propose('src/cart/add.ts');
    await ci.done('feature', 'verify', 'cart');
    takes(ada);
    ada.propose('src/checkout/pay.ts', 'two\n', 'mine');
    const said = await ada.done('feature', 'verify', '--base', 'origin/main');
    expect(said).toBe('Verified 2 of 2: cart, checkout\n  cart: verified by ci@acme, just now\n');
    expect(runs()).toBe(2);
  });

  test('the gate on the command line asks the board, and judges anew', async () => {
    const { connected, keys } = await acme(server);
    const [ci, ada] = [await connected('ci', keys.ci), await connected('ada', keys.ada)];
    const commit = ada.propose('src/cart/add.ts');
    await ada.done('feature', 'verify', 'cart');
    ci.git('fetch', '--quiet');
    const answer = await asCi(ci, 'gate', '--base', 'origin/main', '--head', commit);
    expect(answer.stdout).toContain('- cart: passed by person ada, signed by ada@acme');
    expect(answer.exitCode).toBe(0);
    // The other commit on top is not what she has verified.
    const next = ada.propose('src/cart/add.ts', 'more\n');
    ci.git('fetch', '--quiet');
    expect((await ci.lanehold('gate', '--base', 'origin/main', '--head', next)).exitCode).toBe(3);
  });

  test.each([
    ['ci', {}, 'of a person, where only that of CI counts'],
    ['ci', { ci: ['ada@acme'] }, 'of whom the base names as CI', 'counts'],
    ['signed', {}, 'of a known key', 'counts'],
  ])('evidence.require is %s %j: evidence %s', async (require, more, _, counts = '') => {
    const { connected, keys, runs } = await acme(server, { evidence: { require, ...more } });
    const [bob, ada] = [await connected('bob'), await connected('ada', keys.ada)];
    ada.propose('src/cart/add.ts');
    await ada.done('feature', 'verify', 'cart');
    takes(bob);
    const said = await bob.done('feature', 'verify', 'cart');
    expect(said.includes('verified by ada@acme')).toBe(counts !== '');
    expect(runs()).toBe(counts === '' ? 2 : 1);
  });

  test('a stranger who has address and key of the team convinces nobody', async () => {
    const { connected, keys, runs } = await acme(server);
    const [eve, ada] = [await connected('eve', keys.eve), await connected('ada', keys.ada)];
    eve.propose('src/cart/add.ts');
    await eve.done('feature', 'verify', 'cart');
    takes(ada);
    const synced = await ada.done('team', 'sync');
    expect(synced).toMatch(
      /^Sent 0 results, took over 0 of others\n {2}not counted, of cart: nobody who may sign has the key SHA256/,
    );
    expect((await pushes(ada)).exitCode).toBe(3);
    await ada.done('feature', 'verify', 'cart');
    expect(runs()).toBe(2);
  });

  test('a row that was changed, moved or made up says nothing', async () => {
    const { connected, keys, board, runs } = await acme(server);
    const [ci, ada] = [await connected('ci', keys.ci), await connected('ada', keys.ada)];
    ci.propose('src/cart/add.ts');
    ci.propose('src/checkout/pay.ts');
    await ci.done('feature', 'verify', 'cart', 'checkout');
    takes(ada);
    const rows = await server.sql(board.owner, 'SELECT * FROM lanehold.evidence');
    expect(rows).toHaveLength(2);
    const [one, other] = rows as unknown as { subject: Buffer; body: Buffer; repo_id: string }[];
    const attacks: Buffer[] = [
      // A byte, what is of another content, nothing, noise, a later version.
      flipped(one?.body ?? Buffer.of()),
      other?.body ?? Buffer.of(),
      Buffer.of(),
      randomBytes(65_536),
      Buffer.concat([Buffer.of(2), one?.body.subarray(1) ?? Buffer.of()]),
    ];
    // A member knows the key: the true words of one content under the name of another, and no words at all.
    const key = keyOf(credentialsOf(ada));
    const place = (it: typeof one) =>
      placeOfEvidence(it?.repo_id ?? '', it?.subject ?? Buffer.of());
    const words = unseal(key, place(other), other?.body ?? Buffer.of()) ?? '';
    for (const text of [words, '', '{}', '['.repeat(9_999), words.replace('"sig"', '"gis"')])
      attacks.push(seal(key, place(one), text));
    await server.sql(board.owner, 'DELETE FROM lanehold.evidence');
    await withBoard(credentialsOf(ada), LIMIT_MS, async (it) => {
      for (const body of attacks) {
        const digest = createHash('sha256').update(body).digest();
        const { repo_id: repo = '', subject = Buffer.of() } = one ?? {};
        await it.putEvidence({ repo, subject, digest, body });
      }
    });
    expect(await ada.done('team', 'sync')).toContain('took over 0 of others\n');
    await ada.done('feature', 'verify', 'cart', 'checkout');
    expect(runs()).toBe(4);
  });

  test('nobody is kept from working by a board that is away; what was found goes out later', async () => {
    const { connected, keys, board, runs } = await acme(server);
    const wire = await network(server.port);
    const ada = await connected('ada', keys.ada, wire.port);
    const rows = async () =>
      (await server.sql(board.owner, 'SELECT 1 FROM lanehold.evidence')).length;
    for (const [at, state] of (['cut', 'stalled'] as const).entries()) {
      wire.become(state);
      ada.propose('src/cart/add.ts', `${state}\n`);
      const run = await ada.lanehold('feature', 'verify', 'cart');
      expect(run).toMatchObject({ exitCode: 0, stdout: 'Verified 1 of 1: cart\n' });
      expect(run.stderr).toMatch(
        /^the team's board cannot be used: (?:Connection terminated|timeout|Query read timeout|read ECONNRESET).*; the tests run here\n/,
      );
      expect(run.stderr).toContain(
        `\n${at + 1} to be sent to the team by \`lanehold team sync\`: the`,
      );
      expect((await ada.lanehold('gate', '--base', 'origin/main')).exitCode).toBe(0);
    }
    expect(runs()).toBe(2);
    expect(await rows()).toBe(0);
    const away = await ada.lanehold('team', 'doctor');
    expect(away.exitCode).toBe(1);
    expect(away.stdout).toMatch(
      /^broken: 1 check failed\nbroken: the team's board cannot be used: /,
    );
    expect(away.stdout).toContain(
      'warning: 2 to be sent\n  hint: `lanehold team sync` does it, or says why not',
    );
    wire.become('ok');
    expect(await ada.done('team', 'sync')).toBe('Sent 2 results, took over 0 of others\n');
    expect(await rows()).toBe(2);
    expect(await ada.done('team', 'doctor')).toContain('ok: all that was verified here was sent');
  });

  test('what names a file that is in no commit waits until it is', async () => {
    const { connected, keys, board } = await acme(server);
    const [bob, ada] = [await connected('bob'), await connected('ada', keys.ada)];
    ada.write('src/cart/secret-plan.ts', 'new\n');
    const first = await ada.lanehold('feature', 'verify', 'cart');
    expect(first.stderr).toContain(
      '1 to be sent to the team by `lanehold team sync`: src/cart/secret-plan.ts is not committed\n',
    );
    expect(await opened(server, board, ada)).toEqual([]);
    ada.propose('src/cart/add.ts', 'one\n');
    expect(await ada.done('team', 'sync')).toContain('Sent 1 result,');
    takes(bob);
    expect(await bob.done('feature', 'verify', 'cart')).toContain('verified by ada@acme');
  });

  test('a pass with more than the commit has does not count for the commit', async () => {
    const { connected, keys, runs } = await acme(server);
    const [bob, ada] = [await connected('bob'), await connected('ada', keys.ada)];
    ada.propose('src/cart/add.ts');
    ada.write('src/checkout/pay.ts', 'not committed, and needed\n');
    await ada.done('feature', 'verify', 'cart');
    takes(bob);
    await bob.done('feature', 'verify', 'cart');
    expect(runs()).toBe(1);
    // In his working tree it may be true; what leaves is asked for by the commit.
    expect((await pushes(bob)).exitCode).toBe(3);
    expect(await bob.done('feature', 'verify', 'cart', '--at', 'HEAD')).not.toContain('ada');
    expect((await pushes(bob)).exitCode).toBe(0);
  });

  test('private features stay at home, secrets are redacted, nothing is readable', async () => {
    const secret = 'ghp_016C7e9d1d33bA4F0c2D5e8B7a9C1d3E5f70';
    const { connected, keys, board } = await acme(server, {
      features: { cart: { files: ['src/cart/**'], smoke: [`test ${secret} = nothing`] } },
    });
    const ada = await connected('ada', keys.ada);
    await ada.done('feature', 'add', 'mine', '--files', 'src/checkout/**', '--smoke', 'true');
    ada.propose('src/cart/add.ts');
    ada.propose('src/checkout/pay.ts');
    expect((await ada.lanehold('feature', 'verify', 'cart', 'mine')).exitCode).toBe(1);
    await ada.done('feature', 'waive', 'cart', '--reason', `the key is ${secret}`);
    expect(await ada.done('team', 'sync')).toBe('Sent 1 result, took over 0 of others\n');
    const statements = await opened(server, board, ada);
    expect(statements.map((it) => JSON.parse(it).predicate.lanehold.kind)).toEqual([
      'failed',
      'waived',
    ]);
    expect(statements.join()).not.toContain(secret);
    const dump = server.dump(board.owner);
    for (const word of ['cart', 'mine', 'passedTests', 'ada@acme', secret]) {
      expect(dump).not.toContain(word);
      expect(dump).not.toContain(Buffer.from(word).toString('hex'));
    }
  });

  test('a failure travels as well', async () => {
    const { connected, keys } = await acme(server, {
      features: { cart: { files: ['src/cart/**'], smoke: ['test "$USER" != ci'] } },
    });
    const [ci, ada] = [await connected('ci', keys.ci), await connected('ada', keys.ada)];
    ci.propose('src/cart/add.ts');
    expect((await ci.lanehold('feature', 'verify', 'cart')).exitCode).toBe(1);
    takes(ada);
    expect(await ada.done('team', 'sync')).toContain('took over 1 of others\n');
    expect((await pushes(ada)).stdout).toContain('- cart: `test "$USER" != ci` failed');
    // It is no reason not to try here.
    expect(await ada.done('feature', 'verify', 'cart')).toBe('Verified 1 of 1: cart\n');
  });

  test('after a restore to an earlier state each machine sends again what is missing', async () => {
    const { connected, keys, board } = await acme(server);
    const atFirst = server.dump(board.owner);
    const [ci, ada] = [await connected('ci', keys.ci), await connected('ada', keys.ada)];
    const withHosts = server.dump(board.owner);
    ci.propose('src/cart/add.ts');
    await ci.done('feature', 'verify', 'cart');
    const before = await opened(server, board, ci);
    expect(before).toHaveLength(1);
    // Before that result, and before the machines had joined.
    for (const dump of [withHosts, atFirst]) {
      server.restore(board.owner, dump);
      expect(await opened(server, board, ci)).toEqual([]);
      expect(await ci.done('team', 'sync')).toBe('Sent 1 result, took over 0 of others\n');
      expect(await opened(server, board, ci)).toEqual(before);
      expect(await ci.done('team', 'sync')).toBe('Sent 0 results, took over 0 of others\n');
    }
    takes(ada);
    expect(await ada.done('feature', 'verify', 'cart')).toContain('verified by ci@acme');
  });

  test('what was verified before a machine came into the team is sent, too', async () => {
    const { box, member, connected, keys, board, runs } = await acme(server);
    const [ci, ada] = [member('ci', keys.ci), await connected('ada', keys.ada)];
    ci.propose('src/cart/add.ts');
    await ci.done('feature', 'verify', 'cart');
    expect(existsSync(join(ci.env.LANEHOLD_HOME, 'team'))).toBe(false);
    // The job that signs has a clone of its own, at the same path.
    const address = ci.git('remote', 'get-url', 'origin');
    rmSync(ci.repo, { recursive: true });
    const config = ['--config', 'gpg.format=ssh', '--config', `user.signingKey=${keys.ci.file}`];
    box.git(box.root, 'clone', '--quiet', '--branch', 'change', ...config, address, ci.repo);
    const run = await ci.laneholdWith(connecting(board), 'team', 'connect', '--name', 'gha-7');
    expect(run.stdout).toContain('Connected as gha-7 to 127.0.0.1:');
    expect(await ci.done('team', 'sync')).toContain('Sent 1 result,');
    takes(ada);
    expect(await ada.done('feature', 'verify', 'cart')).toContain('verified by ci@acme');
    expect(runs()).toBe(1);
    expect((await ci.lanehold('team', 'disconnect')).stdout).toContain('gha-7 has left');
    expect(await ada.done('team', 'doctor')).not.toContain('gha-7');
    expect((await ci.lanehold('team', 'sync')).stderr).toContain(
      'this machine is in no team\nhint: `lanehold team connect',
    );
  });

  test('without a key that may sign nothing is sent, and the doctor says what to do', async () => {
    const { connected, keys, board } = await acme(server);
    const [bob, eve, ada] = [
      await connected('bob'),
      await connected('eve', keys.eve),
      await connected('ada', keys.ada),
    ];
    bob.propose('src/cart/add.ts');
    const run = await bob.lanehold('feature', 'verify', 'cart');
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stderr).not.toContain('to be sent');
    expect(await opened(server, board, bob)).toEqual([]);
    const doctor = async (it: Member) => (await it.lanehold('team', 'doctor')).stdout;
    expect(await doctor(bob)).toContain('warning: nothing is sent from here: no `user.signingKey`');
    expect(await doctor(bob)).toContain('warning: 1 to be sent');
    expect(await bob.done('team', 'sync')).toContain('1 to be sent: no `user.signingKey` is set');
    expect(await doctor(eve)).toContain('warning: what is verified here counts for nobody: nobody');
    expect(await doctor(eve)).toContain(
      `\`mkdir -p .lanehold && echo "$(git config user.email) $(cat ${keys.eve.file}.pub)" >> `,
    );
    const well = await ada.lanehold('team', 'doctor');
    expect(well).toMatchObject({ exitCode: 0 });
    expect(well.stdout.match(/^\w+/gm)).toEqual(['works', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok']);
    await server.sql(board.owner, `ALTER FUNCTION lanehold.status RENAME TO gone`);
    const broken = await ada.lanehold('team', 'doctor');
    expect(broken.exitCode).toBe(1);
    expect(broken.stdout).toContain('the board is of another version of lanehold\n  hint: ');
  });

  test('secrets are in one file that only its owner can read', async () => {
    const { connected, keys, board } = await acme(server, {
      features: {
        cart: { files: ['src/cart/**'], smoke: ['test -z "$LANEHOLD_TEAM_URL"'] },
      },
    });
    const ada = await connected('ada', keys.ada);
    const { LANEHOLD_HOME } = ada.env;
    expect(statSync(join(LANEHOLD_HOME, 'team')).mode & 0o777).toBe(0o700);
    expect(statSync(join(LANEHOLD_HOME, 'team', 'credentials')).mode & 0o777).toBe(0o600);
    const { url, token } = credentialsOf(ada);
    const key = new URL(url).hash.slice(1);
    ada.propose('src/cart/add.ts');
    const given = connecting(board);
    const run = await ada.laneholdWith(given, 'feature', 'verify', 'cart');
    expect(run, run.stdout).toMatchObject({ exitCode: 0 });
    await ada.lanehold('team', 'doctor', '--json');
    const password = new URL(url).password;
    const files = readdirSync(LANEHOLD_HOME, { recursive: true, withFileTypes: true })
      .filter((it) => it.isFile())
      .map((it) => join(it.parentPath, it.name));
    for (const secret of [key, token, password]) {
      const found = files.filter((it) => readFileSync(it).includes(secret));
      expect(found).toEqual([join(LANEHOLD_HOME, 'team', 'credentials')]);
    }
  });

  test('connecting says what is missing or wrong, and shows no address', async () => {
    const { box, member, board, connected } = await acme(server);
    const bob = member('bob');
    const { url } = board;
    const [plain = ''] = url.split('#');
    const attempts: [string | undefined, string, number][] = [
      [undefined, 'LANEHOLD_TEAM_URL is not set', 2],
      ['mysql://u:p4ss@h/x', 'what is given is no address of a PostgreSQL database', 2],
      ['postgres://u:p4ss', 'what is given is no address of a PostgreSQL database', 2],
      ['postgres://u:p4ss%@h/x', 'what is given is no address of a PostgreSQL database', 2],
      [plain, 'what is given has no key of a team', 2],
      [`${plain}#abc`, 'what is given has no key of a team', 2],
      [`${plain}#${randomBytes(32).toString('base64url')}`, 'the key of another team', 1],
    ];
    for (const [given, message, exitCode] of attempts) {
      const env = given === undefined ? {} : { LANEHOLD_TEAM_URL: given };
      const run = await bob.laneholdWith(env, 'team', 'connect');
      expect(run, run.stderr).toMatchObject({ exitCode });
      expect(run.stderr).toContain(message);
      expect(run.stderr).not.toContain('p4ss');
      expect(existsSync(join(bob.env.LANEHOLD_HOME, 'team'))).toBe(false);
    }
    await connected('carl');
    const second = await bob.laneholdWith(connecting(board), 'team', 'connect', '--name', 'Carl');
    expect(second.stderr).toContain(
      'another machine of this name\nhint: give another one by `--name`',
    );
    const { repo, env } = bob;
    const argv = ['team', 'connect', '--name', 'Böb the 2nd'];
    const byFile = await command(box, repo, argv, { env, input: `${url}\n` });
    expect(byFile, byFile.stderr).toMatchObject({ exitCode: 0 });
    expect(byFile.stdout).toContain('Connected as b-b-the-2nd to ');
    const file = join(env.LANEHOLD_HOME, 'team', 'credentials');
    box.write(file, readFileSync(file, 'utf8').replace('postgres:', 'postgres'));
    const broken = await bob.lanehold('team', 'status');
    expect(broken).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('understood') });
  });

  test('a machine without a team loads no driver and opens no connection', async () => {
    const { box, connected, keys, member } = await acme(server);
    const [ada, bob] = [await connected('ada', keys.ada), member('bob')];
    const list = join(box.root, 'loaded');
    const hook = box.write(
      'note-modules.cjs',
      `process.on('exit', () => require('node:fs').appendFileSync(${JSON.stringify(list)},
        Object.keys(require.cache).join('\\n')));`,
    );
    const loaded = async ({ repo, env }: Member, ...argv: string[]) => {
      box.write(list, '');
      const options = { NODE_OPTIONS: `--no-deprecation --require=${hook}` };
      await runNode(CLI_PROGRAM, argv, { cwd: repo, env: { ...box.env, ...env, ...options } });
      return readFileSync(list, 'utf8')
        .split('\n')
        .filter((it) => it.includes('/dist/'))
        .map((it) => basename(it));
    };
    for (const argv of [['status'], ['feature', 'verify', 'cart'], ['gate'], ['--help']])
      expect(await loaded(bob, ...argv), argv.join(' ')).toEqual(['cli.cjs']);
    expect(await loaded(ada, 'feature', 'verify', 'cart')).toEqual(['cli.cjs', 'pg.cjs']);
  });

  test('a result in a project that is not shared stays here', async () => {
    const { box, connected, keys, board } = await acme(server);
    const ada = await connected('ada', keys.ada);
    const other = await otherProject(box, ada);
    expect(other.verified.exitCode).toBe(0);
    expect(await opened(server, board, ada)).toEqual([]);
    expect(other.synced.stderr).toContain('this project is not shared with the team\nhint: ');
  });
});

function flipped(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  copy.writeUInt8(copy.readUInt8(copy.length - 1) ^ 1, copy.length - 1);
  return copy;
}

test('in a repository without a commit tests run as ever', async () => {
  const box = sandbox();
  const repo = box.repo('new');
  const features = { a: { files: ['a'], smoke: ['true'] } };
  box.write(join(repo, 'lanehold.json'), JSON.stringify({ features }));
  box.write(join(repo, 'a'), 'one\n');
  box.git(repo, 'remote', 'add', 'origin', 'https://git.example.com/acme/new');
  // As after `team connect`, with a board that is gone.
  const member = { url: `postgres://u@127.0.0.1:1/x#${'A'.repeat(43)}`, board: 'b', host: 'h' };
  const credentials = { ...member, token: 't', name: 'ada' };
  box.write(join(box.laneholdHome, 'team', 'credentials'), JSON.stringify(credentials));
  await command(box, repo, ['team', 'connect']);
  const run = await command(box, repo, ['feature', 'verify', 'a']);
  expect(run).toMatchObject({ exitCode: 0, stdout: 'Verified 1 of 1: a\n' });
  expect(run.stderr).toContain('; the tests run here');
  expect(run.stderr).not.toContain('defect');
});

async function otherProject(box: Sandbox, { env }: Member) {
  const repo = box.repo('other');
  box.write(
    join(repo, 'lanehold.json'),
    JSON.stringify({ features: { a: { files: ['a'], smoke: ['true'] } } }),
  );
  box.write(join(repo, 'a'), 'one\n');
  box.commit(repo);
  const verified = await command(box, repo, ['feature', 'verify', 'a'], { env });
  return { verified, synced: await command(box, repo, ['team', 'sync'], { env }) };
}

test('a subject is the same for all who have the key, and another for all others', () => {
  const content = { feature: 'cart', fingerprint: 'f'.repeat(64) };
  const [one, other] = [randomBytes(32), randomBytes(32)];
  expect(subjectOf(one, content)).toEqual(subjectOf(one, { ...content }));
  expect(subjectOf(one, content)).not.toEqual(subjectOf(other, content));
  expect(subjectOf(one, content)).not.toEqual(subjectOf(one, { ...content, feature: 'car' }));
});
