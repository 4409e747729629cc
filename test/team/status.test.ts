/** Who does what: each machine of a team shows its open runs, and the others see them. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { healthView } from '../../src/app/view/health.ts';
import { createContext } from '../../src/fronts/cli/command.ts';
import { withBoard } from '../../src/team/board/board.ts';
import { putSnapshot } from '../../src/team/snapshot.ts';
import { acme, credentialsOf } from '../support/board.ts';
import { bufferedHost } from '../support/buffered-host.ts';
import { command } from '../support/command.ts';
import { network } from '../support/network.ts';
import { withPostgres } from '../support/postgres.ts';
import { adopts, asks } from '../support/shared-run.ts';
import { standInHost } from '../support/stand-in-host.ts';
import { storeOf } from '../support/teamwork.ts';

withPostgres('who does what in a team', (server) => {
  test('runs, lanes and questions of a machine are seen on another one, when it has synced', async () => {
    const { box, connected, keys } = await acme(server);
    const [ada, ci] = [await connected('ada', keys.ada), await connected('ci', keys.ci)];
    await adopts(box, ada, 'billing');
    await asks(box, ada, 'billing', 'May I change the price type?');
    expect(await ci.done('team', 'status')).not.toContain('billing');
    await ada.done('team', 'sync');
    const status = JSON.parse(await ci.done('team', 'status', '--json'));
    expect(status).toMatchObject({
      name: 'ci',
      problem: null,
      toSend: 0,
      runs: [{ host: 'ada', name: 'move', lanes: [{ key: 'billing', state: 'asks' }] }],
      questions: [{ host: 'ada', run: 'move', lane: 'billing', number: 1 }],
    });
    expect(status.hosts.map((it: { name: string }) => it.name).sort()).toEqual(['ada', 'ci']);
    const said = await ci.done('team', 'status');
    expect(said).toMatch(/^127\.0\.0\.1:\d+\/\w+: \d+ ms, 0 to send\n/);
    expect(said).toMatch(/\nRUN move \(ada, .* ago\) {2}0 of 1 lane verified, 1 asks\n/);
    expect(said).toMatch(/\nQUESTION of billing \(ada\), .*: May I change the price type\?\n/);
    expect(said).toContain("hint: lanehold orchestrate answer billing '…' --run move");
  });

  test('with team.share.lanes off nothing is shown, and what was shown is taken back', async () => {
    const { box, connected, keys } = await acme(server);
    const [ada, ci] = [await connected('ada', keys.ada), await connected('ci', keys.ci)];
    await adopts(box, ada, 'billing');
    await ada.done('team', 'sync');
    expect(await ci.done('team', 'status')).toContain('RUN move');
    await ada.done('config', 'set', 'team.share.lanes', 'off');
    await ada.done('team', 'sync');
    expect(await ci.done('team', 'status')).not.toContain('RUN move');
    expect(await ada.done('team', 'status')).toContain('RUN move (ada)');
  });

  test('of more than the board takes, fewer runs are shown; what a machine says of itself stops nobody', async () => {
    const { connected, keys } = await acme(server);
    const [ada, ci] = [await connected('ada', keys.ada), await connected('ci', keys.ci)];
    const lanes = Array.from({ length: 200 }, (_, n) => ({
      ...{ key: `lane-${n}`, state: 'blocked', live: false, lentTo: null, since: 1 },
      note: 'why it is blocked '.repeat(10),
    }));
    const shown = { name: 'move', lent: false, summary: '', lanes, questions: [] };
    const snapshot = { runs: Array.from({ length: 9 }, () => shown), held: [] };
    const member = credentialsOf(ada);
    const repo = storeOf(ada).prepare('SELECT repo FROM team_projects').pluck().get() as string;
    await withBoard(member, 5_000, (it) =>
      putSnapshot(it, { member, project: { repo } }, snapshot),
    );
    const lent = { incarnation: randomUUID(), boots: 1, slots: 1, lends: 'on' } as const;
    await withBoard(member, 5_000, (it) => it.lend({ ...lent, caps: ['x'.repeat(200)] }));
    const { runs } = JSON.parse(await ci.done('team', 'status', '--json'));
    expect(runs).toHaveLength(4);
  });

  test('a lane is shown with the machine that works on it', async () => {
    const { box, connected, keys } = await acme(server, { features: {} });
    const [ada, mini] = [await connected('ada', keys.ada), await connected('mini', keys.ci)];
    const workers = { tester: { adapter: 'command', command: ['true'] } };
    const config = join(ada.env.LANEHOLD_HOME, 'config.json');
    box.write(config, JSON.stringify({ lanes: { workers } }));
    await ada.done('orchestrate', 'init', 'Move', '--name', 'move', '--on', 'any');
    const spec = ['--agent', 'tester', '--validate', 'true', '--desc', 'Write it'];
    await ada.done('orchestrate', 'lane', 'add', 'api', ...spec);
    await ada.done('orchestrate', 'spawn', '--ready');
    const signers = [`ada@acme ${keys.ada.publicKey}`, `ci@acme ${keys.ci.publicKey}`];
    expect(await standInHost(box, mini, signers).claims()).toHaveLength(1);
    await ada.done('team', 'sync');
    const { hosts, runs } = JSON.parse(await mini.done('team', 'status', '--json'));
    expect(runs[0].lanes).toMatchObject([{ key: 'api', state: 'running', lentTo: 'mini' }]);
    const lent = hosts.find(({ name }: { name: string }) => name === 'mini');
    expect(lent).toMatchObject({ lends: 'on', taken: 1, works: ['api'] });
    expect(await mini.done('team', 'status')).toMatch(/\napi +running +mini +/);
  });

  test('views that must not wait for a network have the machines of the last contact, and none without a team', async () => {
    const { box, connected, keys, member } = await acme(server);
    const wire = await network(server.port);
    const [ada, ci] = [await connected('ada', keys.ada, wire.port), await connected('ci', keys.ci)];
    const viewOf = async ({ env, repo }: typeof ada) => {
      const { host } = bufferedHost([], { env: { ...box.env, ...env }, cwd: () => repo });
      const context = createContext(host, {});
      const { team } = await healthView(context);
      await context.close();
      return team;
    };
    expect(await viewOf(member('eve'))).toBeNull();
    await adopts(box, ci, 'billing');
    await ci.done('team', 'sync');
    await ada.done('team', 'sync');
    wire.become('stalled');
    const { at, machines } = (await viewOf(ada)) ?? { machines: [] };
    expect(Date.now() - Number(at)).toBeLessThan(60_000);
    expect(machines.map(({ name, self, lends }) => [name, self, lends]).sort()).toEqual([
      ['ada', true, 'off'],
      ['ci', false, 'off'],
    ]);
    wire.become('cut');
    const { hosts } = JSON.parse((await ada.lanehold('team', 'status', '--json')).stdout);
    expect(hosts).toHaveLength(2);
  });

  test('settings show what counts where none is set; with team.share.evidence off no evidence leaves', async () => {
    const { board, connected, keys } = await acme(server);
    const ada = await connected('ada', keys.ada);
    const { settings } = JSON.parse(await ada.done('config', 'list', 'team', '--json'));
    const shown = new Map(
      settings.map((it: { key: string; value: unknown }) => [it.key, it.value]),
    );
    expect(shown.get('team.offline')).toBe('stop');
    expect(shown.get('team.share.notes')).toBe('off');
    await ada.done('config', 'set', 'team.share.evidence', 'off');
    ada.propose('src/cart/add.ts');
    await ada.done('feature', 'verify', 'cart');
    await ada.done('team', 'sync');
    expect(await server.sql(board.owner, 'SELECT 1 FROM lanehold.evidence')).toEqual([]);
    await ada.done('config', 'set', 'team.share.evidence', 'on');
    await ada.done('team', 'sync');
    expect(await server.sql(board.owner, 'SELECT 1 FROM lanehold.evidence')).toHaveLength(1);
  });

  test('what the lanehold.json of a repository keeps from a team never leaves', async () => {
    const { box, board, connected, keys } = await acme(server);
    const [ada, ci] = [await connected('ada', keys.ada), await connected('ci', keys.ci)];
    const file = JSON.parse(readFileSync(join(ada.repo, 'lanehold.json'), 'utf8'));
    const share = { lanes: 'off', evidence: 'off', notes: 'off' };
    ada.write('lanehold.json', JSON.stringify({ ...file, team: { share } }));
    ada.git('commit', '--quiet', '--all', '-m', 'keep it here');
    for (const it of ['lanes', 'evidence', 'notes'])
      await ada.done('config', 'set', `team.share.${it}`, 'on');
    await adopts(box, ada, 'billing');
    ada.write('src/cart/add.ts', 'two\n');
    await ada.done('feature', 'verify', 'cart');
    await ada.done('note', 'add', 'project/facts/mine', 'Mine');
    await ada.done('team', 'sync');
    for (const table of ['evidence', 'note_revs'])
      expect(await server.sql(board.owner, `SELECT 1 FROM lanehold.${table}`), table).toEqual([]);
    expect(await ci.done('team', 'status')).not.toContain('RUN move');
    const refused = await ada.lanehold('note', 'add', 'project/facts/it', 'It', '--team');
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain('keeps its notes from teams');
    const { settings } = JSON.parse(await ada.done('config', 'list', 'team', '--json'));
    expect(settings).toContainEqual(
      expect.objectContaining({ key: 'team.share.notes', value: 'off', source: 'lanehold.json' }),
    );
    ada.write('lanehold.json', JSON.stringify({ ...file, team: { share: { notes: 'on' } } }));
    expect((await ada.lanehold('team', 'sync')).stderr).toContain('team.share.notes');
  });

  test('a sync deletes old rows of the board, once a day', async () => {
    const { box, board, connected, keys } = await acme(server);
    const ada = await connected('ada', keys.ada);
    await adopts(box, ada, 'billing');
    ada.write('src/cart/add.ts', 'two\n');
    ada.git('commit', '--quiet', '--all', '-m', 'two');
    await ada.done('feature', 'verify', 'cart');
    await ada.done('team', 'sync');
    const rows = async () =>
      (
        await server.sql(
          board.owner,
          'SELECT (SELECT count(*)::int FROM lanehold.evidence) AS evidence, (SELECT count(*)::int FROM lanehold.snapshots) AS shown',
        )
      )[0];
    expect(await rows()).toEqual({ evidence: 1, shown: 1 });
    const other =
      "INSERT INTO lanehold.snapshots SELECT 'f' || substr(repo_id, 2), host_id, body, at FROM lanehold.snapshots";
    await server.sql(board.owner, other);
    for (const table of ['evidence', 'snapshots'])
      await server.sql(
        board.owner,
        `UPDATE lanehold.${table} SET at = now() - interval '181 days'`,
      );
    await ada.done('team', 'sync');
    expect(await rows()).toEqual({ evidence: 1, shown: 2 });
    await server.sql(
      board.owner,
      "UPDATE lanehold.board SET tidied_at = now() - interval '2 days'",
    );
    await ada.done('team', 'sync');
    expect(await rows()).toEqual({ evidence: 0, shown: 1 });
  });

  test('what is held somewhere is shown with where, a feature of that machine alone is not', async () => {
    const { connected, keys } = await acme(server);
    const [ada, ci] = [await connected('ada', keys.ada), await connected('ci', keys.ci)];
    await ada.done('feature', 'add', 'private', '--files', 'notes/**', '--smoke', 'true');
    ada.write('src/cart/add.ts', 'two\n');
    ada.write('notes/a.txt', 'mine\n');
    await ada.lanehold('feature', 'pending');
    await ada.done('team', 'sync');
    const { held } = JSON.parse(await ci.done('team', 'status', '--json'));
    expect(held).toEqual([{ feature: 'cart', hosts: ['ada'] }]);
  });

  test('without the board it says since when, what waits, and its own runs', async () => {
    const { box, connected, keys } = await acme(server);
    const wire = await network(server.port);
    const ada = await connected('ada', keys.ada, wire.port);
    await adopts(box, ada, 'billing');
    await ada.done('team', 'status');
    wire.become('cut');
    const run = await command(box, ada.repo, ['team', 'status'], {
      env: ada.env,
      now: new Date(Date.now() + 2 * 3_600_000),
    });
    expect(run.exitCode).toBe(1);
    expect(run.stdout).toMatch(
      /: last reached 2 h( \d+ min)? ago, 0 to send\nthe team's board cannot/,
    );
    expect(run.stdout).toContain('RUN move (ada)');
  });

  test.each([80, 60])('the table fits into %i columns', async (columns) => {
    const { box, connected, keys } = await acme(server);
    const [ada, ci] = [await connected('ada', keys.ada), await connected('ci', keys.ci)];
    await adopts(box, ada, 'a-lane-with-quite-a-long-name-that-says-what-it-does');
    await asks(
      box,
      ada,
      'a-lane-with-quite-a-long-name-that-says-what-it-does',
      'word '.repeat(60),
    );
    await ada.done('team', 'sync');
    const run = await command(box, ci.repo, ['team', 'status'], { env: ci.env, columns });
    const long = run.stdout.split('\n').filter((it) => it.length > columns);
    // A command stays whole, so that it can be pasted.
    expect(long.filter((it) => !it.includes('lanehold orchestrate answer'))).toEqual([]);
  });
});
