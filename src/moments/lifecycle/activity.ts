/**
 * Small files that tell later hooks whether there is something to do, so that most of them open no
 * database and start no git. A session has a file from its first edit or command until the next
 * time git is asked; the time of one file for all sessions is when a feature last became pending.
 */
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { PROMPTED } from '../../recall/spool.ts';
import type { Session } from '../watch/trace.ts';

const PENDING = 'pending';
const MOST_PROGRAMS = 5;
const TOLD = '.told';
const TAKEN = '.taken';
/** Counts failed commands, from the first one on. The script that answers without Node looks for it. */
export const LOOPS = '.loops';
/** A folder with a file for each edited one, as long as its number of edits. */
export const EDITS = '.edits';
/** A folder: `told-edits.ts`. */
export const ALL_TOLD = '.all-told';
/** Names the folder in which prompts are recorded, of the time of the settings that say so. */
const RECORDED = '.recorded';
/** Sessions that ended without saying so leave their files behind. */
const STALE_MS = 30 * 86_400_000;

/** @param programs that a command is about to run; empty for an edit by a tool. */
export function noteActivity(env: Environment, who: Session, programs: readonly string[]): void {
  const names = programs
    .map((it) => basename(it))
    .filter((it) => PROGRAM.test(it))
    .slice(0, MOST_PROGRAMS);
  write(env, (folder) =>
    appendFileSync(join(folder, nameOf(who)), `${names.join(' ')}\n`, { mode: 0o600 }),
  );
}

/** Only names of programs are kept: other words of a command may be secrets. */
const PROGRAM = /^(?!cd$)[\w.+-]{1,40}$/;

export interface Activity {
  /** Names of the programs that the session has run, each once. */
  readonly programs: readonly string[];
  /** Absolute paths of the files that were edited without Node, in the order of the edits. */
  readonly edited: readonly string[];
  /** Call it once the changes have been looked for: until then a later hook finds them again. */
  readonly forget: () => void;
}

/** The activity of a session since git was last asked; `undefined` if it cannot have changed a file. */
export function activityOf(env: Environment, who: Session): Activity | undefined {
  const file = join(folderOf(env), nameOf(who));
  const taken = `${file}${TAKEN}`;
  const text = attempt(() => {
    // Left by a hook that was killed.
    const left = attempt(() => readFileSync(taken, 'utf8'));
    if (left !== undefined) appendFileSync(file, left, { mode: 0o600 });
    // Other hooks write a new file from now on, which is not forgotten with this one.
    renameSync(file, taken);
    return readFileSync(taken, 'utf8');
  });
  if (text === undefined) return undefined;
  const lines = text.split('\n');
  const edited = lines.filter((it) => it.startsWith('/'));
  const programs = lines.filter((it) => !it.startsWith('/')).flatMap((it) => it.split(/\s+/));
  return {
    edited,
    programs: [...new Set(programs.filter((it) => it !== ''))],
    forget: () => rmSync(taken, { force: true }),
  };
}

/** Records that a feature has become pending, in any project. */
export function announcePending(env: Environment): void {
  write(env, (folder) => writeFileSync(join(folder, PENDING), '\n', { mode: 0o600 }));
}

/** Whether a feature has become pending since the last call for the session. */
export function takePendingNews(env: Environment, who: Session): boolean {
  const news = changedAt(join(folderOf(env), PENDING));
  if (news === undefined) return false;
  const told = `${nameOf(who)}${TOLD}`;
  if (news < (changedAt(join(folderOf(env), told)) ?? 0n)) return false;
  write(env, (folder) => writeFileSync(join(folder, told), '\n', { mode: 0o600 }));
  return true;
}

/**
 * The script that answers without Node records prompts as well, as long as no settings have changed since.
 *
 * @param began before they were read, in milliseconds of the file system.
 */
export function noteRecorded(env: Environment, who: Session, cwd: string, began: number): void {
  write(env, (folder) => {
    const file = join(folder, `${nameOf(who)}${RECORDED}`);
    writeFileSync(file, `${cwd}\n`, { mode: 0o600 });
    utimesSync(file, new Date(began), new Date(began));
  });
}

/** Removes the files of a session that has ended, and stale ones. */
export function forgetActivity(env: Environment, who: Session, now: Date): void {
  const folder = folderOf(env);
  const ownNames = ['', TOLD, TAKEN, LOOPS, EDITS, ALL_TOLD, RECORDED, PROMPTED].map(
    (it) => `${nameOf(who)}${it}`,
  );
  for (const name of attempt(() => readdirSync(folder)) ?? []) {
    const at = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (ownNames.includes(name) || now.getTime() - at > STALE_MS)
      rmSync(join(folder, name), { force: true, recursive: true });
  }
}

/** A file or folder of the session, in a folder that is there. */
export function sessionFile(
  env: Environment,
  who: Session,
  ending: typeof LOOPS | typeof EDITS | typeof ALL_TOLD,
): string {
  attempt(() => makePrivateFolder(folderOf(env)));
  return join(folderOf(env), `${nameOf(who)}${ending}`);
}

/** True at most once in this time, however many hooks ask: the time of a stamp file tells. */
export function isDue(stamp: string, everyMs: number, now: Date): boolean {
  const since = now.getTime() - (statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  if (since >= 0 && since < everyMs) return false;
  makePrivateFolder(dirname(stamp));
  writeFileSync(stamp, '\n', { mode: 0o600 });
  return true;
}

function folderOf(env: Environment): string {
  return join(homeOf(env).root, 'sessions');
}

/** A session id can be any text. Two sessions that share a file only cost an unneeded git status. */
function nameOf({ agent, session }: Session): string {
  return `${agent}-${session.slice(0, 100).replaceAll(/[^\w-]/g, '_')}`;
}

function changedAt(file: string): bigint | undefined {
  return attempt(() => statSync(file, { bigint: true, throwIfNoEntry: false }))?.mtimeNs;
}

/** A folder that cannot be written must not fail the tool call. */
function write(env: Environment, to: (folder: string) => void): void {
  attempt(() => {
    const folder = folderOf(env);
    makePrivateFolder(folder);
    to(folder);
  });
}
