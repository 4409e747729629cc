import { ExplainedError } from '../base/errors.ts';

/** A newer lanehold has written the database; older code could misread it. */
export class StoreTooNewError extends ExplainedError {
  override readonly code = 'STORE_TOO_NEW';

  constructor(file: string, found: number, known: number) {
    super(`${file} has schema ${found}, this lanehold knows up to ${known}`, {
      hint: 'upgrade lanehold: `npm install -g lanehold@latest`',
    });
  }
}

/** The database is unchanged: all migrations run in one transaction. */
export class StoreMigrationError extends ExplainedError {
  override readonly code = 'STORE_MIGRATION';

  constructor(file: string, migration: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${file} cannot be upgraded, ${migration} fails: ${why}`, {
      hint: 'it is as it was: go back to the lanehold that wrote it, and report this',
      cause,
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

export class StoreLockedError extends ExplainedError {
  override readonly code = 'STORE_LOCKED';

  constructor(file: string, cause: unknown) {
    super(`another process has kept the database ${file} locked for too long`, {
      hint: 'end that process, or try once more',
      cause,
    });
  }
}

/** No home, read-only, full disk: the store cannot be written where it should be. */
export class StoreUnavailableError extends ExplainedError {
  override readonly code = 'STORE_UNAVAILABLE';
}

/** Explains errors of SQLite and the file system, with a hint; others are returned unchanged. */
export function explainStoreError(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ExplainedError) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'SQLITE_CORRUPT' || code.startsWith('SQLITE_CORRUPT_') || code === 'SQLITE_NOTADB') {
    return new StoreCorruptError(file, error);
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new StoreLockedError(file, error);
  }
  const trouble = TROUBLES.find(([prefix]) => code.startsWith(prefix));
  if (trouble === undefined) return error;
  return new StoreUnavailableError(`cannot use the database ${file}: ${trouble[1]}`, {
    hint: trouble[1].includes('full') ? HINT_FULL : HINT_UNUSABLE,
    cause: error,
  });
}

/** True if the disk or the user's quota is full, as reported by SQLite, Node or git. */
export function isDiskFullError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (DISK_FULL.has(code) || DISK_FULL_WORDS.test(error.message)) return true;
  return isDiskFullError(error.cause);
}

const DISK_FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL']);
const DISK_FULL_WORDS = /No space left on device|Disk quota exceeded/;

const HINT_FULL = 'free some space, or set LANEHOLD_HOME to a folder on another disk';
const HINT_UNUSABLE = 'make its folder writable, or set LANEHOLD_HOME to one that is';

const TROUBLES: readonly (readonly [prefix: string, fact: string])[] = [
  ['SQLITE_FULL', 'the disk is full'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk is full, as far as you may use it'],
  ['SQLITE_READONLY', 'it is read-only'],
  ['EROFS', 'the file system is read-only'],
  ['SQLITE_CANTOPEN', 'it cannot be opened'],
  ['SQLITE_IOERR', 'the disk is full, or does not answer as it should'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['ENOTDIR', 'its folder is a file'],
  ['EEXIST', 'its folder is a file'],
  ['ENOENT', 'its folder cannot be made'],
  ['ELOOP', 'its folder is a link that leads nowhere'],
  ['ENAMETOOLONG', 'its name is too long'],
];
