/** What can fail between machines and the board, with real processes: nothing is lost, nothing counts twice. */
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { acme, connecting, type MadeBoard, opened, takes } from '../support/board.ts';
import { network } from '../support/network.ts';
import { afterEdit, beforeCommand, promptSubmit, sessionStart, stop } from '../support/payloads.ts';
import { type Postgres, withPostgres } from '../support/postgres.ts';
import { runNode } from '../support/program.ts';
import { CLI_PROGRAM, type Sandbox } from '../support/sandbox.ts';
import type { Member } from '../support/team.ts';
import { until } from '../support/until.ts';

const MANY = 40;
const names = Array.from({ length: MANY }, (_, at) => `f${String(at).padStart(2, '0')}`);
const FEATURES = Object.fromEntries(
  names.map((it) => [it, { files: ['src/cart/**', `!${it}`], smoke: ['true'] }]),
);

/** A command as a process of its own. */
const startIn = (box: Sandbox, { repo, env }: Member, ...argv: string[]) =>
  execa(process.execPath, [CLI_PROGRAM, ...argv], {
    cwd: repo,
    env: { ...box.env, ...env },
    extendEnv: false,
    reject: false,
  });

const runIn = (box: Sandbox, { repo, env }: Member, ...argv: string[]) =>
  runNode(CLI_PROGRAM, argv, { cwd: repo, env: { ...box.env, ...env } });

const countOn = async (server: Postgres, { owner }: MadeBoard) =>
  (await server.sql(owner, 'SELECT 1 FROM lanehold.evidence')).length;

/** Ada has verified many features before she came into the team: all of it is to be sent, slowly. */
async function muchToSend(server: Postgres) {
  const world = await acme(server, { features: FEATURES });
  const { member, keys, board } = world;
  const wire = await network(server.port);
  const ada = member('ada', keys.ada);
  ada.propose('src/cart/add.ts');
  await ada.done('feature', 'verify', ...names);
  await ada.laneholdWith(connecting(board, wire.port), 'team', 'connect', '--name', 'ada');
  wire.become('slow');
  return { ...world, ada, wire };
}

/** Each content is there once, and counts for a colleague. */
async function expectAll(server: Postgres, world: Awaited<ReturnType<typeof muchToSend>>) {
  const { board, ada, connected } = world;
  const statements = (await opened(server, board, ada)).map((it) => JSON.parse(it));
  const subjects = statements.map(({ subject }) => subject[0].name.split('/')[1]);
  expect(subjects.toSorted()).toEqual(names);
  const bob = await connected('bob');
  takes(bob);
  const said = await bob.done('feature', 'verify', ...names);
  expect(said.match(/verified by ada@acme/g)).toHaveLength(MANY);
}

withPostgres('between machines and the board', (server) => {
  test('a process that is killed in the middle of sending, again and again', async () => {
    const world = await muchToSend(server);
    const { box, ada, board } = world;
    for (const enough of [3, 12, 25]) {
      const sync = startIn(box, ada, 'team', 'sync');
      await until('some were sent', async () => (await countOn(server, board)) >= enough);
      sync.kill('SIGKILL');
      expect((await sync).signal).toBe('SIGKILL');
    }
    expect(await runIn(box, ada, 'team', 'sync')).toMatchObject({ exitCode: 0 });
    await expectAll(server, world);
  });

  test.each(['immediate', 'fast'] as const)(
    'PostgreSQL that is stopped (%s) in the middle, and started again',
    async (mode) => {
      const world = await muchToSend(server);
      const { box, ada, board } = world;
      const sync = startIn(box, ada, 'team', 'sync');
      await until('some were sent', async () => (await countOn(server, board)) >= 5);
      await server.stop(mode);
      const { exitCode, stderr } = await sync;
      await server.start();
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/^error: the team's board cannot be used: /);
      const before = await countOn(server, board);
      expect(before).toBeGreaterThanOrEqual(5);
      expect(before).toBeLessThan(MANY);
      expect(await runIn(box, ada, 'team', 'sync')).toMatchObject({ exitCode: 0 });
      await expectAll(server, world);
    },
  );

  test('all connections are ended by the server in the middle', async () => {
    const world = await muchToSend(server);
    const { box, ada, board } = world;
    const sync = startIn(box, ada, 'team', 'sync');
    await until('some were sent', async () => (await countOn(server, board)) >= 5);
    const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'lanehold%'`;
    await server.sql(`postgres://admin@127.0.0.1:${server.port}/postgres`, kill);
    expect((await sync).exitCode).toBe(1);
    expect(await runIn(box, ada, 'team', 'sync')).toMatchObject({ exitCode: 0 });
    await expectAll(server, world);
  });

  test('answers that are lost: what was taken is said again, and counts once', async () => {
    const world = await muchToSend(server);
    const { box, ada, board, wire } = world;
    const sync = startIn(box, ada, 'team', 'sync');
    await until('some were sent', async () => (await countOn(server, board)) >= 5);
    wire.become('deaf');
    const { stderr } = await sync;
    expect(stderr).toContain("error: the team's board cannot be used: Query read timeout");
    wire.become('ok');
    expect(await runIn(box, ada, 'team', 'sync')).toMatchObject({ exitCode: 0 });
    await expectAll(server, world);
  });

  test('processes of one machine that send at once', async () => {
    const world = await muchToSend(server);
    const { box, ada, wire } = world;
    wire.become('ok');
    const all = await Promise.all([1, 2, 3, 4].map(() => runIn(box, ada, 'team', 'sync')));
    expect(all.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(all.map(() => [0, '']));
    await expectAll(server, world);
  });

  test('two machines that verify the same at once, while the board goes back in time', async () => {
    const { box, connected, keys, board } = await acme(server);
    const [ci, ada] = [await connected('ci', keys.ci), await connected('ada', keys.ada)];
    const bob = await connected('bob');
    ci.propose('src/cart/add.ts');
    takes(ada);
    takes(bob);
    const dump = server.dump(board.owner);
    const both = await Promise.all(
      [ci, ada].map((it) => runIn(box, it, 'feature', 'verify', 'cart', '--again')),
    );
    expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(await countOn(server, board)).toBe(2);
    server.restore(board.owner, dump);
    const synced = await Promise.all([ci, ada].map((it) => runIn(box, it, 'team', 'sync')));
    expect(synced.map(({ stdout }) => stdout)).toEqual(
      [1, 2].map(() => expect.stringMatching(/^Sent 1 result, /)),
    );
    expect(await countOn(server, board)).toBe(2);
    expect(await bob.done('feature', 'verify', 'cart')).toMatch(/verified by (?:ci|ada)@acme/);
  });

  test.each(['ok', 'stalled', 'cut'] as const)(
    'F30: hooks never ask the board, which is %s, and say what they say without one',
    async (state) => {
      const { box, connected, keys, member } = await acme(server);
      const wire = await network(server.port);
      const ada = await connected('ada', keys.ada, wire.port);
      const carl = member('carl', keys.ada);
      const before = wire.connections();
      wire.become(state);
      const said = async ({ repo, env, write, git }: Member) => {
        const file = write('src/cart/add.ts', 'changed\n');
        git('commit', '--quiet', '--all', '--message', 'change');
        const events = [
          ['session-start', sessionStart(repo)],
          ['prompt-submit', promptSubmit(repo)],
          ['after-tool', afterEdit(repo, file)],
          ['before-tool', beforeCommand(repo, 'git push origin HEAD:main')],
          ['stop', stop(repo)],
        ] as const;
        const answers: string[] = [];
        for (const [event, payload] of events) {
          const ran = await box.startHook(event, payload, { cwd: repo, env });
          answers.push(`${ran.exitCode} ${ran.stderr} ${ran.stdout}`);
        }
        return answers.join('\n').replaceAll(repo, 'REPO');
      };
      const answers = await said(ada);
      expect(answers).toContain('feature verify cart');
      expect(answers).toBe(await said(carl));
      expect(wire.connections()).toBe(before);
    },
  );
});
