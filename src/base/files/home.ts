/** The folder of lanehold's own files: `LANEHOLD_HOME`, by default `~/.lanehold`. */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { ExplainedError, troubleOf } from '../errors.ts';
import { makePrivateFolder } from './private-folder.ts';

/** Thrown if lanehold's own files cannot be written: there is no home folder, it is read-only, or the disk is full. */
export class HomeUnavailableError extends ExplainedError {
  override readonly code = 'STORE_UNAVAILABLE';
}

export type Home = Readonly<ReturnType<typeof homeOf>>;

/** Returns the paths and creates nothing. @throws {HomeUnavailableError} if there is no home. */
export function homeOf(env: NodeJS.ProcessEnv) {
  const root = env.LANEHOLD_HOME ? givenRoot(env.LANEHOLD_HOME) : defaultRoot(env);
  // Every event asks several times, and `join` takes much longer.
  return {
    root,
    database: `${root}/lanehold.db`,
    locks: `${root}/locks`,
    logs: `${root}/logs`,
    runs: `${root}/runs`,
    backups: `${root}/backups`,
    manifest: `${root}/manifest.json`,
    /** The projects that have features in the database, by path and by id, one in each line. */
    localFeatures: `${root}/local-features`,
    /** The folder with a file for each session that is not recorded. */
    unrecorded: `${root}/unrecorded`,
    /** The records that hooks could not write to a locked database; they are read later. */
    late: `${root}/late`,
    /** The folder in which hooks find the processes that answer them. */
    resident: `${root}/resident`,
    /** The user's own settings. */
    config: `${root}/config.json`,
    /** How the board of a team is reached; absent on a machine that is in none. */
    team: `${root}/team`,
  };
}

/** Refuses a relative path, which would lead to another database from each working directory. */
function givenRoot(home: string): string {
  if (isAbsolute(home)) return resolve(home);
  throw new HomeUnavailableError(`LANEHOLD_HOME is no absolute path: ${home}`, {
    hint: 'write it out in full, from `/`; `~` is only known to the shell',
  });
}

function defaultRoot(env: NodeJS.ProcessEnv): string {
  const home = env.HOME || homedir();
  if (!isAbsolute(home)) {
    throw new HomeUnavailableError('there is no home folder to keep the database in', {
      hint: 'set HOME or LANEHOLD_HOME to a folder that can be written',
    });
  }
  return join(home, '.lanehold');
}

/** Makes a folder that only its owner may read. @throws {HomeUnavailableError} */
export function privateFolder(path: string): string {
  try {
    makePrivateFolder(path);
    return path;
  } catch (error) {
    throw explainHomeError(path, error);
  }
}

/**
 * Explains an error of the file system, with a hint; others are returned unchanged.
 *
 * @param known the reason, if the caller knows more than the file system.
 */
export function explainHomeError(path: string, error: unknown, known?: string): unknown {
  const fact = known ?? troubleOf(error);
  if (error instanceof ExplainedError || fact === undefined) return error;
  return new HomeUnavailableError(`cannot use the database ${path}: ${fact}`, {
    hint: fact.includes('full')
      ? 'free some space, or set LANEHOLD_HOME to a folder on another disk'
      : 'make its folder writable, or set LANEHOLD_HOME to one that is',
    cause: error,
  });
}
