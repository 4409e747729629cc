/** "My laptop is too small; I have two Mac minis": three machines, each with a clone, a store and a key of its own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lendingTeam } from '../support/lending.ts';
import { withPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

withPostgres('a run whose lanes other machines work on', (server) => {
  test('S1: three lanes on two machines, one after another, are integrated, landed and pushed', async () => {
    const world = await lendingTeam(server);
    const { home, box, remote } = world;
    const workers = { script: { adapter: 'command', command: ['true'] } };
    writeFileSync(
      join(home.env.LANEHOLD_HOME, 'config.json'),
      JSON.stringify({ lanes: { workers } }),
    );
    const plan = box.write(
      'plan.md',
      `- api: Do api
  - agent: script
  - validate: test -e api.txt
- docs: Do docs
  - agent: script
  - validate: test -e docs.txt
- ui: Do ui
  - agent: script
  - needs: api
  - validate: test -e api.txt && test -e ui.txt
`,
    );
    await home.done('orchestrate', 'init', 'Move to the new API', '--name', 'move', '--on', 'any');
    await home.done('orchestrate', 'plan', plan);
    await home.done('orchestrate', 'spawn', '--ready');
    const one = await world.machine('one');
    const two = await world.machine('two');
    const daemons = [one.start('--slots', '1'), two.start('--slots', '1')];
    const lanes = async () =>
      JSON.parse(await home.done('orchestrate', 'status', '--json')).lanes as {
        key: string;
        state: string;
        team: { host: string | null };
      }[];
    const states = async () => (await lanes()).map(({ key, state }) => `${key} ${state}`);
    await until('both work', async () => {
      return (await states()).filter((it) => it.endsWith('running')).length === 2;
    });
    const hosts = (await lanes()).map(({ team }) => team?.host).filter(Boolean);
    expect(hosts.toSorted()).toEqual(['one', 'two']);
    // Nobody says `team sync`: a process in the background does it.
    await home.laneholdWith({ LANEHOLD_BACKGROUND: '' }, 'orchestrate', 'status');
    await until('another machine sees the run', async () => {
      return (await one.done('team', 'status')).includes('RUN move (laptop');
    });
    world.go();
    await until('all are verified', async () => {
      return (await states()).join() === 'api verified,docs verified,ui verified';
    });
    expect(await home.done('orchestrate', 'integrate')).toContain('ui');
    const landed = await home.done('orchestrate', 'land', '--push');
    expect(landed).toContain('Pushed main to origin');
    expect(box.git(remote, 'ls-tree', '--name-only', 'main').split('\n')).toEqual(
      expect.arrayContaining(['api.txt', 'docs.txt', 'ui.txt']),
    );
    for (const daemon of daemons) daemon.kill('SIGTERM');
    await Promise.all(daemons);
    expect(world.processes()).toEqual([]);
  });
});
