/** How a machine begins to be lent, and how it leaves. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { connecting } from '../support/board.ts';
import { lendingTeam } from '../support/lending.ts';
import { withPostgres } from '../support/postgres.ts';
import { CLI_PROGRAM } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

type World = Awaited<ReturnType<typeof lendingTeam>>;

async function atWork(world: World) {
  const host = await world.machine('one');
  await world.publish();
  await world.offer('api');
  const started = await host.inBackground();
  expect(started, started.stderr).toMatchObject({ exitCode: 0 });
  await until('a worker has begun', () => world.began() === 1);
  return { host, started };
}

withPostgres('a machine that is lent in the background', (server) => {
  test('says for whom it works, finishes what it holds, and is lent no more', async () => {
    const world = await lendingTeam(server);
    const { host, started } = await atWork(world);
    expect(started.stdout).toContain('one is lent to the team by process');
    expect(host.log()).toContain('lends 4 slots as one, for what home@acme has signed');
    expect(host.log().match(/claimed, for home@acme/g)).toHaveLength(1);
    const again = await host.inBackground();
    expect(again).toMatchObject({
      exitCode: 1,
      stderr:
        'error: this machine is lent already\nhint: `lanehold team host stop`, then start it again',
    });
    const stopping = host.stop();
    await until('it drains', () => host.log().includes('finishing what is held'));
    world.go();
    expect(await stopping).toMatchObject({ exitCode: 0, stdout: 'one is lent no more\n' });
    expect(await world.lane('api')).toMatchObject({ state: 'finished', outcome: 'verified' });
    expect(await host.stop()).toMatchObject({ exitCode: 1 });
  });

  test('gives back at once what it holds, and another one goes on from there', async () => {
    const world = await lendingTeam(server);
    const { host } = await atWork(world);
    expect(await host.stop('--now')).toMatchObject({ exitCode: 0 });
    expect(await world.lane('api')).toMatchObject({ state: 'offered', lost: 0 });
    expect(await world.claims('api')).toMatchObject([
      { ended: 'released', head: expect.any(String) },
    ]);
    await until('nothing runs there', () => host.processes().length === 0);
    const two = await world.machine('two');
    const lent = two.start('--once', '1s');
    await until('another worker has begun', () => world.began() === 2);
    expect(world.found('api')).toContain('part-api.txt');
    world.go();
    expect(await lent).toMatchObject({ exitCode: 0 });
    expect(await world.lane('api')).toMatchObject({ state: 'finished', outcome: 'verified' });
  });

  test('does not wait until the board takes the result of a lane that it has forgotten', async () => {
    const world = await lendingTeam(server);
    const { host } = await atWork(world);
    world.go();
    await world.untilState('api', 'finished');
    expect(await host.stop()).toMatchObject({ exitCode: 0 });
    await server.sql(world.board.owner, 'TRUNCATE lanehold.runs CASCADE');
    await host.inBackground();
    await until('the board refuses it', () => host.log().includes('no such lane'));
    expect(await host.stop()).toMatchObject({ exitCode: 0, stdout: 'one is lent no more\n' });
  });

  test('no worker knows how the board is reached', async () => {
    const world = await lendingTeam(server);
    const { host } = await atWork(world);
    const seen = host.processes().map(({ pid }) => readFileSync(`/proc/${pid}/environ`, 'utf8'));
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.filter((it) => it.includes('LANEHOLD_TEAM_'))).toEqual([]);
  });

  test('for a time: what it holds then is given back', async () => {
    const world = await lendingTeam(server);
    const one = await world.machine('one');
    await world.publish();
    await world.offer('api');
    const lent = one.start('--for', '6s');
    await until('a worker has begun', () => world.began() === 1);
    expect(await lent).toMatchObject({ exitCode: 0 });
    expect(await world.lane('api')).toMatchObject({ state: 'offered', lost: 0 });
  });

  test('a machine that the owner has removed stops its workers, and ends', async () => {
    const world = await lendingTeam(server);
    const { host } = await atWork(world);
    const owner = { LANEHOLD_TEAM_URL: world.board.owner };
    expect(await world.home.laneholdWith(owner, 'team', 'hosts', 'remove', 'one')).toMatchObject({
      exitCode: 0,
    });
    await until('nothing runs there', () => host.processes().length === 0);
    expect(host.log()).toContain('the board does not know this machine');
  });

  test('a job of CI connects, makes a clone at its first claim, works, and ends', async () => {
    const world = await lendingTeam(server);
    await world.publish();
    await world.offer('api');
    world.go();
    const folder = join(world.box.root, 'job');
    const lanehold = join(world.box.home, 'job');
    const key = world.keys.one;
    world.box.write(join(lanehold, 'signers'), `home@acme ${world.keys.home.publicKey}\n`);
    const config = {
      lanes: world.lanes,
      team: { runFor: ['*'], signers: join(lanehold, 'signers') },
    };
    world.box.write(join(lanehold, 'config.json'), JSON.stringify(config));
    world.box.write(join(folder, 'note'), 'no repository\n');
    world.box.git(world.box.root, 'config', '--global', 'user.signingKey', key.file);
    world.box.git(world.box.root, 'config', '--global', 'gpg.format', 'ssh');
    // As a clone is left by a process that was killed.
    world.box.git(world.box.root, 'init', '--quiet', join(lanehold, 'team', 'clones', world.repo));
    const env = { ...world.box.env, LANEHOLD_HOME: lanehold, STAGE: world.stage };
    const start = ['team', 'host', 'start', '--once', '1s', '--name', 'job'];
    const job = await execa(process.execPath, [CLI_PROGRAM, ...start], {
      cwd: folder,
      env: { ...env, ...connecting(world.board) },
      extendEnv: false,
      reject: false,
    });
    expect(job, job.stderr).toMatchObject({ exitCode: 0 });
    expect(await world.lane('api')).toMatchObject({ state: 'finished', outcome: 'verified' });
    expect(existsSync(join(lanehold, 'team', 'clones'))).toBe(true);
    const { hosts } = JSON.parse(await world.home.done('team', 'status', '--json'));
    expect(hosts.map((it: { name: string }) => it.name)).not.toContain('job');
  });
});
