/** Reads databases of other programs, without waiting for them. */
import { statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';

/** Names of a table and its columns come from the code, never from outside. */
export interface RowsWanted {
  readonly table: string;
  readonly columns: readonly string[];
  /** Column and value; by default all rows. */
  readonly where?: readonly [string, string];
  /** Only rows that were added after this one. */
  readonly after?: number;
}

export interface OtherRow {
  /** Grows with each row that is added. */
  readonly row: number;
  readonly [column: string]: unknown;
}

const WAIT_MS = 200;

/**
 * Rows in the order in which they were added. If there are many, the last ones whose texts fit into `mostUnits`.
 *
 * @throws if the file is no database, or has no such table.
 */
export function rowsOf(file: string, wanted: RowsWanted, mostUnits: number): OtherRow[] {
  const rows: OtherRow[] = [];
  let units = 0;
  for (const row of allRowsOf(file, wanted, Number.MAX_SAFE_INTEGER, 'DESC')) {
    units += Object.values(row).reduce<number>((sum, it) => sum + String(it).length, 0);
    if (units > mostUnits) break;
    rows.push(row);
  }
  return rows.reverse();
}

/**
 * All rows in that order, one at a time, without those with a column larger than `mostUnits`.
 *
 * @throws if the file is no database, or has no such table.
 */
export function* allRowsOf(
  file: string,
  { table, columns, where, after = 0 }: RowsWanted,
  mostUnits: number,
  order: 'ASC' | 'DESC' = 'ASC',
): Generator<OtherRow> {
  // Opening a pipe in its place would wait.
  if (!statSync(file).isFile()) return;
  const db = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: WAIT_MS });
  try {
    const names = columns.map((it) => `"${it}"`);
    const isWanted = where === undefined ? '' : `AND "${where[0]}" = ?`;
    const isSmall = names.map((it) => `AND coalesce(length(${it}), 0) <= ${mostUnits}`);
    const rows = db.prepare<unknown[], OtherRow>(
      `SELECT rowid AS row, ${names.join(', ')} FROM "${table}"
        WHERE rowid > ? ${isWanted} ${isSmall.join(' ')} ORDER BY rowid ${order}`,
    );
    yield* rows.iterate(after, ...(where?.slice(1) ?? []));
  } finally {
    db.close();
  }
}
