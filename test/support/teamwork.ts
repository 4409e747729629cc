/** A run of Ada's, whose lanes are for any machine, and the CI machine that lends itself. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { acme } from './board.ts';
import type { Postgres } from './postgres.ts';
import { standInHost } from './stand-in-host.ts';
import type { Member } from './team.ts';

export const LANE = ['--agent', 'tester', '--validate', 'true', '--desc', 'Write it'];

/** Ada's run has lanes for any machine; the CI machine lends itself. */
export async function teamwork(server: Postgres, ...keys: string[]) {
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

export const states = async (member: Member): Promise<string[]> =>
  (await board(member)).lanes.map((it: Record<'key' | 'state', string>) => `${it.key} ${it.state}`);

/** The database of a machine, beside its program. */
export const storeOf = ({ env }: Member) => new Database(join(env.LANEHOLD_HOME, 'lanehold.db'));

export const laneOf = async (member: Member, key: string) =>
  (await board(member)).lanes.find((it: { key: string }) => it.key === key);
