/** Objects as rows of a table: names in camel and snake case, values converted by kind. */

export type Row = Readonly<Record<string, unknown>>;

interface Codec {
  readonly read: (value: never) => unknown;
  readonly write: (value: never) => unknown;
}

const CODECS = {
  plain: { read: (value) => value, write: (value) => value },
  json: { read: (text: string) => JSON.parse(text), write: (value) => JSON.stringify(value) },
  date: { read: (ms: number) => new Date(ms), write: (date: Date) => date.getTime() },
  flag: { read: (bit: number) => bit === 1, write: (flag: boolean) => (flag ? 1 : 0) },
} satisfies Record<string, Codec>;

/** How a field is stored: as it is, as JSON, as milliseconds, or as 0 and 1. `null` stays `null`. */
export type Fields<T> = { readonly [Field in keyof T]-?: keyof typeof CODECS };

/** Fields that are stored as they are. */
export function plain<Field extends string>(...names: readonly Field[]) {
  return Object.fromEntries(names.map((name) => [name, 'plain'])) as Record<Field, 'plain'>;
}

export function rowFormat<T extends object>(fields: Fields<T>) {
  const columns = Object.entries<keyof typeof CODECS>(fields).map(([field, kind]) => {
    const codec: Codec = CODECS[kind];
    return { field, column: field.replaceAll(/[A-Z]/g, (it) => `_${it.toLowerCase()}`), codec };
  });
  const names = columns.map(({ column }) => column);
  const written = ({ field, column, codec }: (typeof columns)[number], it: Partial<T>) => {
    const value = it[field as keyof T];
    return [column, value === null ? null : codec.write(value as never)] as const;
  };
  const fromRow = (row: Row): T =>
    Object.fromEntries(
      columns.map(({ field, column, codec }) => {
        const value = row[column];
        return [field, value === null ? null : codec.read(value as never)];
      }),
    ) as T;
  return {
    /** For `INSERT INTO table (names) VALUES (values)`. */
    names: names.join(', '),
    values: names.map((name) => `:${name}`).join(', '),
    toRow: (it: T): Row => Object.fromEntries(columns.map((column) => written(column, it))),
    /** The columns of those fields that are given. */
    toPartialRow: (it: Partial<T>): Row =>
      Object.fromEntries(
        columns.flatMap((column) => (Object.hasOwn(it, column.field) ? [written(column, it)] : [])),
      ),
    fromRow,
    /** For a statement that finds one row or none. */
    found: (row: Row | undefined): T | undefined => row && fromRow(row),
  };
}
