/** Reads stdin without `process.stdin`, for which Node loads much. */
import { readSync } from 'node:fs';
import { codeOf } from '../errors.ts';

/** Waits for it. @returns how many bytes, 0 at the end. */
export function readInput(into: Uint8Array): number {
  for (;;) {
    try {
      return readSync(0, into);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EOF') return 0;
      // A non-blocking pipe without data.
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
