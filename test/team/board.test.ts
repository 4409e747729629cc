/** The board itself: what its functions answer, who may call what, and which versions get along. */
import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { boardOn, initBoard, withBoard } from '../../src/team/board/board.ts';
import { connectionOptions, withConnection } from '../../src/team/board/connection.ts';
import type { Member } from '../../src/team/credentials.ts';
import { makeBoard } from '../support/board.ts';
import { type Postgres, withPostgres } from '../support/postgres.ts';

const REPO = 'a'.repeat(32);
const bytes = (length: number) => randomBytes(length);
const LIMIT_MS = 20_000;

async function join(url: string, name: string, known: Partial<Member> = {}): Promise<Member> {
  const own = { host: randomUUID(), token: bytes(32).toString('base64url'), name, ...known, url };
  const { board } = await withConnection(url, LIMIT_MS, (query) => boardOn(query, own).joinHost());
  return { ...own, board };
}

const putsOne = (member: Member, subject: Buffer, digest = bytes(32)) =>
  withBoard(member, LIMIT_MS, (board) =>
    board.putEvidence({ repo: REPO, subject, digest: digest, body: bytes(100) }),
  );

const rowsIn = async (server: Postgres, owner: string, table: string) =>
  Number((await server.sql(owner, `SELECT count(*) AS n FROM lanehold.${table}`))[0]?.n);

withPostgres('the board', (server) => {
  test('is made once, whoever comes first, and found the next time', async () => {
    const owner = await server.database();
    const both = await Promise.all([initBoard(owner), initBoard(owner)]);
    expect(both.filter(({ members }) => members !== undefined)).toHaveLength(1);
    expect(await initBoard(owner)).toMatchObject({ from: 1, to: 1 });
    expect(await rowsIn(server, owner, 'board')).toBe(1);
  });

  test('gives members a role of their own, with a password', async () => {
    const { owner, url } = await makeBoard(server);
    const { username, password } = new URL(url);
    expect(username).toMatch(/^lanehold_member_[0-9a-f]{8}$/);
    expect(password.length).toBeGreaterThan(30);
    const [role] = await server.sql(owner, 'SELECT * FROM pg_roles WHERE rolname = $1', [username]);
    expect(role).toMatchObject({ rolsuper: false, rolcreaterole: false, rolcreatedb: false });
  });

  test('is made by an owner who may make no role, and says so', async () => {
    const owner = await server.database();
    const { username } = new URL(owner);
    await server.sql(
      owner.replace(`${username}:any`, 'admin'),
      `ALTER ROLE ${username} NOCREATEROLE`,
    );
    const { members, ownRole } = await initBoard(owner);
    expect(ownRole).toBe(false);
    expect(members).toMatch(/^postgres:\/\/owner\d+:any@.*#[\w-]{43}$/);
  });

  test('lets a member touch no table and call no inner function', async () => {
    const { owner, url } = await makeBoard(server);
    const tables = ['board', 'hosts', 'evidence'];
    const inner = ['who(null, null)', "make_member('y')", 'grant_to_members()'];
    const attempts = [
      ...tables.flatMap((it) => [
        `SELECT * FROM lanehold.${it}`,
        `DELETE FROM lanehold.${it}`,
        `INSERT INTO lanehold.${it} SELECT * FROM lanehold.${it}`,
      ]),
      'UPDATE lanehold.board SET oldest = 9',
      "UPDATE lanehold.hosts SET state = 'left'",
      ...inner.map((it) => `SELECT lanehold.${it}`),
      'CREATE TABLE lanehold.mine ()',
      'DROP SCHEMA lanehold CASCADE',
    ];
    for (const sql of attempts) {
      await expect(server.sql(url, sql), sql).rejects.toThrow(/does not allow/);
    }
    // All that is left are the functions that were meant.
    const callable = await server.sql(
      owner,
      `SELECT proname FROM pg_proc WHERE pronamespace = 'lanehold'::regnamespace
        AND has_function_privilege($1, oid, 'EXECUTE') ORDER BY 1`,
      [new URL(url).username],
    );
    expect(callable.map(({ proname }) => proname)).toEqual([
      'beat',
      'cancel_lane',
      'finish',
      'get_answers',
      'get_evidence',
      'get_notes',
      'get_snapshots',
      'home_lanes',
      'join_host',
      'kept_evidence',
      'leave',
      'lend',
      'note_digests',
      'offer',
      'open_runs',
      'publish_run',
      'put_answer',
      'put_evidence',
      'put_note',
      'put_snapshot',
      'release',
      'status',
      'take_over',
      'tidy',
    ]);
  });

  test('a temporary table of the same name does not come between', async () => {
    const { owner, url } = await makeBoard(server);
    const member = await join(url, 'ada');
    const subject = bytes(32);
    await withConnection(url, LIMIT_MS, async (query) => {
      await query('CREATE TEMP TABLE evidence (repo_id text, subject bytea, digest bytea)');
      const token = Buffer.from(member.token, 'base64url');
      const given = [member.host, token, REPO, subject, bytes(32), bytes(9)];
      await query('SELECT lanehold.put_evidence($1, $2, $3, $4, $5, $6)', given);
    });
    expect(await rowsIn(server, owner, 'evidence')).toBe(1);
  });

  test('knows a host by its token alone', async () => {
    const { url } = await makeBoard(server);
    const ada = await join(url, 'ada');
    const token = bytes(32).toString('base64url');
    const thief = { ...ada, token };
    // The call, and the attempt to join as her that follows it.
    await expect(putsOne(thief, bytes(32))).rejects.toThrow('does not know this machine');
    await expect(join(url, 'eve', { host: ada.host })).rejects.toThrow(
      'does not know this machine',
    );
    await expect(join(url, 'ada')).rejects.toThrow('another machine of this name');
    await withBoard(ada, LIMIT_MS, (board) => board.leave());
    expect((await join(url, 'ada')).host).not.toBe(ada.host);
  });

  test('tells a key of another team at once', async () => {
    const { owner, url } = await makeBoard(server);
    const other = url.replace(/#.*/, `#${bytes(32).toString('base64url')}`);
    await expect(join(other, 'ada')).rejects.toThrow('key of another team');
    expect(await rowsIn(server, owner, 'hosts')).toBe(0);
  });

  test('a doubled message counts once; a host can fill a content only for itself', async () => {
    const { owner, url } = await makeBoard(server);
    const [ada, eve] = [await join(url, 'ada'), await join(url, 'eve')];
    const [subject, digest] = [bytes(32), bytes(32)];
    const answers = await Promise.all([1, 2, 3].map(() => putsOne(ada, subject, digest)));
    expect(answers).toEqual(['stored', 'stored', 'stored']);
    expect(await rowsIn(server, owner, 'evidence')).toBe(1);
    const flood = await withBoard(eve, LIMIT_MS, async (board) => {
      const said: string[] = [];
      for (let i = 0; i < 52; i++)
        said.push(
          await board.putEvidence({ repo: REPO, subject, digest: bytes(32), body: bytes(9) }),
        );
      return said;
    });
    expect(flood.slice(48)).toEqual(['stored', 'stored', 'full', 'full']);
    expect(await putsOne(ada, subject)).toBe('stored');
  });

  test('gives of a content the newest, and nothing of another repository', async () => {
    const { url } = await makeBoard(server);
    const ada = await join(url, 'ada');
    const subject = bytes(32);
    const found = await withBoard(ada, LIMIT_MS, async (board) => {
      for (let i = 0; i < 25; i++)
        await board.putEvidence({ repo: REPO, subject, digest: bytes(32), body: Buffer.from([i]) });
      return {
        here: await board.getEvidence({ repo: REPO, subjects: [subject, bytes(32)] }),
        elsewhere: await board.getEvidence({ repo: 'b'.repeat(32), subjects: [subject] }),
      };
    });
    expect(found.here.map(({ body }) => body[0])).toEqual(
      Array.from({ length: 20 }, (_, at) => 24 - at),
    );
    expect(found.here[0]?.subject).toEqual(subject);
    expect(found.elsewhere).toEqual([]);
  });

  test.each([
    ['a body of more than 64 KiB', REPO, bytes(32), bytes(65_537)],
    ['a subject that is none', REPO, bytes(8), bytes(9)],
    ['a repository that is none', 'x', bytes(32), bytes(9)],
  ])('does not take %s', async (_, repo, subject, body) => {
    const { url } = await makeBoard(server);
    const ada = await join(url, 'ada');
    const put = withBoard(ada, LIMIT_MS, (it) =>
      it.putEvidence({ repo: repo, subject, digest: bytes(32), body: body }),
    );
    await expect(put).rejects.toThrow('violates check constraint');
  });

  test('an old lanehold can no longer join, and says what it has to say', async () => {
    const { owner, url } = await makeBoard(server);
    const before = await join(url, 'ada');
    await server.sql(owner, 'UPDATE lanehold.board SET oldest = 2');
    await expect(join(url, 'bob')).rejects.toMatchObject({
      message: 'the board asks for a newer lanehold',
      hint: 'update lanehold',
    });
    expect(await putsOne(before, bytes(32))).toBe('stored');
  });

  test('a newer board is used as far as it has what is called', async () => {
    const { owner, url } = await makeBoard(server);
    await server.sql(owner, 'UPDATE lanehold.board SET schema = 99');
    await server.sql(owner, "ALTER TABLE lanehold.evidence ADD COLUMN more text DEFAULT 'x'");
    await server.sql(owner, 'ALTER FUNCTION lanehold.status RENAME TO status1');
    await server.sql(
      owner,
      `CREATE FUNCTION lanehold.status(h uuid, t bytea) RETURNS jsonb LANGUAGE sql SECURITY DEFINER AS
       $$ SELECT lanehold.status1(h, t) || '{"news": [1, 2]}' $$`,
    );
    const ada = await join(url, 'ada');
    const status = await withBoard(ada, LIMIT_MS, (board) => board.status());
    expect(status).toMatchObject({ hosts: [{ name: 'ada', is_self: true }] });
    expect(await putsOne(ada, bytes(32))).toBe('stored');
    await expect(initBoard(owner)).rejects.toThrow('of a newer lanehold');
  });

  test('a board that lacks a function says who can upgrade it', async () => {
    const { owner, url } = await makeBoard(server);
    const ada = await join(url, 'ada');
    await server.sql(owner, 'DROP FUNCTION lanehold.put_evidence');
    await expect(putsOne(ada, bytes(32))).rejects.toMatchObject({
      message: 'the board is of another version of lanehold',
    });
  });

  test.each([
    ['words', { answer: 'x' }],
    ['many', { answer: { now_ms: 1, hosts: Array(501).fill({}) } }],
    ['none', { answer: undefined }],
  ])('an answer that is none is refused: %s', async (_, { answer }) => {
    const { owner, url } = await makeBoard(server);
    const ada = await join(url, 'ada');
    await server.sql(owner, 'ALTER FUNCTION lanehold.status RENAME TO status1');
    await server.sql(
      owner,
      `CREATE FUNCTION lanehold.status(h uuid, t bytea) RETURNS jsonb LANGUAGE sql AS
       $$ SELECT ${answer === undefined ? 'NULL' : `'${JSON.stringify(answer)}'`}::jsonb $$`,
    );
    await expect(withBoard(ada, LIMIT_MS, (board) => board.status())).rejects.toMatchObject({
      message: 'the board answers what this lanehold does not understand',
    });
  });

  test.each([
    ['a database that is not there', '/nothing', 'the server has no database of that name'],
    ['a database without a board', '/postgres', 'this database has no board'],
  ])('says of %s what is wrong', async (_, path, message) => {
    const { url } = await makeBoard(server);
    const elsewhere = Object.assign(new URL(url), { pathname: path }).href;
    await expect(join(elsewhere, 'ada')).rejects.toThrow(message);
  });
});

test.each([
  ['postgres://u:p@db.example.com/team', 'db.example.com', true],
  ['postgres://u:p@db.example.com/team?sslmode=disable', 'db.example.com', true],
  ['postgres://u:p@db.example.com/team?sslmode=no-verify&ssl=false', 'db.example.com', true],
  ['postgres://u:p@127.0.0.1/team?host=db.example.com', '127.0.0.1', false],
  ['postgres://u:p@[::1]:5433/team', '::1', false],
  ['postgres://u:p@localhost/team', 'localhost', false],
  ['postgres://u:p@localhost.example.com/team', 'localhost.example.com', true],
  ['postgres://u:p@127.0.0.1.example.com/team', '127.0.0.1.example.com', true],
  ['postgres://u:p@10.0.0.5/team', '10.0.0.5', true],
])('%s leads to %s; the server has to prove who it is: %s', (url, host, proves) => {
  const options = connectionOptions(url);
  expect(options.host).toBe(host);
  expect(options.ssl).toEqual(proves ? { rejectUnauthorized: true, host } : false);
});
