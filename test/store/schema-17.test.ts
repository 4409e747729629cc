/** A database of before order was decided by numbers, with rows in every table that then changed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { expect, test } from 'vitest';
import { schemaVersion } from '../../src/store/connect.ts';
import { handoffStore } from '../../src/store/handoffs.ts';
import { integrationStore } from '../../src/store/integrations.ts';
import { laneReportStore } from '../../src/store/lane-events.ts';
import { laneStore, runStore } from '../../src/store/lanes.ts';
import { openStore } from '../../src/store/open.ts';
import { sessionStore } from '../../src/store/sessions.ts';
import { sandbox } from '../support/sandbox.ts';
import { home } from './filled.ts';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');
const OLD = 17;

function insert(db: Database, table: string, row: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(row);
  const sql = `INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `:${name}`)})`;
  db.prepare(sql).run(row);
}

function fill(db: Database): void {
  insert(db, 'projects', { id: 1, identity: '/p/.git', first_seen_at: 0 });
  for (const [id, createdAt] of [
    ['later', 20],
    ['earlier', 10],
  ] as const) {
    insert(db, 'runs', {
      ...{ id, project_id: 1, name: id, goal: 'g', repository: '/p', common_dir: '/p/.git' },
      ...{ base_sha: 'b', target_ref: 't', integration_ref: 'i', intent: 'active', policy: '{}' },
      ...{ created_by: 'ada', created_at: createdAt },
    });
  }
  const lane = { run_id: 'later', spec_rev: 1, spec_hash: 's', validate_timeout_s: 1, branch: 'b' };
  for (const [position, key] of ['done', 'asks', 'waits'].entries()) {
    insert(db, 'lanes', {
      ...{ ...lane, id: key, key, position, spec: '{"touches":["src/**"]}', cmd_hash: 'c' },
      ...{ base_kind: 'dep', head_sha: 'head', created_at: 0, intent: position ? 'run' : 'hold' },
    });
    insert(db, 'claims', { lane_id: key, pattern: 'src/**', mode: 'write' });
  }
  insert(db, 'clashes', { lane_id: 'asks', other_id: 'waits' });
  insert(db, 'lane_deps', { lane_id: 'waits', needs_lane_id: 'asks', kind: 'verified' });
  insert(db, 'attempts', {
    ...{ id: 'attempt', lane_id: 'asks', n: 1, kind: 'work', state: 'starting', spec_hash: 's' },
    ...{ start_sha: 'b', worktree: '/w', dir: '/d', started_at: 5, sup_pid: 4, sup_start: '4' },
  });
  db.exec(
    "UPDATE attempts SET state = 'lost'; UPDATE attempts SET state = 'ended', end_reason = 'lost'",
  );
  insert(db, 'reports', { id: 'q', lane_id: 'asks', kind: 'ask', body: '?', by: 'ada', at: 6 });
  insert(db, 'reports', {
    ...{ id: 'note', lane_id: 'asks', attempt_id: 'attempt', kind: 'note' },
    ...{ body: 'n', by: 'ada', at: 2 },
  });
  insert(db, 'validations', {
    ...{ id: 'v', run_id: 'later', subject: 'lane', lane_id: 'done', sha: 'head', tree: 't' },
    ...{ cmd: 'c', cwd: '', cmd_hash: 'c', setup_hash: '', spec_hash: 's', env_hash: 'e' },
    ...{ result: 'pass', exit_code: 0, duration_ms: 1, log_path: '/l', log_sha256: 'l' },
    ...{ runs: '[]', runner: 'lanehold', host: 'h', at: 1 },
  });
  for (const [id, sha, at] of [
    ['second', 'head', 9],
    ['first', 'old', 3],
  ] as const) {
    const row = { id, run_id: 'later', lane_id: 'done', lane_sha: sha, at };
    insert(db, 'integrations', { ...row, state: 'queued' });
    db.prepare("UPDATE integrations SET state = 'conflict' WHERE id = ?").run(id);
  }
  const lines = [{ about: 'run', text: 'it is active', claims: [], quote: 'x' }];
  insert(db, 'handoffs', {
    ...{ id: 'h', run_id: 'later', agent: 'a', session: 's', cursor: 7, at: 1 },
    body: JSON.stringify({ board: { large: true }, lines }),
  });
  for (const [id, seen] of [
    ['newer', 8],
    ['older', 4],
  ] as const) {
    const session = { agent: 'a', id, project_id: 1, worktree: '/w', started_at: 0 };
    insert(db, 'sessions', { ...session, seen_at: seen });
    insert(db, 'observations', {
      ...{ project_id: 1, agent: 'a', session: id, at: seen, kind: 'edit', files: '[]' },
    });
  }
  insert(db, 'recall_items', {
    ...{ uid: 'lh-1', kind: 'fact', status: 'active', title: 't', body: 'b', conditions: '' },
    ...{ files: '[]', links: '[]', commands: '[]', branch: 'main', source: 'person', at: 0 },
    digest: 'd',
  });
}

test('a database of schema 17 keeps its lanes, the order of its rows and its handoffs', async () => {
  const box = sandbox();
  for (const name of readdirSync(MIGRATIONS).filter((it) => Number(it.slice(0, 3)) <= OLD)) {
    box.write(`migrations/${name}`, readFileSync(join(MIGRATIONS, name)));
  }
  const schema = { version: OLD, migrations: join(box.root, 'migrations') };
  const old = await openStore(home(box), schema);
  old.write(() => fill(old.db));
  const states =
    'SELECT lane_id, state, attempt_id, validation_id, integration_id FROM lane_states';
  const before = old.db.prepare(states).all();
  expect(before).toMatchObject([{ state: 'asks' }, { state: 'conflict' }, { state: 'waiting' }]);
  old.close();

  const store = await openStore(home(box));
  expect(schemaVersion(store.db)).toBeGreaterThan(OLD);
  expect(store.db.prepare(states).all()).toEqual(before);
  expect(
    runStore(store)
      .all(1)
      .map(({ id }) => id),
  ).toEqual(['later', 'earlier']);
  const queued = integrationStore(store).ofRun('later');
  expect(queued.map(({ id }) => id)).toEqual(['first', 'second']);
  const numbers = store.db.prepare('SELECT id, attempt_n FROM reports ORDER BY seq').raw();
  expect(numbers.all()).toEqual([
    ['q', 1],
    ['note', 1],
  ]);
  expect(laneReportStore(store).openQuestions('later')).toMatchObject([{ id: 'q' }]);
  expect(laneStore(store).depsOf('waits')).toMatchObject([{ needsLaneId: 'asks' }]);
  const lines = [{ about: 'run', text: 'it is active', claims: [] }];
  expect(handoffStore(store).last('later')).toMatchObject({ id: 'h', cursor: 7, lines });
  const sessions = sessionStore(store).lastAtWork(1, 5);
  expect(sessions.map(({ session }) => session)).toEqual(['newer', 'older']);
  expect(store.db.pragma('foreign_key_check')).toEqual([]);
  store.close();
});
