/** What a process keeps in memory so that it need not work it out again, up to a limit. */
export interface BoundedCache<Value> {
  find(key: string): Value | undefined;
  keep(key: string, value: Value): void;
}

/** What an entry takes besides its key and value. */
const ENTRY_BYTES = 100;

/** What was used least recently goes first. What alone takes more than the limit is not kept. */
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
