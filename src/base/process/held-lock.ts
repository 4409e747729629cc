/**
 * A lock that the kernel releases however its holder ends: an exclusive transaction on an empty SQLite
 * file. It is kept while the holder is stopped, and child processes do not inherit it. The lock is on
 * the file, not on its name: if the file is deleted or replaced, others can take a new one.
 *
 * A holder must not open and close its lock file by other means: in POSIX, closing any descriptor of
 * a file releases all locks that the process has on it.
 */
import { closeSync, openSync, statSync, unlinkSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';
import { codeOf, ExplainedError } from '../errors.ts';

export interface HeldLock {
  /** May be called more than once. */
  release(): void;
  /** Deletes the file, if it is still this one, and releases: for locks that are not used again. */
  discard(): void;
}

/**
 * A probe takes a shared lock for a moment, which can make an attempt to take the lock fail. So it
 * is tried again, for as long as a busy machine may suspend a probing process.
 */
const MOMENT_MS = 10;
const MOMENTS = 100;

/** After so many deletions of the file while it is being locked, something must be wrong. */
const MAX_REPLACEMENTS = 100;

/** Keeps handles from being garbage-collected, which would release their locks. */
const handles = new Set<Database>();

/**
 * Takes a lock, or returns undefined if it is held. Creates the file, readable by its owner only, but
 * not its folder.
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

/** Takes a lock, and blocks the whole process for up to `waitMs` until it is free. */
export function takeLockWithin(file: string, waitMs: number): HeldLock | undefined {
  for (let turn = 0; turn < MAX_REPLACEMENTS; turn += 1) {
    makeLockFile(file);
    const found = whichFile(file);
    const db = open(file, { timeout: waitMs }, found);
    if (db === 'gone') continue;
    if (!begin(db, file)) return undefined;
    // The file may have been deleted before it was locked.
    if (found !== undefined && whichFile(file) === found) return heldLock(file, found, db);
    db.close();
  }
  throw new ExplainedError(`the lock ${file} is deleted again and again`, {
    hint: 'end the program that cleans up its folder',
  });
}

/** The state of a lock. Never blocks and creates no file. Others may see the lock as held for a moment. */
export function probeLock(file: string): 'held' | 'free' | 'missing' | 'unknown' {
  let db: Database | 'gone';
  try {
    db = open(file, { timeout: 0, readonly: true }, whichFile(file));
  } catch {
    // The reason is unknown, and the caller must not conclude that the lock is free.
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
  const release = (): void => {
    handles.delete(db);
    db.close();
  };
  return {
    release,
    discard() {
      // The file is deleted while the lock is held, so that no other process locks a file that is about to go.
      if (db.open && whichFile(file) === found) unlinkSync(file);
      release();
    },
  };
}

function makeLockFile(file: string): void {
  try {
    // An existing file must not be opened: if this process holds its lock, closing would release it.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unusable(file, error);
  }
}

/** The identity of a file, with its birth time, because inode numbers are used again. */
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

/** False if another process holds the lock; the handle is then closed. */
function begin(db: Database, file: string): boolean {
  try {
    // Nothing is written, so no journal file is needed.
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    db.close();
    if (isBusy(error)) return false;
    throw unusable(file, error);
  }
}

const isBusy = (error: unknown): boolean => codeOf(error) === 'SQLITE_BUSY';

function unusable(file: string, cause: unknown): ExplainedError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ExplainedError(`${file} cannot be locked: ${why}`, {
    hint: 'make its folder writable; if the file itself is damaged, delete it once nothing runs',
    cause,
  });
}
