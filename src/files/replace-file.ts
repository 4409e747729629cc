import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { ExplainedError } from '../errors.ts';

/** Writes a file that only its owner may read, all or nothing. @throws {ExplainedError} */
export function replaceFile(file: string, text: string): void {
  const next = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(next, text, { mode: 0o600, flush: true });
    renameSync(next, file);
  } catch (cause) {
    rmSync(next, { force: true });
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new ExplainedError(`cannot write ${file}: ${detail}`, {
      hint: 'make the folder writable',
      cause,
    });
  }
}
