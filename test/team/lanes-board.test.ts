/** Lanes on the board: who gets which one, for how long, and whose result counts. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  type Claim,
  codeOf,
  HEAD,
  joins,
  laneBoard,
  type Machine,
  machine,
  one,
  REPO,
} from '../support/lane-board.ts';
import { withPostgres } from '../support/postgres.ts';

withPostgres('lanes on the board', (server) => {
  test('an offered lane is claimed once, renewed by its holder alone, and finished once', async () => {
    const { a, b, offer, lane, claimsOf } = await laneBoard(server);
    const id = await offer();
    const claim = one(await a.claim());
    expect(claim).toMatchObject({ lane: id, epoch: 1, rev: 1 });
    expect(await b.claim()).toEqual([]);
    expect(await a.renew(claim)).toBe('ok');
    expect(await b.renew(claim)).toBe('lost');
    expect(await a.renew({ ...claim, epoch: 2 })).toBe('lost');
    expect(await b.finish(claim)).toBe('fenced');
    expect(await a.finish(claim)).toBe('accepted');
    expect(await lane(id)).toMatchObject({ state: 'finished', outcome: 'verified', epoch: 1 });
    expect(await claimsOf(id)).toMatchObject([{ ended: 'finished', answer: 'accepted' }]);
    expect(await a.renew(claim)).toBe('lost');
  });

  test('F7: whoever does not list what it holds gets it again with the same epoch', async () => {
    const { a, offer } = await laneBoard(server);
    const id = await offer();
    const first = one(await a.claim());
    const again = one((await a.beat({ free: 0 })).given);
    expect(again).toEqual(first);
    expect((await a.beat({ leases: [[id, 1, first.ticket]] })).given).toEqual([]);
    await offer();
    // What it has forgotten counts for what it would take.
    expect(await a.claim(1)).toEqual([first]);
  });

  test('F7, F8: a call that comes again gets the same answer and has no second effect', async () => {
    const { a, b, home, offer, cancel, lane, claimsOf, run } = await laneBoard(server);
    const id = await offer();
    expect(await offer({ lane: id })).toBe(id);
    const claim = one(await a.claim());
    expect([await a.finish(claim), await a.finish(claim)]).toEqual(['accepted', 'accepted']);
    expect(await cancel(id)).toBe('finished');

    const given = await offer();
    const first = one(await a.claim());
    expect([await a.release(first), await a.release(first)]).toEqual(['released', 'released']);
    const second = one(await b.claim());
    // The old message arrives late, and does not touch the claim of another.
    expect(await a.release(first)).toBe('released');
    expect(await b.renew(second)).toBe('ok');
    expect([await cancel(given), await cancel(given)]).toEqual(['asked', 'asked']);
    expect([await b.finish(second), await b.finish(second)]).toEqual(['cancelled', 'cancelled']);
    expect(await cancel(given)).toBe('cancelled');

    const body = Buffer.from('other');
    const publish = (rev: number) =>
      home.call((it) =>
        it.publishRun({ repo: REPO, run, rev, intent: 'paused', parallel: 1, body }),
      );
    expect([await publish(9), await publish(9), await publish(8)]).toEqual([
      'stored',
      'stored',
      'older',
    ]);
    expect(await lane(id)).toMatchObject({ state: 'finished', epoch: 1 });
    expect(await claimsOf(id)).toHaveLength(1);
  });

  test('caps, the machine it is for, clashes and the limit of the run decide who gets a lane', async () => {
    const { a, b, offer, publish, cancel } = await laneBoard(server);
    const gpu = await offer({ caps: ['gpu'] });
    expect(await a.claim()).toEqual([]);
    expect(one(await b.claim()).lane).toBe(gpu);
    expect(await b.finish(one(await b.claim(0)), { outcome: 'failed' })).toBe('accepted');

    const pinned = await offer({ pinned: 'a' });
    const forAll = await offer();
    expect(await b.claim(9)).toMatchObject([{ lane: forAll }]);
    const ofA = one(await a.claim(9));
    expect(ofA.lane).toBe(pinned);
    await a.finish(ofA);
    await b.finish(one(await b.claim(0)));

    const first = await offer();
    const second = await offer({ clashes: [first] });
    expect(one(await a.claim(9)).lane).toBe(first);
    expect(await b.claim(9)).toEqual([]);
    await a.finish(one(await a.claim(0)));
    expect(one(await b.claim(9)).lane).toBe(second);
    await b.finish(one(await b.claim(0)));

    await publish('active', 2);
    const lanes = [await offer(), await offer(), await offer()];
    expect((await a.claim(9)).map(({ lane }) => lane)).toEqual(lanes.slice(0, 2));
    expect(await b.claim(9)).toEqual([]);
    for (const it of lanes) await cancel(it);
  });

  test('a clash counts also if the other lane was offered first, and is forgotten by an edit', async () => {
    const { a, b, offer } = await laneBoard(server);
    const first = await offer();
    const second = await offer({ clashes: [first], priority: 5 });
    expect(one(await a.claim(9)).lane).toBe(second);
    expect(await b.claim(9)).toEqual([]);
    await offer({ lane: second, rev: 2 });
    expect(one(await b.claim(9)).lane).toBe(first);
  });

  test('lanes come in the order of priority, then of offering', async () => {
    const { a, offer } = await laneBoard(server);
    const [low, plain, later, high] = [
      await offer({ priority: -1 }),
      await offer(),
      await offer(),
      await offer({ priority: 3 }),
    ];
    expect((await a.claim(9)).map(({ lane }) => lane)).toEqual([high, plain, later, low]);
  });

  test('many machines at once never get one lane twice, nor more than the run allows', async () => {
    const { url, offer, publish } = await laneBoard(server);
    await publish('active', 12);
    for (let at = 0; at < 20; at++) await offer();
    const machines: Machine[] = [];
    for (let at = 0; at < 8; at++) machines.push(await machine(url, `m${at}`));
    const claims = (await Promise.all(machines.map((it) => it.claim(2)))).flat();
    expect(new Set(claims.map(({ lane }) => lane)).size).toBe(claims.length);
    expect(claims).toHaveLength(12);
  });

  test('F2: a lease that is over by more than the grace goes to the next, who learns where it was left', async () => {
    const { a, b, offer, lane, pass, claimsOf } = await laneBoard(server);
    const id = await offer();
    const lost = one(await a.claim());
    await pass(id, 'lease');
    expect(await b.claim()).toEqual([]);
    await pass(id);
    const next = one(await b.claim());
    expect(next).toMatchObject({
      lane: id,
      epoch: 2,
    });
    expect(await lane(id)).toMatchObject({ lost: 1, host_id: b.host });
    expect(await a.renew(lost)).toBe('lost');
    // F3: what the frozen one says comes too late, and is kept.
    expect(await a.finish(lost)).toBe('fenced');
    expect(await claimsOf(id)).toMatchObject([
      { ended: 'lapsed', answer: 'fenced', outcome: 'verified' },
      { epoch: 2, ended: null },
    ]);
    expect(await b.finish(next)).toBe('accepted');
  });

  test('F3: a machine that has got its own lane again does not end it with the result of before', async () => {
    const { a, offer, lane, pass } = await laneBoard(server);
    const id = await offer();
    const lost = one(await a.claim());
    await pass(id);
    expect((await a.beat({ leases: [[id, 1, lost.ticket]] })).leases).toEqual([[id, 'ok']]);
    await pass(id);
    await a.beat({ leases: [[lost.lane, 9, '']] });
    const next = one(await a.claim());
    expect(next).toMatchObject({ lane: id, epoch: 2 });
    expect(await a.finish(lost)).toBe('fenced');
    expect(await lane(id)).toMatchObject({ state: 'claimed', epoch: 2 });
    expect(await a.finish(next)).toBe('accepted');
  });

  test('F4: a lease that nobody else took goes on, however late', async () => {
    const { a, offer, pass } = await laneBoard(server);
    const id = await offer();
    const claim = one(await a.claim());
    await pass(id);
    expect(await a.renew(claim)).toBe('ok');
    await pass(id);
    expect(await a.finish(claim)).toBe('accepted');
  });

  test('F1: work that ended after its lease counts if nobody has begun anew', async () => {
    const { a, b, offer, pass, lane } = await laneBoard(server);
    const id = await offer();
    const claim = one(await a.claim());
    await pass(id);
    await b.beat();
    expect(await lane(id)).toMatchObject({ state: 'offered', lost: 1 });
    expect(await b.finish(claim)).toBe('fenced');
    expect(await a.finish(claim)).toBe('accepted');
    // Not if the home wants something else by now.
    const other = await offer();
    const before = one(await a.claim());
    await pass(other);
    await b.beat();
    await offer({ lane: other, rev: 2 });
    expect(await a.finish(before)).toBe('fenced');
    expect(await lane(other)).toMatchObject({ state: 'offered', rev: 2 });
  });

  test('F17: a lane that three machines died with waits for a person, whose retry starts anew', async () => {
    const { a, b, offer, pass, lane } = await laneBoard(server);
    const id = await offer();
    for (const epoch of [1, 2, 3]) {
      expect(one(await a.claim()).epoch).toBe(epoch);
      await pass(id);
      await b.beat();
    }
    expect(await lane(id)).toMatchObject({ state: 'finished', outcome: 'lost', lost: 3 });
    expect(await b.claim()).toEqual([]);
    await offer({ lane: id, rev: 2 });
    expect(one(await b.claim())).toMatchObject({ lane: id, rev: 2, epoch: 4 });
    expect(await lane(id)).toMatchObject({ lost: 0 });
  });

  test('a pinned lane stays with its machine, also after its lease', async () => {
    const { a, b, offer, pass, lane, cancel } = await laneBoard(server);
    const id = await offer({ pinned: 'a' });
    const forAll = await offer();
    const [claim] = (await a.claim(2)).filter(({ lane }) => lane === id) as [Claim];
    for (const it of [id, forAll]) await pass(it);
    expect(await b.claim(9)).toMatchObject([{ lane: forAll, epoch: 2 }]);
    expect(await lane(id)).toMatchObject({ state: 'claimed', lost: 0 });
    expect(await a.renew(claim)).toBe('ok');
    await pass(id);
    expect(await cancel(id)).toBe('cancelled');
  });

  test('F10: after a time without anybody no lease is over before a whole one has passed', async () => {
    const { a, b, offer, sql, lane } = await laneBoard(server);
    const id = await offer();
    const claim = one(await a.claim());
    await sql("UPDATE lanehold.lanes SET lease_until = now() - interval '15 min'");
    await sql("UPDATE lanehold.board SET alive_at = now() - interval '15 min'");
    expect(await b.claim()).toEqual([]);
    expect(await lane(id)).toMatchObject({ state: 'claimed' });
    expect(await a.renew(claim)).toBe('ok');
    // A lonely machine that comes seldom does not renew the amnesty for ever.
    const left = 'SELECT amnesty_until > now() AS it FROM lanehold.board';
    expect(await sql(left)).toEqual([{ it: true }]);
    await sql("UPDATE lanehold.board SET amnesty_until = now() - interval '1 min'");
    await sql("UPDATE lanehold.board SET alive_at = now() - interval '2 min'");
    await b.beat();
    expect(await sql(left)).toEqual([{ it: false }]);
  });

  test('a pause and its end, and a cancel, are told to the holder', async () => {
    const { a, b, offer, publish, cancel, lane } = await laneBoard(server);
    const id = await offer();
    const claim = one(await a.claim());
    await offer();
    await publish('paused');
    expect(await a.renew(claim)).toBe('pause');
    expect(await b.claim()).toEqual([]);
    await publish('active');
    expect(await a.renew(claim)).toBe('ok');
    // F27: cancelled while it runs.
    expect(await cancel(id)).toBe('asked');
    expect(await a.renew(claim)).toBe('cancel');
    expect(await a.finish(claim)).toBe('cancelled');
    expect(await lane(id)).toMatchObject({ state: 'cancelled', outcome: null });
  });

  test('F27: of a cancel and a finish at the same moment the first counts, and both leave one row', async () => {
    const { a, offer, cancel, lane, claimsOf } = await laneBoard(server);
    for (let round = 0; round < 10; round++) {
      const id = await offer();
      const claim = one(await a.claim());
      const [said, finished] = await Promise.all([cancel(id), a.finish(claim)]);
      expect(['asked/cancelled', 'finished/accepted']).toContain(`${said}/${finished}`);
      expect(await lane(id)).toMatchObject({ state: said === 'asked' ? 'cancelled' : 'finished' });
      expect(await claimsOf(id)).toHaveLength(1);
    }
  });

  test('F27: a cancelled lane whose holder never comes back ends with its lease', async () => {
    const { a, b, offer, cancel, pass, lane } = await laneBoard(server);
    const id = await offer();
    one(await a.claim());
    expect(await cancel(id)).toBe('asked');
    await pass(id);
    expect(await b.claim()).toEqual([]);
    expect(await lane(id)).toMatchObject({ state: 'cancelled' });
    expect(await cancel(id)).toBe('cancelled');
  });

  test('the end of a run ends its lanes', async () => {
    const { a, b, offer, publish, lane } = await laneBoard(server);
    const [running, waiting] = [await offer(), await offer()];
    const claim = one(await a.claim());
    await publish('cancelled');
    expect(await lane(waiting)).toMatchObject({ state: 'cancelled' });
    expect(await a.renew(claim)).toBe('cancel');
    expect(await b.claim()).toEqual([]);
    expect(await a.release(claim)).toBe('released');
    expect(await lane(running)).toMatchObject({ state: 'cancelled' });
  });

  test('a new revision: an edit at work makes its result stale, a retry begins again', async () => {
    const { a, b, offer, cancel, lane } = await laneBoard(server);
    const id = await offer();
    const old = one(await a.claim());
    await offer({ lane: id, rev: 2 });
    expect(await a.renew(old)).toBe('ok');
    expect(await a.finish(old)).toBe('stale');
    const claim = one(await b.claim());
    expect(claim).toMatchObject({ lane: id, rev: 2, epoch: 2 });
    expect(await b.finish(claim, { outcome: 'failed' })).toBe('accepted');
    expect(await cancel(id, 1)).toBe('older');
    await offer({ lane: id, rev: 3 });
    expect(await lane(id)).toMatchObject({ state: 'offered', outcome: null, rev: 3 });
    expect(await cancel(id, 3)).toBe('cancelled');
    await offer({ lane: id, rev: 4 });
    expect(one(await a.claim())).toMatchObject({ rev: 4, epoch: 3 });
  });

  test('a released lane goes to another, and comes back to who released it only if it said so', async () => {
    const { a, b, run, offer, sql, home, lane } = await laneBoard(server);
    const id = await offer();
    expect(await a.release(one(await a.claim()), 'signer')).toBe('released');
    expect(await a.claim()).toEqual([]);
    const { lanes } = await home.call((it) => it.homeLanes({ run, open: [] }));
    expect(lanes).toMatchObject([
      { lane: id, state: 'offered', refused: [['a', 'signer']], takers: 3 },
    ]);
    const next = one(await b.claim());
    expect(await b.release(next, 'quota', 3600)).toBe('released');
    expect(await b.claim()).toEqual([]);
    await sql('UPDATE lanehold.refusals SET until = now() WHERE host_id = $1', [b.host]);
    expect(await b.release(one(await b.claim()))).toBe('released');
    expect(await b.claim()).toHaveLength(1);
    expect(await lane(id)).toMatchObject({ lost: 0, epoch: 4 });
    // A new revision is no longer refused.
    await b.release(one(await b.claim(0)));
    await offer({ lane: id, rev: 2 });
    expect(await a.claim()).toHaveLength(1);
  });

  test('a machine that is lent anew is offered again what it has refused, but for its quota', async () => {
    const { a, offer } = await laneBoard(server);
    const [refused, later] = [await offer(), await offer()];
    const claims = await a.claim(2);
    for (const claim of claims) {
      if (claim.lane === refused) await a.release(claim, 'signer');
      else await a.release(claim, 'quota', 3600);
    }
    expect(await a.claim(2)).toEqual([]);
    // The same process, doubled on its way.
    await a.lend();
    expect(await a.claim(2)).toEqual([]);
    const incarnation = randomUUID();
    await a.lend({ incarnation, boots: 2 });
    const { given } = await a.beat({ incarnation, free: 2 });
    expect(given.map(({ lane }) => lane)).toEqual([refused]);
    expect(claims.map(({ lane }) => lane)).toEqual([refused, later]);
  });

  test('a machine that drains takes nothing new and finishes what it has', async () => {
    const { a, offer } = await laneBoard(server);
    await offer();
    const claim = one(await a.claim());
    await offer();
    await a.lend({ lends: 'draining' });
    expect(await a.beat({ free: 5, leases: [[claim.lane, 1, claim.ticket]] })).toMatchObject({
      leases: [[claim.lane, 'ok']],
      given: [],
    });
    expect(await a.finish(claim)).toBe('accepted');
  });

  test('F16: of two processes of one machine the later one counts', async () => {
    const { a, offer } = await laneBoard(server);
    await offer();
    expect(await codeOf(a.lend({ incarnation: randomUUID() }))).toBe('LH002');
    const incarnation = randomUUID();
    await a.lend({ incarnation, boots: 2 });
    expect(await codeOf(a.claim())).toBe('LH002');
    expect((await a.beat({ incarnation, free: 1 })).given).toHaveLength(1);
    // The same start, doubled on its way.
    await a.lend({ incarnation, boots: 2 });
  });

  test('F24: a machine that is too old finishes what it has and gets no new work', async () => {
    const { a, home, offer, run, sql } = await laneBoard(server);
    await offer();
    const claim = one(await a.claim());
    await offer();
    await sql('UPDATE lanehold.board SET oldest = 2');
    expect(await a.beat({ free: 5, leases: [[claim.lane, 1, claim.ticket]] })).toMatchObject({
      leases: [[claim.lane, 'ok']],
      given: [],
      is_old: true,
    });
    expect(await a.finish(claim)).toBe('accepted');
    expect(await codeOf(offer())).toBe('LH003');
    const body = Buffer.from('x');
    const next = { run, rev: 9, intent: 'active' as const, parallel: 1, body };
    await expect(home.call((it) => it.publishRun({ repo: REPO, ...next }))).rejects.toMatchObject({
      code: 'LH003',
      hint: 'update lanehold',
    });
  });

  test('F25: a newer board is used as far as it has what is called', async () => {
    const { a, offer, sql } = await laneBoard(server);
    await sql('UPDATE lanehold.board SET schema = 99');
    await sql("ALTER TABLE lanehold.lanes ADD COLUMN more text NOT NULL DEFAULT 'x'");
    await sql('ALTER FUNCTION lanehold.beat RENAME TO beat1');
    await sql(
      `CREATE FUNCTION lanehold.beat(h uuid, t bytea, p jsonb) RETURNS jsonb LANGUAGE sql SECURITY DEFINER AS
       $$ SELECT lanehold.beat1(h, t, p) || '{"news": [1, 2]}' $$`,
    );
    await sql('SELECT lanehold.grant_to_members()');
    await offer();
    const claim = one(await a.claim());
    expect(await a.finish(claim)).toBe('accepted');
    await sql('DROP FUNCTION lanehold.release');
    await expect(a.release(claim)).rejects.toThrow('of another version of lanehold');
  });

  test('a machine that the owner has removed does not come back; what it held goes to others', async () => {
    const { a, b, offer, pass, sql, url } = await laneBoard(server);
    const id = await offer();
    const claim = one(await a.claim());
    expect(await sql("SELECT lanehold.remove_host('a') AS it")).toEqual([{ it: true }]);
    expect(await codeOf(a.renew(claim))).toBe('LH001');
    expect(await codeOf(a.finish(claim))).toBe('LH001');
    expect(await codeOf(joins(url, 'a', a.member))).toBe('LH001');
    await pass(id);
    expect(one(await b.claim())).toMatchObject({ lane: id, epoch: 2 });
  });

  test('a lane for a machine that the team does not have is not offered', async () => {
    const { offer, sql, home } = await laneBoard(server);
    await expect(offer({ pinned: 'nobody' })).rejects.toThrow(
      'the team has no machine of that name',
    );
    expect(await sql('SELECT * FROM lanehold.lanes')).toEqual([]);
    const status = await home.call((it) => it.status());
    expect(status.hosts.map(({ name }) => name).sort()).toEqual(['a', 'b', 'home']);
    expect(status.hosts.find(({ name }) => name === 'b')).toMatchObject({
      lends: 'on',
      slots: 9,
    });
  });

  test('a home hears of what is open there or here, and of late work', async () => {
    const { a, b, home, offer, run, pass } = await laneBoard(server);
    const [open, done, late] = [await offer(), await offer(), await offer()];
    const claims = await a.claim(3);
    const of = (id: string) => one(claims.filter(({ lane }) => lane === id));
    await a.finish(of(done));
    await pass(late);
    await b.finish(one((await b.claim(3)).filter(({ lane }) => lane === late)));
    expect(await a.finish(of(late))).toBe('fenced');
    const hears = async (ids: string[]) =>
      (await home.call((it) => it.homeLanes({ run, open: ids }))).lanes;
    expect(await hears([])).toMatchObject([
      { lane: open, state: 'claimed', host: 'a', results: [] },
      {
        lane: late,
        state: 'finished',
        results: [
          { epoch: 1, name: 'a', answer: 'fenced' },
          { epoch: 2, name: 'b', answer: 'accepted', head: HEAD, body: Buffer.from('sealed') },
        ],
      },
    ]);
    expect((await hears([done])).map(({ lane }) => lane)).toEqual([open, done, late]);
    expect(await home.call((it) => it.homeLanes({ run: randomUUID(), open: [done] }))).toEqual({
      rev: 0,
      lanes: [],
    });
  });

  test('lanes of other repositories are not seen, unless all are wanted', async () => {
    const { a, b, offer } = await laneBoard(server);
    const id = await offer();
    const elsewhere = ['f'.repeat(32)];
    expect((await a.beat({ free: 1, repos: elsewhere })).given).toEqual([]);
    expect((await a.beat({ free: 1, repos: [] })).given).toEqual([]);
    expect((await b.beat({ free: 1, repos: null })).given).toMatchObject([
      { lane: id, repo: REPO },
    ]);
  });

  test('ended runs are deleted after a month, with what belongs to them', async () => {
    const { a, offer, publish, sql } = await laneBoard(server);
    await offer();
    await a.finish(one(await a.claim()));
    const rows = async () =>
      (
        await sql(
          'SELECT lanehold.tidy_lanes(), (SELECT count(*)::int AS n FROM lanehold.runs) AS before',
        )
      )[0];
    await publish('closed');
    await rows();
    expect(await sql('SELECT 1 FROM lanehold.claims')).toHaveLength(1);
    await sql("UPDATE lanehold.runs SET changed_at = now() - interval '31 days'");
    await rows();
    for (const table of ['runs', 'lanes', 'claims'])
      expect(await sql(`SELECT 1 FROM lanehold.${table}`), table).toEqual([]);
  });
});
