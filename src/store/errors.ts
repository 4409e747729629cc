import { codeOf, ExplainedError } from '../base/errors.ts';
import { explainHomeError } from '../base/files/home.ts';

/** A newer lanehold has written the database, and older code could misread it. */
export class StoreTooNewError extends ExplainedError {
  override readonly code = 'STORE_TOO_NEW';

  constructor(file: string, found: number, known: number) {
    super(`${file} has schema ${found}, this lanehold knows up to ${known}`, {
      hint: 'upgrade lanehold: `npm install -g lanehold@latest`',
    });
  }
}

export class StoreCorruptError extends ExplainedError {
  override readonly code = 'STORE_CORRUPT';

  constructor(file: string, cause: unknown) {
    super(`the database ${file} is damaged`, {
      hint: '`lanehold doctor --repair` sets it aside and starts a new one',
      cause,
    });
  }
}

/** The error of a damaged full-text index, which is made again from what is stored. */
export const indexDamage = (file: string, cause: unknown) =>
  new ExplainedError(`the search index in ${file} is damaged`, {
    hint: 'make it again, in a repository: `lanehold index --rebuild`',
    cause,
  });

export class StoreLockedError extends ExplainedError {
  override readonly code = 'STORE_LOCKED';

  constructor(file: string, cause: unknown) {
    super(`another process has kept the database ${file} locked for too long`, {
      hint: 'end that process, or try once more',
      cause,
    });
  }
}

/** Explains errors of SQLite and the file system, with a hint; others are returned unchanged. */
export function explainStoreError(file: string, error: unknown): unknown {
  if (error instanceof ExplainedError) return error;
  const code = codeOf(error);
  if (code === 'SQLITE_CORRUPT_VTAB') return indexDamage(file, error);
  if (code === 'SQLITE_CORRUPT' || code.startsWith('SQLITE_CORRUPT_') || code === 'SQLITE_NOTADB') {
    return new StoreCorruptError(file, error);
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new StoreLockedError(file, error);
  }
  return explainHomeError(file, error, SQLITE_TROUBLES.find(([it]) => code.startsWith(it))?.[1]);
}

/** True if the disk or the user's quota is full, as reported by SQLite, Node or git. */
export function isDiskFullError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (DISK_FULL.has(codeOf(error)) || DISK_FULL_WORDS.test(error.message)) return true;
  return isDiskFullError(error.cause);
}

const DISK_FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL']);
const DISK_FULL_WORDS = /No space left on device|Disk quota exceeded/;

const SQLITE_TROUBLES = [
  ['SQLITE_FULL', 'the disk is full'],
  ['SQLITE_READONLY', 'it is read-only'],
  ['SQLITE_CANTOPEN', 'it cannot be opened'],
  ['SQLITE_IOERR', 'the disk is full, or does not answer as it should'],
] as const;
