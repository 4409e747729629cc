/** What the board does not let anybody do, and what it keeps through a restore, an upgrade and a pooler. */
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/base/files/package.ts';
import { initBoard, withBoard } from '../../src/team/board/board.ts';
import { withConnection } from '../../src/team/board/connection.ts';
import { BODY, codeOf, HEAD, joins, laneBoard, machine, one, REPO } from '../support/lane-board.ts';
import { withPgbouncer } from '../support/pgbouncer.ts';
import { withPostgres } from '../support/postgres.ts';

const BOARD = readFileSync(join(packageRoot(), 'migrations/team/001_board.sql'), 'utf8');

withPostgres('a board that is attacked', (server) => {
  test('F21: the role of the members touches no table and calls no inner function', async () => {
    const { url, sql, offer, a } = await laneBoard(server);
    const id = await offer();
    one(await a.claim());
    const named = await sql(
      `SELECT format('%I', relname) AS it FROM pg_class WHERE relnamespace = 'lanehold'::regnamespace AND relkind = 'r'`,
    );
    const tables = named.map(({ it }) => String(it));
    expect(tables).toContain('claims');
    const inner = await sql(
      `SELECT proname || '(' || coalesce((SELECT string_agg('null::' || t::regtype, ',') FROM unnest(proargtypes) t), '') || ')' AS it
         FROM pg_proc WHERE pronamespace = 'lanehold'::regnamespace AND NOT prosecdef`,
    );
    expect(inner.map(({ it }) => it)).toContain('ticket(null::uuid,null::bigint,null::uuid)');
    const attempts = [
      ...tables.flatMap((it) => [
        `SELECT * FROM lanehold.${it}`,
        `DELETE FROM lanehold.${it}`,
        `INSERT INTO lanehold.${it} DEFAULT VALUES`,
        `TRUNCATE lanehold.${it} CASCADE`,
      ]),
      'UPDATE lanehold.lanes SET epoch = 99',
      "UPDATE lanehold.board SET lease = '1 year'",
      ...inner.map(({ it }) => `SELECT lanehold.${it}`),
    ];
    for (const attempt of attempts)
      await expect(server.sql(url, attempt), attempt).rejects.toThrow(/does not allow/);
    expect(await sql('SELECT id, epoch::int FROM lanehold.lanes')).toEqual([{ id, epoch: 1 }]);
  });

  test('F21: every function of the members knows who calls, with the path to its tables fixed', async () => {
    const { sql, owner, url, a } = await laneBoard(server);
    const functions = await sql(
      `SELECT proname, coalesce(array_to_string(proconfig, ' '), '') AS config, pronargs FROM pg_proc
        WHERE pronamespace = 'lanehold'::regnamespace AND prosecdef`,
    );
    for (const { proname, config, pronargs } of functions) {
      expect(config, String(proname)).toContain('search_path=lanehold, pg_temp');
      if (proname === 'join_host') continue;
      const rest = Array.from({ length: Number(pronargs) - 2 }, () => ', NULL').join('');
      for (const [host, token] of [
        [randomUUID(), randomBytes(32)],
        [a.host, randomBytes(32)],
        [a.host, Buffer.alloc(0)],
        [a.host, null],
        [null, null],
      ]) {
        const call = server.sql(url, `SELECT lanehold.${proname}($1, $2${rest})`, [host, token]);
        expect(await codeOf(call), String(proname)).toBe('LH001');
      }
    }
    // A table of the caller's session does not come between.
    await withConnection(url, 20_000, async (query) => {
      await query('CREATE TEMP TABLE lanes (id uuid, repo_id text, state text)');
      await query('CREATE TEMP TABLE hosts (id uuid, token_hash bytea, state text)');
      const token = Buffer.from(a.member.token, 'base64url');
      await query('SELECT lanehold.open_runs($1, $2, $3)', [a.host, token, REPO]);
    });
    expect(await server.sql(owner, 'SELECT name FROM lanehold.hosts')).toHaveLength(3);
  });

  test("F21: a member does nothing with another's claim, with one it never had, or with another's run", async () => {
    const { a, b, home, offer, run, cancel, lane, pass, claimsOf } = await laneBoard(server);
    const id = await offer();
    const claim = one(await a.claim());
    expect(await b.finish(claim)).toBe('fenced');
    expect(await b.finish({ ...claim, epoch: 2 })).toBe('fenced');
    expect(await b.release(claim)).toBe('fenced');
    expect(await b.renew(claim)).toBe('lost');
    const thief = { ...a.member, token: randomBytes(32).toString('base64url') };
    const asThief = withBoard(thief, 20_000, (it) =>
      it.finish({ ...claim, outcome: 'verified', head: HEAD, result: BODY }),
    );
    expect(await codeOf(asThief)).toBe('LH001');
    expect(await codeOf(joins(a.member.url, 'a', thief))).toBe('LH001');
    expect(await claimsOf(id)).toMatchObject([{ epoch: 1, ended: null, answer: null }]);

    // One it never had, of a lane that nobody has: without the ticket nothing is believed.
    await a.release(claim);
    for (const ticket of ['', 'ab', claim.ticket])
      expect(await b.finish({ ...claim, epoch: 5, ticket })).toBe('fenced');
    expect((await b.beat({ leases: [[id, 5, claim.ticket]] })).leases).toEqual([[id, 'lost']]);
    expect(await a.finish({ ...claim, epoch: 5 })).toBe('fenced');
    expect(await lane(id)).toMatchObject({ state: 'offered', epoch: 1 });

    const own = {
      lane: randomUUID(),
      run,
      rev: 1,
      body: BODY,
      priority: 9,
      caps: [],
      pinned: null,
      clashes: [],
    };
    expect(await codeOf(b.call((it) => it.offer(own)))).toBe('LH006');
    expect(await codeOf(b.call((it) => it.offer({ ...own, lane: id, rev: 2 })))).toBe('LH006');
    expect(await codeOf(b.call((it) => it.cancelLane({ lane: id, rev: 1 })))).toBe('LH006');
    expect(await codeOf(b.call((it) => it.takeOver({ run })))).toBe('LH009');
    const revised = { run, rev: 99, intent: 'cancelled' as const, parallel: 1, body: BODY };
    expect(await codeOf(b.call((it) => it.publishRun({ repo: REPO, ...revised })))).toBe('LH006');
    expect(
      await codeOf(home.call((it) => it.publishRun({ repo: 'f'.repeat(32), ...revised }))),
    ).toBe('LH006');
    // A lane of another's run cannot be drawn into one's own.
    const mine = randomUUID();
    await b.call((it) => it.publishRun({ repo: REPO, ...revised, run: mine, intent: 'active' }));
    expect(await codeOf(b.call((it) => it.offer({ ...own, run: mine, lane: id, rev: 2 })))).toBe(
      'LH006',
    );
    expect(await b.call((it) => it.homeLanes({ run, open: [id] }))).toEqual({ rev: 0, lanes: [] });

    // Nor does it make the board believe that time has passed, or that it was restored.
    const told = await b.beat({ beats: 10 ** 12, free: 1 });
    expect(told.restored).toBe(true);
    expect(one(told.given)).toMatchObject({ lane: id, epoch: 2 });
    expect((await a.beat({ beats: 0 })).restored).toBe(false);
    await pass(id, 'lease');
    await a.beat({ free: 1 });
    expect(await lane(id)).toMatchObject({ state: 'claimed', host_id: b.host });
    expect(await cancel(id)).toBe('asked');
  });

  test.each([
    ['a body of more than 64 KiB', { body: Buffer.alloc(65_537) }],
    ['words for a number', { priority: 'x' as unknown as number }],
    ['more caps than a machine can have', { caps: Array(101).fill('x') }],
  ])('does not take %s', async (_, more) => {
    const { offer, sql } = await laneBoard(server);
    await expect(offer(more)).rejects.toThrow();
    expect(await sql('SELECT * FROM lanehold.lanes')).toEqual([]);
  });

  test('does not take a result that is none', async () => {
    const { a, offer, lane } = await laneBoard(server);
    const id = await offer();
    const claim = one(await a.claim());
    for (const more of [
      { outcome: 'lost' as 'failed' },
      { head: 'x'.repeat(65) },
      { result: Buffer.alloc(65_537) },
    ])
      await expect(a.finish(claim, more)).rejects.toThrow();
    expect(await lane(id)).toMatchObject({ state: 'claimed' });
  });

  test.each([
    ['words', "'x'"],
    [
      'a claim without its ticket',
      `'{"beats":1,"restored":false,"leases":[],"given":[{"lane":"x"}],"lends":"on","is_old":false,"lease_ms":1,"grace_ms":1}'`,
    ],
    ['nothing', 'NULL'],
  ])('F25: an answer that is none is refused: %s', async (_, answer) => {
    const { a, sql } = await laneBoard(server);
    await sql('ALTER FUNCTION lanehold.beat RENAME TO beat1');
    const json = answer === "'x'" ? `'"x"'` : answer;
    await sql(
      `CREATE FUNCTION lanehold.beat(h uuid, t bytea, p jsonb) RETURNS jsonb LANGUAGE sql SECURITY DEFINER AS
       $$ SELECT ${json}::jsonb $$`,
    );
    await sql('SELECT lanehold.grant_to_members()');
    await expect(a.beat()).rejects.toThrow('what this lanehold does not understand');
  });
});

withPostgres('a board through the years', (server) => {
  test('F11: after a restore claims go on, results count, and what the home has is settled', async () => {
    const it = await laneBoard(server);
    const { a, b, home, run, offer, owner, lane, cancel, pass } = it;
    const before = await offer();
    const dump = server.dump(owner);
    const told = await a.beat();

    // All of this is lost.
    const done = one(await a.claim());
    expect(await a.finish(done)).toBe('accepted');
    const [running, ended, imported] = [await offer(), await offer(), await offer()];
    const claims = await a.claim(3);
    const of = (id: string) => one(claims.filter(({ lane }) => lane === id));
    const { beats } = await a.beat({
      beats: told.beats,
      leases: claims.map((x) => [x.lane, x.epoch, x.ticket]),
    });
    server.restore(owner, dump);

    expect(await lane(before)).toMatchObject({ state: 'offered', epoch: 0 });
    expect(await home.call((x) => x.homeLanes({ run, open: [before, running] }))).toMatchObject({
      rev: 1,
      lanes: [{ lane: before, rev: 1, epoch: 0, state: 'offered', outcome: null }],
    });
    for (const id of [running, ended, imported]) await offer({ lane: id });
    const beat = await a.beat({ beats, leases: [[running, 1, of(running).ticket]] });
    expect(beat).toMatchObject({ restored: true, leases: [[running, 'ok']] });
    expect(
      (await a.beat({ beats: beat.beats, leases: [[running, 1, of(running).ticket]] })).restored,
    ).toBe(false);
    // Nobody else gets it.
    expect(await lane(running)).toMatchObject({ state: 'claimed', epoch: 1, host_id: a.host });
    expect([await a.finish(done), await a.finish(of(ended))]).toEqual(['accepted', 'accepted']);
    expect(await lane(before)).toMatchObject({ state: 'finished', epoch: 1 });

    // The home has this result; meanwhile another has begun it again.
    const again = one(await b.claim());
    expect(again).toMatchObject({ lane: imported, epoch: 1 });
    expect(await cancel(imported)).toBe('asked');
    expect(await b.renew(again)).toBe('cancel');
    expect(await b.finish(again)).toBe('cancelled');
    expect(await a.finish(of(imported))).toBe('fenced');
    expect(await lane(imported)).toMatchObject({ state: 'cancelled' });
    const { lanes } = await home.call((x) => x.homeLanes({ run, open: [running, ended] }));
    expect(lanes.map((x) => [x.lane, x.state, x.results.map(({ answer }) => answer)])).toEqual([
      [running, 'claimed', []],
      [ended, 'finished', ['accepted']],
    ]);
    await pass(running);
  });

  test('F11: two machines with one epoch, one of before and one of after the restore', async () => {
    const { a, b, offer, owner, lane, claimsOf } = await laneBoard(server);
    const id = await offer();
    const dump = server.dump(owner);
    const old = one(await a.claim());
    server.restore(owner, dump);
    const young = one(await b.claim());
    expect(young.epoch).toBe(old.epoch);
    expect(young.ticket).not.toBe(old.ticket);
    expect(await a.renew(old)).toBe('lost');
    expect(await a.finish(old)).toBe('fenced');
    expect(await b.finish(young)).toBe('accepted');
    expect(await lane(id)).toMatchObject({ state: 'finished' });
    expect(await claimsOf(id)).toMatchObject([{ host_id: b.host, ended: 'finished' }]);
  });

  test('F9: a power cut in the middle of work loses nothing that was answered', async () => {
    const { a, offer, lane } = await laneBoard(server);
    const id = await offer();
    const claim = one(await a.claim());
    await server.stop('immediate');
    await server.start();
    expect(await a.renew(claim)).toBe('ok');
    expect(await a.finish(claim)).toBe('accepted');
    expect(await lane(id)).toMatchObject({ state: 'finished' });
  });

  test('a board that is made again keeps its machines and records', async () => {
    const owner = await server.database();
    const { members = '', to } = await initBoard(owner);
    const ada = await joins(members, 'ada');
    const subject = randomBytes(32);
    await withBoard(ada, 20_000, (it) =>
      it.putEvidence({ repo: REPO, subject, digest: randomBytes(32), body: BODY }),
    );
    expect(await initBoard(owner)).toEqual({ from: to, to });
    expect(
      await withBoard(ada, 20_000, (it) => it.getEvidence({ repo: REPO, subjects: [subject] })),
    ).toEqual([{ subject, body: BODY }]);
    expect((await withBoard(ada, 20_000, (it) => it.status())).hosts).toMatchObject([
      { name: 'ada', is_self: true },
    ]);
  });

  test('a claim reads the offered lanes in their order, however many there are', async () => {
    const { a, run, sql } = await laneBoard(server);
    const claim =
      /SELECT x\.\* INTO l (FROM lanes x\s+WHERE x\.repo_id[\s\S]*?LIMIT 1) FOR UPDATE OF x;/.exec(
        BOARD,
      )?.[1];
    const query = (claim ?? '')
      .replace(/\b(lanes|refusals|clashes) (x|f|c|o)\b/g, 'lanehold.$1 $2')
      .replaceAll('v_repo', `'${REPO}'`)
      .replaceAll('v_full', "'{}'::uuid[]")
      .replaceAll('h.caps', "'{linux}'")
      .replaceAll('p_host', `'${a.host}'`)
      .replaceAll('> t', '> now()');
    const fill = (count: number) =>
      sql(
        `INSERT INTO lanehold.lanes (id, run_id, repo_id, rev, body, priority, caps, state, outcome)
         SELECT gen_random_uuid(), $1, $2, 1, 'x', i % 3, '{}', CASE i % 2 WHEN 0 THEN 'offered' ELSE 'finished' END,
                CASE i % 2 WHEN 1 THEN 'verified' END FROM generate_series(1, $3) i`,
        [run, REPO, count],
      );
    const plan = async () => {
      await sql('ANALYZE lanehold.lanes');
      const rows = await sql(`EXPLAIN SELECT x.id ${query}`);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    /** Pages that a claim reads, with all that it does. */
    const pages = async (): Promise<number> => {
      await sql('ANALYZE lanehold.lanes');
      const given = JSON.stringify({
        incarnation: a.incarnation,
        free: 1,
        repos: [REPO],
        leases: [],
      });
      const token = Buffer.from(a.member.token, 'base64url').toString('hex');
      const call = `SELECT lanehold.beat('${a.host}', '\\x${token}', '${given}')`;
      const rows = await sql(`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${call}`);
      const plans = rows[0]?.['QUERY PLAN'] as { readonly Plan: Record<string, number> }[];
      const { Plan: plan = {} } = plans[0] ?? {};
      return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
    };
    await fill(100);
    const few = await pages();
    await fill(10_000);
    const many = await pages();
    expect(await plan()).toMatch(/Index Scan using claimable on lanes x/);
    expect(await plan()).not.toMatch(/Sort|Seq Scan on lanes x/);
    expect(many, `${few} pages of 100 lanes, ${many} of 10,000`).toBeLessThanOrEqual(2 * few);
  });

  withPgbouncer(server, (pooled) => {
    test('F22: every function works behind PgBouncer in transaction mode', async () => {
      const it = await laneBoard(server);
      const { run, owner } = it;
      const through = (member: typeof it.a.member) => ({ ...member, url: pooled(member.url) });
      const via = async (name: string) => machine(pooled(it.url), name, ['linux']);
      const [x, y] = [await via('x'), await via('y')];
      const offer = async (lane = randomUUID(), rev = 1) => {
        const offered = {
          lane,
          run,
          rev,
          body: BODY,
          priority: 0,
          caps: [],
          pinned: null,
          clashes: [],
        };
        expect(
          await withBoard(through(it.home.member), 20_000, (board) => board.offer(offered)),
        ).toBe('stored');
        return lane;
      };
      const home = <T>(work: Parameters<typeof withBoard<T>>[2]) =>
        withBoard(through(it.home.member), 20_000, work);
      await offer();
      const claim = one(await x.claim());
      expect([await x.renew(claim), await y.renew(claim)]).toEqual(['ok', 'lost']);
      expect(await x.finish(claim)).toBe('accepted');
      const lane = await offer();
      expect(await y.release(one(await y.claim()), 'signer')).toBe('released');
      expect(await home((board) => board.cancelLane({ lane, rev: 1 }))).toBe('cancelled');
      const next = { run, rev: 5, intent: 'active' as const, parallel: 99, body: BODY };
      expect(await home((board) => board.publishRun({ repo: REPO, ...next }))).toBe('stored');
      const known = await home((board) => board.homeLanes({ run, open: [claim.lane, lane] }));
      expect(known.lanes).toHaveLength(2);
      expect(await home((board) => board.openRuns({ repo: REPO }))).toHaveLength(1);
      expect(await home((board) => board.takeOver({ run }))).toHaveLength(1);
      expect((await home((board) => board.status())).hosts).toHaveLength(5);
      // Many at once on two connections of the server, and all of them cut in the middle.
      const lanes: string[] = [];
      for (let at = 0; at < 10; at++) lanes.push(await offer());
      const both = await Promise.all([x.claim(5), y.claim(5)]);
      expect(new Set(both.flat().map((given) => given.lane))).toEqual(new Set(lanes));
      const others =
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()';
      await server.sql(owner.replace(/\/\/owner\d+:any/, '//admin'), others);
      const answers = [];
      for (const given of both[0]) answers.push(await x.finish(given).catch(() => x.finish(given)));
      expect(new Set(answers)).toEqual(new Set(['accepted']));
      await x.call((board) => board.leave());
      expect((await home((board) => board.status())).hosts).toHaveLength(4);
    });
  });
});
