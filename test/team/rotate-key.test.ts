/** Another key for the team, after one has leaked. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acme } from '../support/board.ts';
import { command } from '../support/command.ts';
import { withPostgres } from '../support/postgres.ts';
import { adopts } from '../support/shared-run.ts';

withPostgres('another key of the team', (server) => {
  test('what the old one has sealed is gone, and each machine says again what it has', async () => {
    const { box, board, connected, keys, runs } = await acme(server);
    const [ada, ci] = [await connected('ada', keys.ada), await connected('ci', keys.ci)];
    const path = 'project/gotchas/expiry';
    await ada.done('note', 'add', path, 'Expiry is in seconds', '--team');
    await adopts(box, ada, 'billing');
    ada.propose('src/cart/add.ts');
    await ada.done('feature', 'verify', 'cart');
    await ada.done('team', 'sync');
    const owner = { LANEHOLD_TEAM_URL: board.owner };
    const rotated = await ada.laneholdWith(owner, 'team', 'rotate-key');
    expect(rotated).toMatchObject({ exitCode: 0, stderr: '' });
    expect(rotated.stdout).toMatch(/^The team at 127.* has another key and password\n/);
    for (const table of ['evidence', 'note_revs', 'snapshots'])
      expect(await server.sql(board.owner, `SELECT 1 FROM lanehold.${table}`)).toEqual([]);
    // Who still speaks with the old key says nothing that others would read.
    const { runs: seen } = JSON.parse((await ci.lanehold('team', 'status', '--json')).stdout);
    expect(seen).toEqual([]);

    // The machine that has the file takes it from there, the others get it.
    await ada.done('team', 'connect');
    const url = readFileSync(join(ada.env.LANEHOLD_HOME, 'team', 'member-url'), 'utf8').trim();
    const again = await ci.laneholdWith({ LANEHOLD_TEAM_URL: url }, 'team', 'connect');
    expect(again).toMatchObject({ exitCode: 0 });
    await ada.done('team', 'sync');
    const status = JSON.parse(await ci.done('team', 'status', '--json'));
    expect(status.hosts.map((it: { name: string }) => it.name).sort()).toEqual(['ada', 'ci']);
    expect(status.runs).toMatchObject([{ host: 'ada', name: 'move' }]);
    await ci.done('team', 'sync');
    expect(await ci.done('note', 'list')).toContain('Expiry is in seconds');
    ci.git('fetch', '--quiet');
    ci.git('merge', '--quiet', '--ff-only', 'origin/change');
    expect(await ci.done('feature', 'verify', 'cart')).toContain('verified by ada@acme');
    expect(runs()).toBe(1);
  });

  test('the file with the new address counts before what a machine or its environment has', async () => {
    const { box, board, member, connected, keys } = await acme(server);
    const [ada, bob] = [await connected('ada', keys.ada), member('bob')];
    const owner = { LANEHOLD_TEAM_URL: board.owner };
    const made = await ada.laneholdWith(owner, 'team', 'rotate-key');
    expect(made).toMatchObject({ exitCode: 0 });
    const inputFile = join(ada.env.LANEHOLD_HOME, 'team', 'member-url');
    // The environment still has what the board was made with.
    for (const { repo, env } of [ada, bob]) {
      const wish = { env: { ...env, ...owner }, inputFile };
      const run = await command(box, repo, ['team', 'connect'], wish);
      expect(run, run.stderr).toMatchObject({ exitCode: 0 });
    }
    await bob.laneholdWith(owner, 'team', 'rotate-key');
    const again = join(bob.env.LANEHOLD_HOME, 'team', 'member-url');
    const run = await command(box, ada.repo, ['team', 'connect'], {
      env: ada.env,
      inputFile: again,
    });
    expect(run, run.stderr).toMatchObject({ exitCode: 0 });
    expect(await ada.lanehold('team', 'connect')).toMatchObject({ exitCode: 0 });
    expect(await ada.done('team', 'status')).toContain('ada');
    const wrong = { env: ada.env, inputFile: box.write('wrong', 'what is this') };
    expect(await command(box, ada.repo, ['team', 'connect'], wrong)).toMatchObject({ exitCode: 2 });
  });

  test('a member may not do it', async () => {
    const { board, connected, keys } = await acme(server);
    const ada = await connected('ada', keys.ada);
    const run = await ada.laneholdWith({ LANEHOLD_TEAM_URL: board.url }, 'team', 'rotate-key');
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain('the database does not allow this user to do that');
  });
});
