/** Standard input and output, read and written at once. */
import { readSync, writeSync } from 'node:fs';
import { attempt, codeOf } from '../../base/errors.ts';

/** Larger than any payload of an agent. A longer one is cut, so it is invalid JSON and fails. */
const MAX_INPUT_BYTES = 256 * 1024 * 1024;

/** Reads standard input to its end. */
export function readAll(): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(chunks.length === 0 ? 65_536 : 1_048_576);
    const bytes = whenReady(() => readSync(0, chunk));
    if (bytes === 0 || total > MAX_INPUT_BYTES) break;
    total += bytes;
    chunks.push(chunk.subarray(0, bytes));
  }
  return Buffer.concat(chunks);
}

export function writeAll(fd: 1 | 2, text: string): void {
  let rest = Buffer.from(text, 'utf8');
  // If the reader is gone, the exit code still gives the answer.
  attempt(() => {
    while (rest.length > 0) rest = rest.subarray(whenReady(() => writeSync(fd, rest)));
  });
}

/** Waits for a pipe that does not block. @returns how many bytes, 0 at the end of an input. */
function whenReady(move: () => number): number {
  for (;;) {
    try {
      return move();
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
