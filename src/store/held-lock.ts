/**
 * A lock that the kernel releases, however its holder ends: an exclusive transaction on an empty
 * SQLite file. It is kept while the holder is stopped, and is not inherited by what the holder
 * starts. Files are locked, not names: whoever replaces or deletes a lock file lets others in, which
 * the holder can see by `isInPlace`.
 *
 * No process may open and close a lock file by other means: for POSIX, closing any descriptor of a
 * file gives up all locks that the process has on it.
 */
import { closeSync, openSync, statSync, unlinkSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';
import { ExplainedError } from '../errors.ts';

export interface HeldLock {
  readonly file: string;
  /** False once the file was deleted or replaced: somebody else may hold the new one. */
  isInPlace(): boolean;
  /** May be called more than once. */
  release(): void;
  /** Deletes the file, if it is still this one, and releases: for locks that nobody takes again. */
  discard(): void;
}

/**
 * Who looks at a lock shares it for a moment, and takes nobody's chance; but whoever wants it has to
 * come back, and for so long as a busy machine may leave the other one in the middle of its look.
 */
const MOMENT_MS = 10;
const MOMENTS = 100;

/** Who takes a file that is deleted at every turn should hear of it. */
const MAX_REPLACEMENTS = 100;

/** A handle that is garbage-collected gives up its lock. */
const handles = new Set<Database>();

/**
 * Takes a lock, or returns undefined if somebody holds it. Makes the file, readable by its owner
 * only, but not its folder.
 *
 * @throws {ExplainedError} if the file cannot be a lock.
 */
export function takeLock(file: string): HeldLock | undefined {
  for (let turn = 0; turn < MOMENTS; turn += 1) {
    const lock = takeLockWithin(file, MOMENT_MS);
    if (lock !== undefined || probeLock(file) === 'held') return lock;
  }
  return undefined;
}

/** As `takeLock`, but blocks the whole process for some `waitMs` until it is free. */
export function takeLockWithin(file: string, waitMs: number): HeldLock | undefined {
  for (let turn = 0; turn < MAX_REPLACEMENTS; turn += 1) {
    makeLockFile(file);
    const found = whichFile(file);
    const db = open(file, { timeout: waitMs }, found);
    if (db === 'gone') continue;
    if (!begin(db, file)) return undefined;
    // Between the first look and the lock the file may have been deleted, and be nobody's.
    if (found !== undefined && whichFile(file) === found) return heldLock(file, found, db);
    db.close();
  }
  throw new ExplainedError(`the lock ${file} is deleted again and again`, {
    hint: 'end whatever cleans up its folder',
  });
}

export type LockState = 'held' | 'free' | 'missing' | 'unknown';

/** Never blocks, makes no file, and lets nobody believe for longer than a moment that it is held. */
export function probeLock(file: string): LockState {
  let db: Database | 'gone';
  try {
    db = open(file, { timeout: 0, readonly: true }, whichFile(file));
  } catch {
    // Whatever the reason is: nobody may conclude that it is free.
    return 'unknown';
  }
  if (db === 'gone') return 'missing';
  try {
    db.prepare('SELECT 1 FROM sqlite_schema').get();
    return 'free';
  } catch (error) {
    return isBusy(error) ? 'held' : 'unknown';
  } finally {
    db.close();
  }
}

function heldLock(file: string, found: string, db: Database): HeldLock {
  handles.add(db);
  const isInPlace = (): boolean => db.open && whichFile(file) === found;
  const release = (): void => {
    handles.delete(db);
    db.close();
  };
  return {
    file,
    isInPlace,
    release,
    discard() {
      // While it is held: nobody else takes a file that is about to go.
      if (isInPlace()) unlinkSync(file);
      release();
    },
  };
}

function makeLockFile(file: string): void {
  try {
    // Never an open of one that exists: this process may hold it, and would give it up.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw unusable(file, error);
  }
}

/** Inodes are used again; the time of birth tells the files apart. */
function whichFile(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino} ${stats.birthtimeNs}`;
}

function open(file: string, options: Sqlite.Options, found: string | undefined): Database | 'gone' {
  if (found === undefined) return 'gone';
  try {
    return new Sqlite(file, { ...options, fileMustExist: true });
  } catch (error) {
    if (whichFile(file) !== found) return 'gone';
    throw unusable(file, error);
  }
}

/** False if somebody else holds it; the handle is closed then. */
function begin(db: Database, file: string): boolean {
  try {
    // Nothing is ever written, and no journal is to lie beside the file.
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    db.close();
    if (isBusy(error)) return false;
    throw unusable(file, error);
  }
}

function isBusy(error: unknown): boolean {
  return hasCode(error, 'SQLITE_BUSY');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function unusable(file: string, cause: unknown): ExplainedError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ExplainedError(`${file} cannot be locked: ${why}`, {
    hint: 'make its folder writable; if the file itself is damaged, delete it once nothing runs',
    cause,
  });
}
