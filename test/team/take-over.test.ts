/** A run goes on at another machine after its own is gone. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { movedClock } from '../support/moved-clock.ts';
import { withPostgres } from '../support/postgres.ts';
import { states, teamwork } from '../support/teamwork.ts';

withPostgres('another home of a run', (server) => {
  test('takes over what was done, integrates it, and goes on; the first one can take it back', async () => {
    const {
      ada,
      host,
      box,
      board: made,
      connected,
      keys,
    } = await teamwork(server, 'api', 'docs', 'ui');
    await ada.done('orchestrate', 'spawn', '--ready');
    await host.works();
    await ada.done('orchestrate', 'integrate');
    await host.works();
    const bob = await connected('bob', keys.ci);
    const takeOver = ['orchestrate', 'integrate', '--take-over', '--run', 'move'];
    const early = await bob.lanehold(...takeOver);
    expect(early).toMatchObject({ exitCode: 1 });
    expect(early.stderr).toContain('the home of that run was heard a moment ago');
    const unknown = await bob.lanehold('orchestrate', 'integrate', '--take-over', '--run', 'other');
    expect(unknown.stderr).toContain('the team has no such run');

    const gone = (name: string) =>
      server.sql(
        made.owner,
        "UPDATE lanehold.hosts SET seen_at = now() - interval '1 h' WHERE name = $1",
        [name],
      );
    await gone('ada');
    const taken = await bob.lanehold(...takeOver);
    expect(taken.stderr).toContain('this machine is the home of run move now');
    expect(await states(bob)).toEqual(['api integrated', 'docs integrated', 'ui ready']);
    box.write(
      join(bob.env.LANEHOLD_HOME, 'config.json'),
      JSON.stringify({ lanes: { workers: { tester: { adapter: 'command', command: ['true'] } } } }),
    );
    // It is her run no more, and nothing that she says changes it.
    const said = await ada.lanehold('orchestrate', 'lane', 'cancel', 'ui');
    expect(said.stderr).toContain('that run is of another machine');
    await host.works();
    expect(await states(bob)).toEqual(['api integrated', 'docs integrated', 'ui verified']);

    await gone('bob');
    await ada.done(...takeOver);
    expect(await states(ada)).toEqual(['api integrated', 'docs integrated', 'ui cancelled']);
    await bob.lanehold('orchestrate', 'integrate');
    const tip = ada.git('ls-remote', 'origin', 'refs/lanehold/*/integration').split('\t')[0] ?? '';
    ada.git('fetch', '--quiet', 'origin', 'refs/lanehold/*:refs/there/*');
    const lanes = ada.git('log', '--format=%(trailers:key=Lanehold-Lane,valueonly)', tip);
    const merged = lanes.split('\n').filter(Boolean);
    expect(new Set(merged).size).toBe(merged.length);
  });

  test('takes over a run whose offers count no more for machines', async () => {
    const { ada, board: made, connected, keys } = await teamwork(server, 'api');
    await ada.done('orchestrate', 'spawn', '--ready');
    await server.sql(made.owner, "UPDATE lanehold.hosts SET seen_at = now() - interval '8 days'");
    const bob = await connected('bob', keys.ci);
    const takeOver = ['orchestrate', 'integrate', '--take-over', '--run', 'move'];
    const taken = await bob.laneholdWith(movedClock(8).env, ...takeOver);
    expect(taken.stderr).toContain('this machine is the home of run move now');
    expect(await states(bob)).toEqual(['api ready']);
  });
});
