/**
 * Small files that show later hooks whether there is work, so that most of them start no git: a session has one from
 * its first edit or command until git is next asked.
 */
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { leaveFile, sessionFileName } from '../../base/files/left-file.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import type { Session } from '../watch/trace.ts';

const MOST_PROGRAMS = 5;
const TAKEN = '.taken';
/** Sessions that ended without an event leave their files behind. */
const STALE_MS = 30 * 86_400_000;

/** @param programs the programs of a command; empty for an edit by a tool. */
export function noteActivity(
  env: NodeJS.ProcessEnv,
  who: Session,
  programs: readonly string[],
): void {
  const names = programs
    .map((it) => basename(it))
    .filter((it) => PROGRAM.test(it))
    .slice(0, MOST_PROGRAMS);
  leaveFile(fileOf(env, who), `${names.join(' ')}\n`);
}

/** Only names of programs are kept: other words of a command may be secrets. */
const PROGRAM = /^(?!cd$)[\w.+-]{1,40}$/;

export interface Activity {
  /** Names of the programs that the session has run, each once. */
  readonly programs: readonly string[];
  /** Call it after the changes were looked for: until then a later hook finds them again. */
  readonly forget: () => void;
}

/** The activity of a session since git was last asked; `undefined` if it cannot have changed a file. */
export function activityOf(env: NodeJS.ProcessEnv, who: Session): Activity | undefined {
  const file = fileOf(env, who);
  const taken = `${file}${TAKEN}`;
  const text = attempt(() => {
    // A killed hook has left it.
    const left = attempt(() => readFileSync(taken, 'utf8'));
    if (left !== undefined) appendFileSync(file, left, { mode: 0o600 });
    // Other hooks now write a new file, which is not removed with this one.
    renameSync(file, taken);
    return readFileSync(taken, 'utf8');
  });
  if (text === undefined) return undefined;
  const programs = text.split(/\s+/).filter((it) => PROGRAM.test(it));
  return {
    programs: [...new Set(programs)],
    forget: () => rmSync(taken, { force: true }),
  };
}

/** Whether a session may have changed a file since the end of its last turn. */
export const hasActivity = (env: NodeJS.ProcessEnv, who: Session): boolean =>
  existsSync(fileOf(env, who)) || existsSync(`${fileOf(env, who)}${TAKEN}`);

/** Removes the files of a session that has ended, and stale ones. */
export function forgetActivity(env: NodeJS.ProcessEnv, who: Session, now: Date): void {
  const folder = folderOf(env);
  const own = nameOf(who);
  for (const name of attempt(() => readdirSync(folder)) ?? []) {
    const at = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (name === own || name.startsWith(`${own}.`) || now.getTime() - at > STALE_MS)
      rmSync(join(folder, name), { force: true, recursive: true });
  }
}

/**
 * @param ending `.loops` counts failed commands, from the first one on; `.edits` is a folder with a file for each edited
 *   one, whose length is its number of edits; `.hooks` has the times of the files that decide whether git starts
 *   lanehold's hook, for a repository; `.asked` is the stamp of the last question to a model.
 */
export const sessionFile = (
  env: NodeJS.ProcessEnv,
  who: Session,
  ending: '.loops' | '.edits' | '.hooks' | '.asked',
): string => `${fileOf(env, who)}${ending}`;

/** True at most once in this time, for any number of hooks: the time of a stamp file counts. */
export function isDue(stamp: string, everyMs: number, now: Date): boolean {
  const since = now.getTime() - (statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (since >= 0 && since < everyMs) return false;
  makePrivateFolder(dirname(stamp));
  writeFileSync(stamp, '\n', { mode: 0o600 });
  return true;
}

function folderOf(env: NodeJS.ProcessEnv): string {
  return join(homeOf(env).root, 'sessions');
}

/** Two sessions that share a file only cost an unneeded git status. */
const nameOf = ({ agent, session }: Session): string => `${agent}-${sessionFileName(session)}`;

const fileOf = (env: NodeJS.ProcessEnv, who: Session): string => join(folderOf(env), nameOf(who));
