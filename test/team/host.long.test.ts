/** Machines that lend themselves, with real processes. */
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
    await until('its worker has begun', () => world.began() === 1);
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
});
