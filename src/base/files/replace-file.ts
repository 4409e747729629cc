import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { ExplainedError } from '../errors.ts';

/** Only the owner can read the file. */
export const PRIVATE = 0o600;

interface Replacement {
  /** Permissions of the file; `undefined`: those that the system gives to new files. */
  readonly mode?: number | undefined;
  /** The file that is written first and then renamed; in the same folder. */
  readonly draft?: string;
}

/**
 * Replaces or creates a file in one step: a reader sees the old content or the new one, even after a power loss.
 *
 * @throws what the file system throws; the old content is then untouched.
 */
export function replaceFile(
  file: string,
  content: string | Uint8Array | Iterable<string>,
  { mode, draft = `${file}.${process.pid}.tmp` }: Replacement,
): void {
  try {
    const descriptor = openSync(draft, 'w', mode === undefined ? 0o666 : PRIVATE);
    try {
      const isWhole = typeof content === 'string' || content instanceof Uint8Array;
      for (const part of isWhole ? [content] : content) writeFileSync(descriptor, part);
      if (mode !== undefined) fchmodSync(descriptor, mode);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** The permissions of a file; `undefined` if there is none. */
export function modeOf(file: string): number | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && stats.mode & 0o7777;
}

/**
 * Replaces a file that the user may edit.
 *
 * @param mode its permissions; by default the file keeps its own.
 * @throws {ExplainedError} with the hint.
 */
export function replaceUserFile(
  file: string,
  text: string,
  { hint, mode }: { readonly hint: string; readonly mode?: number },
): void {
  try {
    replaceFile(file, text, { mode: mode ?? modeOf(file) });
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new ExplainedError(`cannot write ${file}: ${detail}`, { hint, cause });
  }
}
