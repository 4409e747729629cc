/** What came of reading something that anybody may have written. `reason` is a clause. */
export type Read<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'refused'; readonly reason: string };

export function read<T>(value: T): Read<T> {
  return { kind: 'read', value };
}

export function refused<T>(reason: string): Read<T> {
  return { kind: 'refused', reason };
}
