/** The rows of lanes in the store, read by SQL of the tests, not by lanehold's own code. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { LaneProject } from './lane-project.ts';
import { until } from './until.ts';

/** Whose store is read. */
type Home = Pick<LaneProject, 'env'>;

export interface AttemptFacts {
  readonly id: string;
  readonly n: number;
  readonly agent: string | null;
  readonly kind: string;
  readonly epoch: number;
  readonly state: string;
  readonly end_reason: string | null;
  readonly end_cause: string | null;
  readonly end_detail: string | null;
  readonly flags: readonly string[];
  readonly exit_code: number | null;
  readonly session_id: string | null;
  readonly start_sha: string;
  readonly end_sha: string | null;
  readonly worktree: string;
  readonly dir: string;
  readonly guard_pid: number | null;
  readonly launched_at: number | null;
  readonly usage: { readonly tokens: number; readonly turns: number } | null;
}

export interface ValidationFacts {
  readonly id: string;
  readonly subject: 'lane' | 'base' | 'composition' | 'integration';
  readonly sha: string;
  readonly result: string;
  readonly exit_code: number | null;
  readonly log_path: string;
  readonly log_sha256: string;
  readonly new_failures: readonly string[] | null;
  readonly flags: readonly string[];
  readonly runs: readonly { readonly result: string }[];
}

export interface LaneFacts {
  readonly id: string;
  readonly key: string;
  readonly state: string;
  readonly intent: string;
  readonly blocked: string | null;
  readonly base_sha: string | null;
  readonly head_sha: string | null;
  readonly branch: string;
  readonly worktree: string | null;
  readonly attempts: readonly AttemptFacts[];
  /** The last one. */
  readonly attempt: AttemptFacts | undefined;
  readonly validations: readonly ValidationFacts[];
}

export interface EventFacts {
  readonly seq: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const LIVE: readonly string[] = ['starting', 'running', 'exited', 'validating', 'lost'];

export function isLive(attempt: AttemptFacts | undefined): boolean {
  return attempt !== undefined && LIVE.includes(attempt.state);
}

type Row = Readonly<Record<string, unknown>>;
type Ask = (sql: string, ...values: readonly unknown[]) => Row[];

/** All lanes of the project's store in the order in which they were added. */
export function laneFacts(project: Home): LaneFacts[] {
  const file = databaseOf(project);
  const known = read.get(file);
  const print = printOf(file);
  if (known?.print === print) return known.lanes;
  const lanes = readLanes(project);
  if (isOld(file)) read.set(file, { print, lanes });
  return lanes;
}

/** What was read last, by database. Tests ask forty times a second, and little of it has changed. */
const read = new Map<string, { readonly print: string; readonly lanes: LaneFacts[] }>();

const filesOf = (database: string) =>
  [database, `${database}-wal`].map((it) => statSync(it, { bigint: true, throwIfNoEntry: false }));

/** Differs after each commit, unless it came within the same reconcile of the file system's clock. */
function printOf(database: string): string {
  return filesOf(database)
    .map((it) => (it === undefined ? '' : `${it.ino} ${it.size} ${it.mtimeNs}`))
    .join();
}

const CLOCK_TICK_MS = 50;

/** Whether a later commit gets another time than the last one. */
function isOld(database: string): boolean {
  const times = filesOf(database).map((it) => Number(it?.mtimeMs ?? 0));
  return Date.now() - Math.max(...times) > CLOCK_TICK_MS;
}

function readLanes(project: Home): LaneFacts[] {
  return asking(project, (ask) =>
    ask(
      `SELECT l.*, s.state FROM lanes AS l JOIN lane_states AS s ON s.lane_id = l.id ORDER BY l.position`,
    ).map((lane) => {
      const attempts = ask('SELECT * FROM attempts WHERE lane_id = ? ORDER BY n', lane.id).map(
        (row) => unpacked(row, ['flags', 'usage']) as unknown as AttemptFacts,
      );
      const validations = ask(
        'SELECT * FROM validations WHERE lane_id = ? ORDER BY seq',
        lane.id,
      ).map(
        (row) => unpacked(row, ['flags', 'runs', 'new_failures']) as unknown as ValidationFacts,
      );
      return { ...lane, attempts, validations, attempt: attempts.at(-1) } as unknown as LaneFacts;
    }),
  );
}

export function laneEvents(project: Home, type?: string): EventFacts[] {
  return asking(project, (ask) => ask('SELECT * FROM lane_events ORDER BY seq'))
    .map((row) => unpacked(row, ['data']) as unknown as EventFacts)
    .filter((it) => type === undefined || it.type === type);
}

/** Rows of any question; nothing as long as there is no store. */
export function rows(project: Home, sql: string, ...values: readonly unknown[]): Row[] {
  return asking(project, (ask) => ask(sql, ...values));
}

/** Changes the store by hand. @throws the error of the store's triggers. */
export function tamper(project: Home, sql: string): number {
  const db = new Database(databaseOf(project));
  try {
    db.pragma('busy_timeout = 5000');
    return db.prepare(sql).run().changes;
  } finally {
    db.close();
  }
}

/** The state of a lane after a change by hand, which is undone at once. @throws as `tamper` does. */
export function whatIf(project: Home, sql: string, laneId: string): unknown {
  const db = new Database(databaseOf(project));
  try {
    db.pragma('busy_timeout = 5000');
    db.pragma('foreign_keys = ON');
    db.exec('BEGIN IMMEDIATE');
    db.exec(sql);
    return db.prepare('SELECT state FROM lane_states WHERE lane_id = ?').pluck().get(laneId);
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK');
    db.close();
  }
}

function asking<T extends readonly unknown[]>(project: Home, read: (ask: Ask) => T): T {
  const file = databaseOf(project);
  const inode = statSync(file, { throwIfNoEntry: false })?.ino;
  if (inode === undefined) return [] as unknown as T;
  if (kept?.file !== file || kept.inode !== inode) {
    release();
    kept = { file, inode, ...connect(file) };
  }
  const { db, ask } = kept;
  try {
    return db.transaction(() => read(ask))();
  } finally {
    if (pollers === 0) release();
  }
}

interface Connection {
  readonly db: Database.Database;
  readonly ask: Ask;
}

function connect(file: string): Connection {
  const db = new Database(file, { readonly: true });
  db.pragma('busy_timeout = 5000');
  const prepared = new Map<string, Database.Statement>();
  const ask: Ask = (sql, ...values) => {
    const statement = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, statement);
    return statement.all(...values) as Row[];
  };
  return { db, ask };
}

let kept: ({ readonly file: string; readonly inode: number } & Connection) | undefined;
let pollers = 0;

function release(): void {
  kept?.db.close();
  kept = undefined;
}

/** `until` with one connection for all questions: most of a question is reading the schema. */
export async function untilFact<T>(
  what: string | (() => string),
  condition: () => T | Promise<T>,
  deadlineMs?: number,
): Promise<NonNullable<T>> {
  pollers += 1;
  try {
    return await until(what, condition, deadlineMs);
  } finally {
    pollers -= 1;
    if (pollers === 0) release();
  }
}

const databaseOf = (project: Home): string => join(project.env.LANEHOLD_HOME ?? '', 'lanehold.db');

function unpacked(row: Row, columns: readonly string[]): Row {
  const values = columns.map((name) => [
    name,
    row[name] == null ? null : JSON.parse(String(row[name])),
  ]);
  return { ...row, ...Object.fromEntries(values) };
}
