/** The views of lanes: what they say, and that they read no row of another lane for it. */
import type { Database } from 'better-sqlite3';
import { expect, test } from 'vitest';
import { homeOf } from '../../src/base/files/home.ts';
import { laneStore } from '../../src/store/lanes.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededRandom } from '../support/seeded-random.ts';

/** Every statement of `store/lanes.ts`: its functions are called with words, which most of them refuse. */
function statementsOf(store: Store): Set<string> {
  const sql = new Set<string>();
  const db = new Proxy(store.db, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== 'prepare') return value;
      return (text: string) => {
        sql.add(text);
        return target.prepare(text);
      };
    },
  });
  const calls = Object.values<(...given: never[]) => unknown>(laneStore({ ...store, db }));
  for (const call of calls) {
    for (const given of [['a'], ['a', 'b'], ['a', 'b', 'c'], [{}, 'b'], [{}, 'b', new Date(0)]]) {
      try {
        call(...(given as never[]));
      } catch (error) {
        if (!(error instanceof Error)) throw error;
      }
    }
  }
  return sql;
}

/** Each step of a statement's plan. */
function planOf(db: Database, sql: string): string[] {
  const literal = sql.replaceAll(/\?\d*|:[a-z]\w*/gi, "'x'");
  const steps = db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${literal}`).all();
  return steps.map(({ detail }) => detail);
}

test('no statement about lanes reads a table whole', async () => {
  const store = await openStore(homeOf(sandbox().env));
  const statements = [...statementsOf(store)];
  expect(statements.length).toBeGreaterThan(20);
  const reads = statements.flatMap((sql) =>
    planOf(store.db, sql).map((step) => `${step} | ${sql.trim()}`),
  );
  expect(reads.filter((it) => /^SEARCH/.test(it)).length).toBeGreaterThan(100);
  expect(reads.filter((it) => /^(?:SCAN|MATERIALIZE)/.test(it))).toEqual([]);
  store.close();
});

/** The same states in views that are easier to read, and read every lane. */
const EASY_VIEWS = `
  CREATE TEMP VIEW verdicts AS
    SELECT l.id AS lane_id, v.id AS validation_id, v.result, v.spec_hash
      FROM lanes AS l
      JOIN validations AS v ON v.seq = (
        SELECT max(seq) FROM validations
         WHERE subject = 'lane' AND lane_id = l.id AND sha = l.head_sha
           AND cmd_hash = l.cmd_hash AND setup_hash = l.setup_hash);
  CREATE TEMP VIEW last_attempts AS
    SELECT a.* FROM attempts AS a WHERE a.n = (SELECT max(n) FROM attempts WHERE lane_id = a.lane_id);
  CREATE TEMP VIEW wanted AS
    SELECT l.id AS lane_id, l.intent = 'run' AND a.n IS NOT NULL AND a.n <= l.wants_after AS wanted
      FROM lanes AS l LEFT JOIN last_attempts AS a ON a.lane_id = l.id;
  CREATE TEMP VIEW last_integrations AS
    SELECT i.* FROM integrations AS i
     WHERE i.id = (SELECT id FROM integrations WHERE lane_id = i.lane_id AND lane_sha = i.lane_sha
                    ORDER BY at DESC, id DESC LIMIT 1);
  CREATE TEMP VIEW asking AS
    SELECT DISTINCT r.lane_id
      FROM reports AS r JOIN lanes AS l ON l.id = r.lane_id
      LEFT JOIN attempts AS a ON a.id = r.attempt_id
     WHERE r.kind = 'ask' AND r.answered_at IS NULL
       AND (a.n > l.wants_after OR (a.id IS NULL AND NOT EXISTS (
         SELECT 1 FROM attempts WHERE lane_id = l.id AND kind <> 'validate' AND started_at > r.at)));
  CREATE TEMP VIEW unmet AS
    SELECT d.lane_id, n.key AS needs
      FROM lane_deps AS d JOIN lanes AS n ON n.id = d.needs_lane_id
      LEFT JOIN verdicts AS v ON v.lane_id = n.id
      LEFT JOIN last_integrations AS i ON i.lane_id = n.id AND i.lane_sha = n.head_sha
     WHERE NOT (coalesce(i.state, '') IN ('integrated', 'landed')
             OR (coalesce(v.result, '') = 'pass' AND v.spec_hash = n.spec_hash
                 AND NOT EXISTS (SELECT 1 FROM asking WHERE lane_id = n.id)
                 AND NOT EXISTS (SELECT 1 FROM moved_deps WHERE lane_id = n.id)));
  CREATE TEMP VIEW states AS
    SELECT l.id AS lane_id, l.run_id,
      CASE
        WHEN l.intent = 'cancelled' THEN 'cancelled'
        WHEN i.state = 'landed' THEN 'landed'
        WHEN a.state IN ('exited', 'validating', 'lost') THEN 'validating'
        WHEN a.state IN ('starting', 'running') THEN a.state
        WHEN i.state IN ('queued', 'merged', 'validating') THEN 'integrating'
        WHEN w.wanted = 0 AND v.result = 'pass' AND q.lane_id IS NOT NULL THEN 'asks'
        WHEN w.wanted = 0 AND v.result = 'pass' AND (v.spec_hash <> l.spec_hash
          OR EXISTS (SELECT 1 FROM moved_deps AS m WHERE m.lane_id = l.id)) THEN 'stale'
        WHEN w.wanted = 0 AND v.result = 'pass' AND i.state IN ('integrated', 'conflict', 'culprit') THEN i.state
        WHEN w.wanted = 0 AND v.result = 'pass' THEN 'verified'
        WHEN l.blocked IS NOT NULL THEN 'blocked'
        WHEN a.end_reason = 'parked' AND a.n > l.wants_after THEN 'parked'
        WHEN w.wanted = 0 AND q.lane_id IS NOT NULL THEN 'asks'
        WHEN w.wanted = 0 AND v.validation_id IS NULL AND EXISTS (
          SELECT 1 FROM validations WHERE subject = 'lane' AND lane_id = l.id AND sha = l.head_sha AND result = 'pass') THEN 'stale'
        WHEN a.end_reason IS NOT NULL AND l.intent = 'hold' THEN 'failed'
        WHEN l.intent = 'hold' THEN 'planned'
        WHEN EXISTS (SELECT 1 FROM unmet AS u WHERE u.lane_id = l.id) THEN 'waiting'
        ELSE 'ready'
      END AS state,
      a.id AS attempt_id, v.validation_id, i.id AS integration_id
      FROM lanes AS l
      JOIN wanted AS w ON w.lane_id = l.id
      LEFT JOIN asking AS q ON q.lane_id = l.id
      LEFT JOIN last_attempts AS a ON a.lane_id = l.id
      LEFT JOIN verdicts AS v ON v.lane_id = l.id
      LEFT JOIN last_integrations AS i ON i.lane_id = l.id AND i.lane_sha = l.head_sha`;

const LANES = 1_000;
const NOTHING = { tree: 't', cmd: 'c', cwd: '', duration_ms: 1, log_path: '', log_sha256: '' };
const BEGUN = { spec_hash: 's', start_sha: 's', dir: 'd' };

/** Adds lanes with rows of every kind that their states follow from, whatever triggers would allow. */
function addRandomLanes(db: Database, random: () => number): void {
  const pick = <T>(...from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const times = (most: number): number[] => [...Array(Math.floor(random() * (most + 1))).keys()];
  const sha = () => pick('one', 'one', 'one', 'two');
  let at = 0;
  const next = (): number => {
    at += 1;
    return at;
  };
  const insert = (table: string, row: Readonly<Record<string, unknown>>): void => {
    const names = Object.keys(row);
    const sql = `INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `:${name}`)})`;
    db.prepare(sql).run(row);
  };

  function addReports(lane: string, begun: number): void {
    for (const _ of times(1)) {
      const n = Math.floor(random() * (begun + 1));
      insert('reports', {
        ...{ id: `ask ${next()}`, lane_id: lane, body: '?', by: 'me', at },
        ...{ kind: pick('ask', 'ask', 'note'), answered_at: pick(null, null, 1) },
        ...(n === 0 ? { attempt_n: begun } : { attempt_id: `${lane} ${n}`, attempt_n: n }),
      });
    }
  }
  function addAttempts(lane: string): void {
    addReports(lane, 0);
    const count = times(3).length;
    for (let n = 1; n <= count; n += 1) {
      const ways = [
        'starting',
        'running',
        'exited',
        'validating',
        'lost',
        ...Array(8).fill('ended'),
      ];
      const state = n < count ? 'ended' : pick(...ways);
      const reason = state === 'ended' ? pick('parked', 'rejected', 'verified', 'lost') : null;
      insert('attempts', {
        ...{ ...BEGUN, id: `${lane} ${n}`, lane_id: lane, n, state, end_reason: reason },
        ...{ kind: pick('work', 'fix', 'validate'), worktree: lane, started_at: next() },
      });
      addReports(lane, n);
    }
  }
  function addVerdicts(lane: string): void {
    const ofLane = { run_id: 'run', lane_id: lane };
    for (const _ of times(3)) {
      const result = pick('pass', 'pass', 'fail');
      insert('validations', {
        ...{ ...NOTHING, ...ofLane, id: `verdict ${next()}`, at, result },
        ...{ subject: pick('lane', 'lane', 'composition'), exit_code: result === 'pass' ? 0 : 1 },
        ...{ sha: sha(), cmd_hash: sha(), setup_hash: pick('', '', 'x') },
        ...{ spec_hash: sha(), runs: '[]', runner: 'lanehold', host: 'h' },
      });
    }
    for (const _ of times(2)) {
      const over = pick('integrated', 'integrated', 'conflict', 'culprit', 'landed', 'withdrawn');
      const state = pick('queued', 'merged', over, over, over);
      insert('integrations', { ...ofLane, id: `try ${next()}`, lane_sha: sha(), state, at });
    }
  }

  for (let number = 0; number < LANES; number += 1) {
    const id = `lane ${number}`;
    insert('lanes', {
      ...{ id, run_id: 'run', key: id, position: number, spec: '{}', spec_rev: 1, branch: 'b' },
      ...{ validate_timeout_s: 1, created_at: 0, cmd_hash: 'one', setup_hash: '' },
      ...{
        intent: pick('hold', 'hold', 'run', 'run', 'run', 'cancelled'),
        wants_after: pick(0, 0, 1, 2, 3),
      },
      ...{ blocked: pick(null, null, null, 'why'), head_sha: pick(null, sha(), sha()) },
      spec_hash: sha(),
    });
    addAttempts(id);
    addVerdicts(id);
    for (const other of new Set(times(2).map(() => Math.floor(random() * LANES)))) {
      const used = pick(null, sha());
      insert('lane_deps', { lane_id: id, needs_lane_id: `lane ${other}`, used_sha: used });
    }
  }
}

test('the states are those of views that read every lane', async () => {
  const store = await openStore(homeOf(sandbox().env));
  const { db } = store;
  db.exec(EASY_VIEWS);
  db.pragma('foreign_keys = OFF');
  const triggers = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'trigger'");
  for (const name of triggers.pluck().all()) db.exec(`DROP TRIGGER ${name}`);
  store.write(() => addRandomLanes(db, seededRandom(1)));
  const columns = 'lane_id, run_id, state, attempt_id, validation_id, integration_id';
  const expected = db.prepare(`SELECT ${columns} FROM states ORDER BY lane_id`).all();
  expect(db.prepare(`SELECT ${columns} FROM lane_states ORDER BY lane_id`).all()).toEqual(expected);
  const seen = db.prepare('SELECT count(DISTINCT state) FROM states').pluck().get();
  expect(seen).toBe(18);
  const unmet = 'SELECT lane_id, needs FROM';
  expect(db.prepare(`${unmet} unmet_deps ORDER BY 1, 2`).all()).toEqual(
    db.prepare(`${unmet} unmet ORDER BY 1, 2`).all(),
  );
  store.close();
});
