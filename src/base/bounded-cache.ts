/** Results that a process keeps in memory, up to a limit, so that it need not compute them again. */
export interface BoundedCache<Value> {
  find(key: string): Value | undefined;
  keep(key: string, value: Value): void;
}

/** The bytes of an entry besides its key and value. */
const ENTRY_BYTES = 100;

/** A cache that drops the least recently used entries first. An entry that alone exceeds the limit is not kept. */
export function boundedCache<Value>(
  mostBytes: number,
  bytesOf: (value: Value) => number,
): BoundedCache<Value> {
  const known = new Map<string, Value>();
  let bytes = 0;
  const sizeOf = (key: string, value: Value): number => ENTRY_BYTES + key.length + bytesOf(value);
  const drop = (key: string): void => {
    const value = known.get(key);
    if (value === undefined || !known.delete(key)) return;
    bytes -= sizeOf(key, value);
  };
  return {
    find(key) {
      const value = known.get(key);
      if (value === undefined) return undefined;
      known.delete(key);
      known.set(key, value);
      return value;
    },
    keep(key, value) {
      drop(key);
      const size = sizeOf(key, value);
      if (size > mostBytes) return;
      known.set(key, value);
      bytes += size;
      for (const oldest of known.keys()) {
        if (bytes <= mostBytes) break;
        drop(oldest);
      }
    },
  };
}
