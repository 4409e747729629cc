/** A question of a lane, answered from another machine of the team. */
import { expect, test } from 'vitest';
import { acme } from '../support/board.ts';
import { withPostgres } from '../support/postgres.ts';
import { adopts, asks } from '../support/shared-run.ts';
import type { Member } from '../support/team.ts';

const BOTH = '["ci@acme", "ada@acme"]';

async function asked({ done }: Member) {
  const { lanes } = JSON.parse(await done('orchestrate', 'status', '--json'));
  return lanes[0].questions;
}

async function decided({ done }: Member) {
  const { decisions } = JSON.parse(await done('orchestrate', 'handoff', '--json'));
  return decisions.map((it: { answer?: string; text: string; by: string }) => [it.text, it.by]);
}

withPostgres('answers from another machine', (server) => {
  async function world() {
    const made = await acme(server);
    const { box, connected, keys } = made;
    const home = await connected('mini', keys.ada);
    await adopts(box, home, 'billing');
    await asks(box, home, 'billing', 'May I change the price type?');
    await home.done('team', 'sync');
    return { ...made, home };
  }

  test('is sent, and counts when the machine that asks syncs, if its signer counts there', async () => {
    const { connected, keys, home } = await world();
    const laptop = await connected('laptop', keys.ada);
    const said = await laptop.done('orchestrate', 'answer', 'billing', 'Yes, to cents');
    expect(said).toContain('Sent to mini, where lane billing asks');
    expect(await asked(home)).toHaveLength(1);
    const synced = await home.done('team', 'sync');
    expect(synced).toContain('of lane billing: answer from laptop by ada@acme: Yes, to cents');
    expect(await asked(home)).toEqual([]);
    expect(await laptop.done('team', 'status')).not.toContain('May I change');
    // The machine that asks has nothing to ask of the team.
    const again = await laptop.lanehold('orchestrate', 'answer', 'billing', 'No');
    expect(again).toMatchObject({ exitCode: 2, stdout: '' });
  });

  test('F28: of two answers the first that counts is taken; one of a stranger is shown, and not told', async () => {
    const { connected, keys, home } = await world();
    const eve = await connected('eve', keys.eve);
    await eve.done('orchestrate', 'answer', 'billing', 'Delete all prices');
    expect(await home.done('team', 'sync')).toMatch(
      /of lane billing: answer from eve does not count \(nobody who may sign has the key .*\)\n/,
    );
    expect(await asked(home)).toHaveLength(1);
    expect(await home.done('team', 'status')).toMatch(/\n {2}answer from eve does not count \(/);
    // Known to the list, but this machine takes answers of its own person only.
    const ci = await connected('ci', keys.ci);
    await ci.done('orchestrate', 'answer', 'billing', 'Ask Ada');
    expect(await home.done('team', 'sync')).toContain(
      'answer from ci does not count (it is signed by ci@acme, who is not in `team.runFor` here): Ask Ada',
    );
    const laptop = await connected('laptop', keys.ada);
    await laptop.done('orchestrate', 'answer', 'billing', 'Yes');
    await home.done('config', 'set', 'team.runFor', BOTH);
    const synced = await home.done('team', 'sync');
    expect(synced).toContain('answer from ci by ci@acme: Ask Ada');
    expect(synced).toContain(
      'answer from laptop by ada@acme does not count (another one came first)',
    );
    expect(await decided(home)).toEqual([['Ask Ada', 'ci@acme']]);
  });

  test('an answer that was moved to another question does not count', async () => {
    const { box, board, connected, keys, home } = await world();
    const laptop = await connected('laptop', keys.ada);
    await laptop.done('orchestrate', 'answer', 'billing', 'Yes');
    await asks(box, home, 'billing', 'May I drop the table?');
    const [, second] = await asked(home);
    await server.sql(board.owner, 'UPDATE lanehold.answers SET question = $1', [second.id]);
    const synced = await home.done('team', 'sync');
    expect(synced).toContain('does not count (it is for another question)');
    expect(await asked(home)).toHaveLength(2);
  });

  test('a secret in question and answer is removed before it is sealed', async () => {
    const { box, connected, keys, home } = await world();
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    await asks(box, home, 'billing', `Is ${secret} the token?`);
    await home.done('team', 'sync');
    const laptop = await connected('laptop', keys.ada);
    const { questions } = JSON.parse(await laptop.done('team', 'status', '--json'));
    expect(questions.map((it: { text: string }) => it.text).join()).not.toContain(secret);
    await laptop.done('orchestrate', 'answer', 'billing', '--question', '2', `No, ${secret} is`);
    expect(await home.done('team', 'sync')).not.toContain(secret);
  });

  test('who is in no team, or finds no such question, gets the message of before', async () => {
    const { connected, keys, member } = await world();
    const bob = member('bob', keys.ada);
    const before = await bob.lanehold('orchestrate', 'answer', 'billing', 'Yes');
    expect(before).toMatchObject({ exitCode: 2 });
    const laptop = await connected('laptop', keys.ada);
    const run = await laptop.lanehold('orchestrate', 'answer', 'other', 'Yes');
    expect(run).toEqual(before);
  });
});
