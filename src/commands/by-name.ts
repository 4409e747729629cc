/** Tables in which a row names several programs, as words separated by blanks. */

export function rowsByName<Row extends { readonly names: string }>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  const map = new Map<string, Row[]>();
  for (const row of rows) {
    for (const name of row.names.split(' ')) {
      const named = map.get(name) ?? [];
      named.push(row);
      map.set(name, named);
    }
  }
  return map;
}

export function byName<T>(table: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  const rows = Object.entries(table);
  return new Map(rows.flatMap(([names, it]) => names.split(' ').map((name) => [name, it])));
}
