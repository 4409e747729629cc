/**
 * Statements of a table, and rows as objects: names in camel and snake case, values by kind. A statement is prepared at
 * its first run, because a caller needs few of them.
 */
import type { Database, Statement } from 'better-sqlite3';
import { wasRefused } from './connect.ts';
import type { Store } from './open.ts';

export type Row = Readonly<Record<string, unknown>>;

/** How a field is stored, and its type in the program. `null` stays `null`. */
interface Kind<T> {
  readonly read: (value: unknown) => T;
}

const plain = <T>(): Kind<T> => ({ read: (value) => value as T });

export const is = {
  /** Stored as it is. */
  plain,
  text: plain<string>(),
  number: plain<number>(),
  /** Milliseconds. */
  date: { read: (value) => new Date(value as number) } as Kind<Date>,
  /** 0 and 1. */
  flag: { read: (value) => value === 1 } as Kind<boolean>,
  json: <T>(): Kind<T> => ({ read: (value) => JSON.parse(value as string) }),
  orNull: <T>(kind: Kind<T>): Kind<T | null> => kind,
};

type Fields = Readonly<Record<string, Kind<unknown>>>;
type Read<F extends Fields> = { readonly [Name in keyof F]: ReturnType<F[Name]['read']> };

export type RowOf<F extends { readonly fromRow: (row: Row) => object }> = ReturnType<F['fromRow']>;

export function rowFormat<const F extends Fields>(fields: F) {
  type T = Read<F>;
  const columns = Object.entries(fields).map(([field, { read }]) => {
    const column = field.replaceAll(/[A-Z]/g, (it) => `_${it.toLowerCase()}`);
    return { field, column, read };
  });
  const names = columns.map(({ column }) => column).join(', ');
  const values = columns.map(({ field }) => `:${field}`).join(', ');
  return {
    fields,
    /** The parts of `INSERT INTO table (names) VALUES (values)`, for an object of the program. */
    names,
    values,
    insert: (table: string) => `INSERT INTO ${table} (${names}) VALUES (${values})`,
    /** Sets the columns of the given fields. */
    assignments: (given: Partial<T>): string =>
      columns
        .filter(({ field }) => Object.hasOwn(given, field))
        .map(({ field, column }) => `${column} = :${field}`)
        .join(', '),
    fromRow(row: Row): T {
      const found: Record<string, unknown> = {};
      for (const { field, column, read } of columns) {
        const value = row[column];
        found[field] = value === null ? null : read(value);
      }
      return found as T;
    },
  };
}

interface Format<T extends object> {
  readonly fromRow: (row: Row) => T;
}

/**
 * The statements of a table, made once for each connection: preparing those of a lane takes longer than running them.
 *
 * @param format the rows that `one` and `all` read.
 * @param make gets the kinds of statements, and `of` for another format.
 */
export function tableStore<T extends object, Statements>(
  format: Format<T> | null,
  make: (
    statements: TableStatements<T>,
    of: <Other extends object>(format: Format<Other>) => TableStatements<Other>,
  ) => Statements,
): (store: Store) => Statements {
  const known = new WeakMap<Database, Statements>();
  return ({ db }) => {
    const found = known.get(db) ?? make(table(db, format), (other) => table(db, other));
    known.set(db, found);
    return found;
  };
}

type TableStatements<T extends object> = ReturnType<typeof table<T>>;

function table<T extends object>(db: Database, format: Format<T> | null) {
  type Run<Result> = (statement: Statement, given: readonly unknown[]) => Result;
  function statement<Given extends unknown[], Result>(sql: string, run: Run<Result>) {
    let prepared: Statement | undefined;
    return (...given: Given): Result => {
      try {
        prepared ??= db.prepare(sql);
        return run(prepared, bound(sql, given));
      } catch (error) {
        wasRefused(db, error);
        throw error;
      }
    };
  }
  const object = (row: unknown): T => (format as Format<T>).fromRow(row as Row);
  return {
    one: <Given extends unknown[]>(sql: string) =>
      statement<Given, T | undefined>(sql, (it, given) => {
        const row = it.get(...given);
        return row === undefined ? undefined : object(row);
      }),
    all: <Given extends unknown[]>(sql: string) =>
      statement<Given, T[]>(sql, (it, given) => it.all(...given).map(object)),
    /** A write; true if it changed a row. */
    writing: <Given extends unknown[]>(sql: string) =>
      statement<Given, boolean>(sql, (it, given) => it.run(...given).changes > 0),
    rows: <Given extends unknown[], Found>(sql: string) =>
      statement<Given, Found[]>(sql, (it, given) => it.all(...given) as Found[]),
    /** The first row; `undefined` is a `Found` unless there always is one. */
    row: <Given extends unknown[], Found>(sql: string) =>
      statement<Given, Found>(sql, (it, given) => it.get(...given) as Found),
    /** The first column of every row. */
    column: <Given extends unknown[], Value>(sql: string) =>
      statement<Given, Value[]>(sql, (it, given) => it.pluck().all(...given) as Value[]),
    /** The first column of the first row. */
    value: <Given extends unknown[], Value>(sql: string) =>
      statement<Given, Value | undefined>(
        sql,
        (it, given) => it.pluck().get(...given) as Value | undefined,
      ),
    /** The number in the first column of the first row, 0 if there is none. */
    count: <Given extends unknown[]>(sql: string) =>
      statement<Given, number>(sql, (it, given) => Number(it.pluck().get(...given) ?? 0)),
  };
}

/**
 * The bound values: by position for `?`, by name with an object (what it lacks is null), by number for `?1`, usable in
 * any order.
 */
function bound(sql: string, given: readonly unknown[]): unknown[] {
  if (sql.includes('?1')) return [named(given.map((it, at) => [at + 1, it]))];
  return given.map((it) => {
    if (typeof it !== 'object' || it?.constructor !== Object) return stored(it);
    const names = sql.matchAll(/:(\w+)/g);
    return named(Array.from(names, ([, name = '']) => [name, (it as Row)[name]]));
  });
}

const named = (entries: readonly (readonly [string | number, unknown])[]) =>
  Object.fromEntries(entries.map(([name, it]) => [name, stored(it)]));

/** The stored form: times as milliseconds, flags as 0 and 1, lists and objects as JSON. */
function stored(it: unknown): unknown {
  if (it === undefined) return null;
  if (typeof it === 'boolean') return it ? 1 : 0;
  if (typeof it !== 'object' || it === null || Buffer.isBuffer(it)) return it;
  return it instanceof Date ? it.getTime() : JSON.stringify(it);
}
