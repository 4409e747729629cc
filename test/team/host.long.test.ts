/** Machines that lend themselves, with real processes. */
import { existsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { lendingTeam } from '../support/lending.ts';
import { withPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

withPostgres('a machine that lends itself', (server) => {
  test('F23: claims a lane without being notified, works on it, and says what came of it', async () => {
    const world = await lendingTeam(server);
    const one = await world.machine('one');
    await world.publish();
    await world.offer('api');
    const daemon = one.start();
    await until(
      () => `its worker has begun: ${one.log()}`,
      () => world.began() === 1,
    );
    expect(await world.lane('api')).toMatchObject({ state: 'claimed', epoch: '1' });
    world.go();
    await world.untilState('api', 'finished');
    expect(await world.lane('api')).toMatchObject({ outcome: 'verified' });
    const [ref] = world.remoteRefs('/result');
    expect(ref).toMatch(/\/lanes\/api\/1-1-[0-9a-f]{8}\/result$/);
    expect(world.box.git(world.remote, 'show', `${ref}:api.txt`)).toBe('done');
    daemon.kill('SIGTERM');
    expect(await daemon).toMatchObject({ exitCode: 0 });
    await until('nothing is left', () => world.processes().length === 0);
  });

  test('tells the worker what it was told at the home of the run', async () => {
    const world = await lendingTeam(server);
    const script = world.box.write('told.sh', `grep -q 'Take blue' "$1" && echo blue > api.txt`);
    const command = ['sh', script, '{prompt-file}'];
    const lanes = { workers: { script: { adapter: 'command', command } } };
    const one = await world.machine('one', { lanes });
    await world.publish();
    await world.offer('api', { change: { told: 'Take blue' } });
    one.start();
    await world.untilState('api', 'finished');
    expect(await world.lane('api')).toMatchObject({ outcome: 'verified' });
  });

  test('gives a lane back that it cannot begin, because the account has no quota left', async () => {
    const world = await lendingTeam(server);
    const limit = "echo 'usage limit reached'; exit 1";
    const lanes = { workers: { script: { adapter: 'command', command: ['sh', '-c', limit] } } };
    const one = await world.machine('one', { lanes });
    await world.publish();
    await world.offer('api');
    await world.offer('web');
    one.start('--slots', '1');
    await until(
      () => `both are given back: ${one.log()}`,
      () => ['api', 'web'].every((key) => one.log().includes(`${key}: given back (quota)`)),
    );
    expect(one.log()).toContain('web: given back (quota): command sh is out of quota until');
  });

  test('removes the working tree of a claim that has ended, and keeps what was not committed', async () => {
    const world = await lendingTeam(server);
    const one = await world.machine('one');
    await world.publish();
    await world.offer('api');
    await world.offer('web');
    one.start();
    await until('both work', () => world.began() === 2);
    const treeOf = (key: string) => world.trees().find((it) => basename(it).includes(key)) ?? key;
    const [api, web] = [treeOf('api'), treeOf('web')];
    expect(existsSync(api)).toBe(true);
    // No checkpoint keeps what looks like a secret.
    writeFileSync(join(web, '.env'), 'TOKEN=1\n');
    world.go();
    for (const key of ['api', 'web']) await world.untilState(key, 'finished');
    await until('it is gone', () => !existsSync(api));
    await until(
      () => `it says why: ${one.log()}`,
      () => one.log().includes(`${web} stays: no checkpoint can keep .env`),
    );
    expect(existsSync(web)).toBe(true);
  });

  test('a question of a worker is shown to the team, and it is told the first answer that counts', async () => {
    const world = await lendingTeam(server);
    const script = world.box.write(
      'asking.sh',
      `if ! test -e "$STAGE/began"; then lanehold orchestrate ask 'Which colour?'; fi
       echo "$LANEHOLD_LANE $PWD" >> "$STAGE/began"
       until test -e "$STAGE/go"; do sleep 0.05; done
       if grep -q 'Take blue' "$2"; then echo blue > api.txt; fi`,
    );
    const command = ['sh', script, '{lane}', '{prompt-file}'];
    const lanes = { workers: { script: { adapter: 'command', command } } };
    const one = await world.machine('one', { lanes });
    await world.publish();
    await world.offer('api');
    one.start();
    await until('it asks', () => one.log().includes('api: asks'));
    const eve = await world.connected('eve', world.keys.eve);
    await eve.done('orchestrate', 'answer', 'api', 'Take red');
    expect(await world.home.done('team', 'status')).toContain('Which colour?');
    await world.home.done('orchestrate', 'answer', 'api', '--run', 'move', 'Take blue');
    await until('it was told', () => one.log().includes('api: was told by home@acme'));
    world.go();
    await world.untilState('api', 'finished');
    expect(await world.lane('api')).toMatchObject({ epoch: '1', outcome: 'verified' });
    await until(
      'it is asked no more',
      async () => !(await world.home.done('team', 'status')).includes('Which colour?'),
    );
    const [ref] = world.remoteRefs('/result');
    expect(world.box.git(world.remote, 'show', `${ref}:api.txt`)).toBe('blue');
  });
});
