/** What can fail on a machine that is lent, or between it and the others: rows of the failure matrix by number. */
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { lendingTeam } from '../support/lending.ts';
import { movedClock } from '../support/moved-clock.ts';
import { network } from '../support/network.ts';
import { withPgbouncer } from '../support/pgbouncer.ts';
import { withPostgres } from '../support/postgres.ts';
import { NO_SMALL_DISK, smallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

type World = Awaited<ReturnType<typeof lendingTeam>>;
type Lent = Awaited<ReturnType<World['machine']>>;

/** A lane at work on a machine. */
async function atWork(
  world: World,
  key: string,
  name: 'one' | 'two',
  wish: Parameters<World['machine']>[1] = {},
  workers = 1,
) {
  const host = await world.machine(name, wish);
  await world.publish();
  await world.offer(key);
  const daemon = host.start();
  await until(
    () => `a worker has begun: ${host.log()}`,
    () => world.began() === workers,
  );
  return { host, daemon };
}

/** Some leases after now, by the clock of the board. */
async function untilOver({ times }: World, leases: number): Promise<void> {
  const end = performance.now() + leases * times.leaseMs;
  await until(`${leases} leases are over`, () => performance.now() > end);
}

/** Every process of a machine, as when its plug is pulled. */
function kill(world: World, host: Lent, signal: NodeJS.Signals = 'SIGKILL'): void {
  for (const it of host.processes()) world.signal(it, signal);
}

withPostgres('what fails around a machine that is lent', (server) => {
  test('F1: the daemon is killed, its worker goes on, and the next daemon says what came of it', async () => {
    const world = await lendingTeam(server, { leaseMs: 8_000, graceMs: 8_000 });
    const { host, daemon } = await atWork(world, 'api', 'one');
    daemon.kill('SIGKILL');
    await daemon;
    world.go();
    await until('its worker has ended', () => host.processes().length === 0);
    expect(await world.lane('api')).toMatchObject({ state: 'claimed', epoch: '1' });
    host.start();
    await world.untilState('api', 'finished');
    expect(await world.lane('api')).toMatchObject({ epoch: '1', outcome: 'verified' });
    expect(world.began()).toBe(1);
  });

  test('F1: a daemon that comes back too late says it all the same, as late work', async () => {
    const world = await lendingTeam(server);
    const { host, daemon } = await atWork(world, 'api', 'one');
    daemon.kill('SIGKILL');
    await daemon;
    world.go();
    await until('its worker has ended', () => host.processes().length === 0);
    const two = await world.machine('two');
    two.start();
    await world.untilState('api', 'finished');
    expect(world.began()).toBe(2);
    host.start();
    await until(
      'what is late is kept',
      async () => (await world.claims('api'))[0]?.answer === 'fenced',
    );
    const [late, counts] = await world.claims('api');
    expect(late).toMatchObject({ epoch: '1', ended: 'lapsed', outcome: 'verified' });
    expect(counts).toMatchObject({ epoch: '2', ended: 'finished', answer: 'accepted' });
    expect(world.remoteRefs('/result')).toHaveLength(2);
  });

  test('F1: a supervisor is killed after another lane of its run has ended; its lane goes on', async () => {
    const world = await lendingTeam(server);
    const { host, daemon } = await atWork(world, 'api', 'one');
    await world.offer('docs');
    await until('both work', () => world.began() === 2);
    world.go('api');
    await world.untilState('api', 'finished');
    for (const it of host.processes()) if (it.pid !== daemon.pid) world.signal(it, 'SIGKILL');
    await until('its worker has begun again', () => world.began() === 3);
    world.go();
    await world.untilState('docs', 'finished');
    expect(await world.lane('docs')).toMatchObject({ epoch: '1', outcome: 'verified' });
  });

  test('F2: a machine is killed, and the next one begins at its last checkpoint', async () => {
    const world = await lendingTeam(server);
    const { host } = await atWork(world, 'api', 'one');
    await until('a checkpoint was pushed', () => world.remoteRefs('/ckpt').length === 1);
    kill(world, host);
    const two = await world.machine('two');
    two.start();
    await until('another machine has begun', () => world.began() === 2);
    expect(world.found('api')).toContain('part-api.txt');
    world.go();
    await world.untilState('api', 'finished');
    expect(await world.lane('api')).toMatchObject({ epoch: '2', outcome: 'verified', lost: 1 });
  });

  test('F3: a machine that was frozen for longer than its lease stops its worker, and changes nothing', async () => {
    const world = await lendingTeam(server);
    const { host } = await atWork(world, 'api', 'one');
    kill(world, host, 'SIGSTOP');
    const two = await world.machine('two');
    two.start();
    await until('another machine has begun', () => world.began() === 2);
    kill(world, host, 'SIGCONT');
    await until('its worker was stopped', () => host.processes().length === 1);
    world.go();
    await world.untilState('api', 'finished');
    expect(await world.lane('api')).toMatchObject({ epoch: '2', outcome: 'verified' });
    expect(host.log()).toContain('another machine has it now');
    await until('it has given its claim up', () => host.log().includes('api: fenced'));
    expect(world.remoteRefs('/1-2-')).not.toEqual([]);
  });

  test('F4: a machine wakes up after its lease, and nobody else took its lane: it goes on', async () => {
    const world = await lendingTeam(server);
    const { host } = await atWork(world, 'api', 'one');
    kill(world, host, 'SIGSTOP');
    await until('its lease is over', async () => {
      const [row] = await server.sql(
        world.board.owner,
        `SELECT lease_until < clock_timestamp() - interval '1 s' AS over FROM lanehold.lanes`,
      );
      return row?.over === true;
    });
    kill(world, host, 'SIGCONT');
    world.go();
    await world.untilState('api', 'finished');
    expect(await world.lane('api')).toMatchObject({ epoch: '1', outcome: 'verified', lost: 0 });
    expect(world.began()).toBe(1);
  });

  test('F5: workers that use all processors make no lease lapse', async () => {
    const world = await lendingTeam(server);
    writeFileSync(join(world.stage, 'spin'), '');
    await atWork(world, 'api', 'one');
    const two = await world.machine('two');
    two.start();
    await untilOver(world, 3);
    world.go();
    await world.untilState('api', 'finished');
    expect(await world.lane('api')).toMatchObject({ epoch: '1', outcome: 'verified', lost: 0 });
    expect(world.began()).toBe(1);
  });

  test.each(['cut', 'stalled'] as const)(
    'F6: a network that is %s stops the work at the end of its lease; then all is said, and it goes on',
    async (state) => {
      const world = await lendingTeam(server);
      const wire = await network(server.port);
      await world.publish();
      await world.offer('web');
      const { host } = await atWork(world, 'api', 'one', { port: wire.port }, 2);
      wire.become(state);
      world.go('web');
      await until('its worker was stopped', () => host.processes().length === 1);
      await until('it says why', () =>
        host.log().includes('api: stopped, the board was not heard'),
      );
      expect(await world.lane('web')).toMatchObject({ state: 'claimed' });
      wire.become('ok');
      await until('it goes on', () => world.began() === 3);
      expect(world.found('api')).toContain('part-api.txt');
      world.go();
      for (const key of ['web', 'api']) {
        await world.untilState(key, 'finished');
        expect(await world.lane(key)).toMatchObject({ epoch: '1', outcome: 'verified', lost: 0 });
      }
    },
  );

  test.each(['pinned', 'continue'] as const)(
    'F6: work that is %s goes on without the network, and is said after it',
    async (why) => {
      const world = await lendingTeam(server);
      const wire = await network(server.port);
      const team = why === 'continue' ? { offline: 'continue' } : {};
      const host = await world.machine('one', { port: wire.port, team });
      await world.publish();
      await world.offer('api', why === 'pinned' ? { pinned: 'one' } : {});
      host.start();
      await until('a worker has begun', () => world.began() === 1);
      wire.become('cut');
      await untilOver(world, 4);
      expect(host.processes().length).toBeGreaterThan(1);
      world.go();
      await until('its worker has ended', () => host.log().includes('api: verified'));
      wire.become('ok');
      await world.untilState('api', 'finished');
      expect(await world.lane('api')).toMatchObject({ epoch: '1', outcome: 'verified', lost: 0 });
      expect(world.began()).toBe(1);
    },
  );

  test('F9: ended connections and a PostgreSQL that restarts cost no lease', async () => {
    const world = await lendingTeam(server, { leaseMs: 10_000, graceMs: 1_000 });
    const { host } = await atWork(world, 'api', 'one');
    const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'lanehold%'`;
    await server.sql(`postgres://admin@127.0.0.1:${server.port}/postgres`, kill);
    await server.stop('immediate');
    await server.start();
    world.go();
    await world.untilState('api', 'finished');
    expect(await world.lane('api')).toMatchObject({ epoch: '1', outcome: 'verified', lost: 0 });
    expect(world.began()).toBe(1);
    expect(host.log()).toContain("the team's board cannot be used");
  });

  test('F10: a board that was away for ten leases gives everybody a lease to come back', async () => {
    const world = await lendingTeam(server, { leaseMs: 1_000, graceMs: 300 });
    await world.publish();
    await world.offer('web');
    const { host } = await atWork(world, 'api', 'one', {}, 2);
    const two = await world.machine('two');
    two.start();
    await until('the other is lent', () => two.log().includes('lends'));
    await server.stop('fast');
    world.go('web');
    const end = performance.now() + 10_000;
    await until('ten leases are over', () => performance.now() > end);
    expect(host.processes()).toHaveLength(1);
    await server.start();
    world.go();
    for (const key of ['web', 'api']) {
      await world.untilState(key, 'finished');
      expect(await world.lane(key)).toMatchObject({ epoch: '1', outcome: 'verified', lost: 0 });
    }
  });

  test('F12: a clock that is set forward and jumps has no effect', async () => {
    const world = await lendingTeam(server);
    const clock = movedClock();
    await atWork(world, 'api', 'one', { env: clock.env });
    const beats = async () => {
      const [row] = await server.sql(
        world.board.owner,
        `SELECT beats FROM lanehold.hosts WHERE name = 'one'`,
      );
      return Number(row?.beats);
    };
    const minute = 1 / 1440;
    for (const minutes of [40, 39.8, 40.2, 39.9, 0]) {
      clock.set(minutes * minute);
      const before = await beats();
      await until('it is heard again', async () => (await beats()) > before + 1);
    }
    world.go();
    await world.untilState('api', 'finished');
    expect(await world.lane('api')).toMatchObject({ epoch: '1', outcome: 'verified', lost: 0 });
    expect(world.began()).toBe(1);
  });

  test('F12: a clock of the server that is set forward costs no lease, by one amnesty', async () => {
    const world = await lendingTeam(server);
    await atWork(world, 'api', 'one');
    const two = await world.machine('two');
    two.start();
    await until('the other is lent', () => two.log().includes('lends'));
    // The same as a clock that is set forward: all that was noted by it is older.
    await server.sql(
      world.board.owner,
      `WITH hosts AS (UPDATE lanehold.hosts SET seen_at = seen_at - interval '5 min'),
            board AS (UPDATE lanehold.board SET alive_at = alive_at - interval '5 min', amnesty_until = '-infinity')
       UPDATE lanehold.lanes SET lease_until = lease_until - interval '5 min'`,
    );
    await untilOver(world, 3);
    const [row] = await server.sql(
      world.board.owner,
      'SELECT amnesty_until > clock_timestamp() - lease * 10 AS given FROM lanehold.board',
    );
    expect(row).toEqual({ given: true });
    world.go();
    await world.untilState('api', 'finished');
    expect(await world.lane('api')).toMatchObject({ epoch: '1', outcome: 'verified', lost: 0 });
    expect(world.began()).toBe(1);
  });

  /** The remote takes nothing until the test says so. */
  function refusing(world: World) {
    const flag = join(world.stage, 'refuses');
    writeFileSync(flag, '');
    const hook = `#!/bin/sh\ntest ! -e '${flag}' || { echo 'quota exceeded' >&2; exit 1; }\n`;
    writeFileSync(join(world.remote, 'hooks', 'pre-receive'), hook, { mode: 0o755 });
    return () => rmSync(flag);
  }

  test('F13: a result that cannot be pushed is not announced, and is tried again under its lease', async () => {
    const world = await lendingTeam(server);
    const { host } = await atWork(world, 'api', 'one');
    const accept = refusing(world);
    world.go();
    await until(
      () => `it was tried: ${host.log()}`,
      () => host.log().includes('quota exceeded'),
    );
    await untilOver(world, 2);
    expect(await world.lane('api')).toMatchObject({ state: 'claimed', epoch: '1' });
    accept();
    await world.untilState('api', 'finished');
    expect(await world.lane('api')).toMatchObject({ epoch: '1', outcome: 'verified', lost: 0 });
  });

  test('F13: after twenty tries it asks', async () => {
    const world = await lendingTeam(server);
    const { host } = await atWork(world, 'api', 'one');
    refusing(world);
    world.go();
    await until(
      () => `it was tried: ${host.log()}`,
      () => host.log().includes('quota exceeded'),
    );
    const db = new Sqlite(join(host.env.LANEHOLD_HOME, 'lanehold.db'));
    await until('it ends', async () => {
      // A try that is under way notes its own number.
      db.exec('UPDATE team_claims SET tries = 20');
      return (await world.lane('api')).state === 'finished';
    });
    db.close();
    expect(await world.lane('api')).toMatchObject({ outcome: 'asks' });
    expect(world.remoteRefs('/result')).toEqual([]);
  });

  test('F16: of two machines of one identity the later one stays', async () => {
    const world = await lendingTeam(server);
    const one = await world.machine('one');
    const first = one.start();
    await until('it is lent', () => one.log().includes('lends'));
    const copy = `${one.env.LANEHOLD_HOME}-copy`;
    cpSync(one.env.LANEHOLD_HOME, copy, { recursive: true });
    const second = world.hostOn({ ...one, env: { ...one.env, LANEHOLD_HOME: copy } });
    second.start();
    expect(await first).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('another process lends a machine of this identity'),
    });
    expect(await one.start()).toMatchObject({ exitCode: 3 });
    await world.publish();
    await world.offer('api');
    world.go();
    await world.untilState('api', 'finished');
    expect(second.log()).toContain('api: accepted');
  });

  test('F17: a lane that ends its machine three times is lost, until somebody offers it anew', async () => {
    const world = await lendingTeam(server, { leaseMs: 1_000, graceMs: 300 });
    const one = await world.machine('one');
    await world.publish();
    await world.offer('api');
    for (const n of [1, 2, 3]) {
      one.start();
      await until('a worker has begun', () => world.began() === n);
      kill(world, one);
      await until('its lease has lapsed', async () => {
        await world.beat();
        return (await world.lane('api')).state !== 'claimed';
      });
    }
    expect(await world.lane('api')).toMatchObject({ state: 'finished', outcome: 'lost' });
    await world.offer('api', { rev: 2 });
    one.start();
    world.go();
    await until(
      () => `it is verified: ${one.log()}`,
      async () => (await world.lane('api')).outcome === 'verified',
    );
  });

  test('F18: what nobody trusted has signed, or not for here and now, is given back before anything runs', async () => {
    const world = await lendingTeam(server);
    const eve = world.member('eve', world.keys.eve);
    const one = await world.machine('one', { team: { slots: 10 } });
    await world.publish();
    await world.offer('stranger', { by: eve });
    await world.offer('expired', { change: { expires: Date.now() - 1_000 } });
    await world.offer('changed', { change: { cmdHash: 'a'.repeat(64) } });
    await world.offer('other', { change: { lane: world.idOf('another') } });
    await world.offer('swapped');
    const swap = `UPDATE lanehold.lanes SET body = (SELECT body FROM lanehold.lanes WHERE id = $1) WHERE id = $2`;
    await server.sql(world.board.owner, swap, [world.idOf('changed'), world.idOf('swapped')]);
    await world.offer('good');
    one.start();
    world.go();
    await world.untilState('good', 'finished');
    const refused = () =>
      server.sql(world.board.owner, 'SELECT why FROM lanehold.refusals ORDER BY why');
    await until('the others are given back', async () => (await refused()).length === 5);
    const why = (await refused()).map((it) => it.why);
    expect(why).toEqual(['expired', 'signer', 'signer', 'signer', 'signer']);
    expect(world.began()).toBe(1);
    expect(one.log()).toMatch(/signed by|nobody|known/);
    const signers = world.box.write(
      'signers',
      `eve@acme ${world.keys.eve.publicKey}\nhome@acme ${world.keys.home.publicKey}\n`,
    );
    const two = await world.machine('two', { team: { runFor: ['*'], signers } });
    two.start();
    await world.untilState('stranger', 'finished');
    expect(await world.lane('stranger')).toMatchObject({ outcome: 'verified' });
  });

  withPgbouncer(server, (pooled) => {
    test('F22: a lane is done through PgBouncer in transaction mode, with its connections ended once', async () => {
      const world = await lendingTeam(server);
      const port = Number(new URL(pooled(world.board.url)).port);
      const { host } = await atWork(world, 'api', 'one', { port });
      const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'team%'`;
      await server.sql(`postgres://admin@127.0.0.1:${server.port}/postgres`, end);
      world.go();
      await world.untilState('api', 'finished');
      expect(await world.lane('api')).toMatchObject({ epoch: '1', outcome: 'verified', lost: 0 });
      expect(host.log()).toContain('api: accepted');
    });
  });

  test('F24: a machine that is too old for the board finishes what it holds, and takes nothing new', async () => {
    const world = await lendingTeam(server);
    const { host, daemon } = await atWork(world, 'api', 'one');
    await server.sql(world.board.owner, 'UPDATE lanehold.board SET oldest = 99');
    await until('it was told', () => host.log().includes('asks for a newer lanehold'));
    await server.sql(world.board.owner, 'UPDATE lanehold.board SET oldest = 1');
    await world.offer('web');
    world.go();
    expect(await daemon).toMatchObject({ exitCode: 0 });
    expect(await world.lane('api')).toMatchObject({ state: 'finished', outcome: 'verified' });
    expect(await world.lane('web')).toMatchObject({ state: 'offered', epoch: '0' });
  });

  test.skipIf(NO_SMALL_DISK !== undefined)(
    `F26: a machine whose disk is full gives its lane back with the last checkpoint, and another one goes on${
      NO_SMALL_DISK === undefined ? '' : ` (skipped: ${NO_SMALL_DISK})`
    }`,
    async () => {
      const disk = smallDisk(128);
      const world = await lendingTeam(server, { leaseMs: 8_000, graceMs: 2_000 });
      const lanes = { worktrees: join(disk.root, 'trees') };
      const { host } = await atWork(world, 'api', 'one', { lanes });
      await until('a checkpoint was pushed', () => world.remoteRefs('/ckpt').length === 1);
      disk.fill();
      await until('it is given back', () => host.log().includes('api: given back (disk)'));
      await world.untilState('api', 'offered');
      expect(await world.lane('api')).toMatchObject({ epoch: '1', lost: 0 });
      const released = { ended: 'released', head: expect.any(String) };
      expect(await world.claims('api')).toMatchObject([released]);
      const two = await world.machine('two');
      two.start();
      await until('another machine has begun', () => world.began() === 2);
      expect(world.found('api')).toContain('part-api.txt');
      world.go();
      await world.untilState('api', 'finished');
      expect(await world.lane('api')).toMatchObject({ epoch: '2', outcome: 'verified', lost: 0 });
    },
  );

  test('F27: a lane that is cancelled while it runs is stopped, and ends as cancelled', async () => {
    const world = await lendingTeam(server);
    const { host } = await atWork(world, 'api', 'one');
    expect(await world.say((it) => it.cancelLane({ lane: world.idOf('api'), rev: 1 }))).toBe(
      'asked',
    );
    await world.untilState('api', 'cancelled');
    await until('its worker was stopped', () => host.processes().length === 1);
    expect(await world.claims('api')).toMatchObject([{ ended: 'released' }]);
  });

  test('F27: a lane that is cancelled while its machine is offline', async () => {
    const world = await lendingTeam(server);
    const wire = await network(server.port);
    const { host } = await atWork(world, 'api', 'one', { port: wire.port });
    wire.become('cut');
    await world.say((it) => it.cancelLane({ lane: world.idOf('api'), rev: 1 }));
    await until('its worker was stopped', () => host.processes().length === 1);
    wire.become('ok');
    await world.untilState('api', 'cancelled');
    expect(world.began()).toBe(1);
  });

  test('F27: of a result and a cancellation at once the first counts', async () => {
    const world = await lendingTeam(server);
    await atWork(world, 'api', 'one');
    world.go();
    await until('its result is there', () => world.remoteRefs('/result').length === 1);
    const said = await world.say((it) => it.cancelLane({ lane: world.idOf('api'), rev: 1 }));
    const state = said === 'finished' ? 'finished' : 'cancelled';
    await world.untilState('api', state);
    expect(await world.claims('api')).toMatchObject([
      { epoch: '1', answer: state === 'finished' ? 'accepted' : 'cancelled' },
    ]);
  });
});
