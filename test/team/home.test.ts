/** Lanes that other machines work on, at the home of their run: a stand-in for `team host` claims and finishes. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acme } from '../support/board.ts';
import { type Postgres, withPostgres } from '../support/postgres.ts';
import { standInHost } from '../support/stand-in-host.ts';
import type { Member } from '../support/team.ts';

const LANE = ['--agent', 'tester', '--validate', 'true', '--desc', 'Write it'];

/** Ada's run has lanes for any machine; the CI machine lends itself. */
async function teamwork(server: Postgres, ...keys: string[]) {
  const world = await acme(server, { features: {} });
  const { box, connected, keys: pairs } = world;
  const ada = await connected('ada', pairs.ada);
  box.write(
    join(ada.env.LANEHOLD_HOME, 'config.json'),
    JSON.stringify({ lanes: { workers: { tester: { adapter: 'command', command: ['true'] } } } }),
  );
  const mini = await connected('mini', pairs.ci);
  const signers = [`ci@acme ${pairs.ci.publicKey}`, `ada@acme ${pairs.ada.publicKey}`];
  await ada.done('orchestrate', 'init', 'Move to the new API', '--name', 'move', '--on', 'any');
  for (const key of keys) await ada.done('orchestrate', 'lane', 'add', key, ...LANE);
  const host = standInHost(box, mini, signers);
  return { ...world, ada, mini, host };
}

const board = async (member: Member) =>
  JSON.parse(await member.done('orchestrate', 'status', '--json'));

const laneOf = async (member: Member, key: string) =>
  (await board(member)).lanes.find((it: { key: string }) => it.key === key);

withPostgres('the home of a run', (server) => {
  test('an offered lane is claimed, finished, integrated and landed', async () => {
    const { ada, host, box } = await teamwork(server, 'api');
    await ada.done('orchestrate', 'spawn', '--ready');
    expect(await laneOf(ada, 'api')).toMatchObject({
      state: 'ready',
      hindered: 'it is offered to the team',
      team: { state: 'offered' },
    });
    const [claim] = await host.claims();
    expect(claim?.offer).toMatchObject({ key: 'api', spec: { desc: 'Write it' }, from: null });
    expect(await laneOf(ada, 'api')).toMatchObject({ state: 'running', team: { host: 'mini' } });
    expect(await ada.done('orchestrate', 'status')).toMatch(/api .*running .*tester on mini/);
    const retried = await ada.lanehold('orchestrate', 'retry', 'api');
    expect(retried.stderr).toContain('lane api is running on mini');

    if (claim === undefined) throw new Error('nothing was claimed');
    expect(await host.finish(claim, await host.resultOf(claim))).toBe('accepted');
    expect(await laneOf(ada, 'api')).toMatchObject({
      state: 'verified',
      attempt: { n: 1, endReason: 'verified', agent: 'tester' },
      used: { turns: 2, tokens: 100 },
    });
    await ada.done('orchestrate', 'integrate');
    await ada.done('orchestrate', 'land');
    expect(ada.git('show', 'main:api.txt')).toBe('1');
    const { run } = claim;
    expect(ada.git('ls-remote', 'origin', `refs/lanehold/${run}/integration`)).not.toBe('');
    expect(ada.git('log', '--format=%(trailers:key=Lanehold-Lane,valueonly)', 'main')).toContain(
      claim.lane,
    );
    expect(box.git(ada.repo, 'status', '--porcelain')).toBe('');
  });
});
