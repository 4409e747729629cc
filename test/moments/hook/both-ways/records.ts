/** All that a story has left, as lines of text in which only what is by chance has another name. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** Between two steps of a story: no number of them is near a whole minute, which would be told in other words. */
export const STEP_MS = 61_370;

interface Left {
  readonly story: readonly (readonly [what: string, said: unknown])[];
  readonly laneholdHome: string;
  /** When the story began. */
  readonly start: number;
}

/** Of the way in which events are answered, or derived from the rows of other tables. */
const PASSED_OVER =
  /^(hook_events|spool_parts|attempt_moves|sqlite_.*|.*_(words|data|idx|docsize|content|config))$/;

/** How long something took, and where its output is kept. */
const BY_CHANCE = /^(duration_ms|output_file|pid|start|boot_id)$/;

export function recordsOf({ story, laneholdHome, start }: Left): string[] {
  const lines = [
    ...story.map(([what, said]) => `${what}: ${JSON.stringify(said)}`),
    ...rowsOf(join(laneholdHome, 'lanehold.db'), start),
    ...failuresIn(join(laneholdHome, 'logs/hook.log')),
  ];
  return named(lines);
}

/** Every row of every table, a line each. */
export function rowsOf(file: string, start = 0): string[] {
  if (!existsSync(file)) return [];
  const db = new Database(file, { readonly: true });
  try {
    const tables = db
      .prepare<[], { name: string; wr: number }>(
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'",
      )
      .all()
      .filter(({ name }) => !PASSED_OVER.test(name))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    return tables.flatMap(({ name, wr: isByKey }) => {
      const rows = db.prepare<[], Record<string, unknown>>(`SELECT * FROM ${name}`).all();
      const lines = rows.map((row) => ({
        step: typeof row.at === 'number' ? Math.floor((row.at - start) / STEP_MS) : 0,
        text: `${name}: ${JSON.stringify(asTold(name, row, start))}`,
      }));
      // A table without row ids is in the order of its key, which may have an id that is by chance.
      if (isByKey) lines.sort((one, other) => one.step - other.step || byText(one, other));
      return lines.map(({ text }) => text);
    });
  } finally {
    db.close();
  }
}

function byText(...lines: readonly { readonly text: string }[]): number {
  const [one = '', other = ''] = lines.map(({ text }) => text.replaceAll(MADE, 'id'));
  return one < other ? -1 : Number(one > other);
}

/** The number that a query finds; 0 if nothing. */
export function countIn(file: string, sql: string): number {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare<[], number>(sql).pluck().get() ?? 0;
  } finally {
    db.close();
  }
}

function asTold(table: string, row: Record<string, unknown>, start: number): object {
  const columns = Object.entries(row).map(([name, value]) => {
    if (BY_CHANCE.test(name) && value !== null) return [name, '*'];
    // SQLite itself has read the clock, or a validation in the background.
    if (isTime(value) && (table === 'traces_begin' || isOfValidation(table, row)))
      return [name, '*'];
    // What stat says of files, and when they were looked at.
    if (name === 'digest' && /^doubted:/.test(String(row.uid)))
      return [name, String(value).replace(/^\d+|"\d+ \d+ [\d.]+"/g, '*')];
    if (Buffer.isBuffer(value)) return [name, value.toString('base64')];
    return [name, isTime(value) ? stepOf(value, start) : value];
  });
  return Object.fromEntries(columns);
}

const isOfValidation = (table: string, { type }: Record<string, unknown>): boolean =>
  table === 'validations' || (table === 'lane_events' && type === 'validation');

const isTime = (value: unknown): value is number =>
  typeof value === 'number' && value > 1_500_000_000_000 && value < 3_000_000_000_000;

const stepOf = (time: number, start: number): string =>
  `step ${Math.floor((time - start) / STEP_MS)}`;

/** What went wrong, without the time and the lines of code. */
function failuresIn(log: string): string[] {
  if (!existsSync(log)) return [];
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const { agent, event, error } = JSON.parse(line);
    return `failure: ${agent} ${event} ${String(error).split('\n', 1)[0]}`;
  });
}

/** Ids that are made by chance, by the order in which they come. */
const MADE =
  /[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|\bl[hg]-[0-9a-f]{6}\b/g;

function named(lines: readonly string[]): string[] {
  const known = new Map<string, string>();
  const nameOf = (id: string): string => {
    const name = known.get(id) ?? `id ${known.size + 1}`;
    known.set(id, name);
    return name;
  };
  return lines.map((line) =>
    line
      .replaceAll(MADE, nameOf)
      .replaceAll(MEASURED, (_, ...known) => known.slice(0, 3).find((it) => it) ?? ''),
  );
}

/** How long it took within other words, and how many tokens there are in a text that has such an id. */
const MEASURED =
  /(\\"durationMs\\":)\d+|("uid":"id \d+",.*"tokens":)\d+|("digest":"[^"]*","at":"step \d+","tokens":)\d+/g;

/** Lines that are in one of the two only, each from a little before the place where they part; none if all are equal. */
export function differences(cold: readonly string[], warm: readonly string[]): string[] {
  const lost = [...cold];
  const more = warm.filter((line) => {
    const at = lost.indexOf(line);
    if (at !== -1) lost.splice(at, 1);
    return at === -1;
  });
  if (lost.length === 0 && more.length === 0) {
    const at = cold.findIndex((line, place) => line !== warm[place]);
    return at === -1
      ? []
      : [`the same lines in another order, from\n  cold: ${cold[at]}\n  warm: ${warm[at]}`];
  }
  const count = Math.min(MOST_TOLD, Math.max(lost.length, more.length));
  return Array.from({ length: count }, (_, at) => {
    const [one, other] = [lost[at] ?? '', more[at] ?? ''];
    const parts = [...one].findIndex((letter, place) => letter !== other[place]);
    const from = Math.max(0, parts - 60);
    const head = one.slice(0, 60);
    return `${head} …\n  cold: ${one.slice(from, from + 400)}\n  warm: ${other.slice(from, from + 400)}`;
  });
}

const MOST_TOLD = 8;
