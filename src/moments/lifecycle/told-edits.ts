/**
 * Files of which a session has been told all that there is to say about their edits. The script that answers
 * without Node (`hooks/quick-answer.sh`) lets further edits of them pass. It adds them to what the session has
 * done (`activity.ts`), from where they are taken in.
 *
 * It holds as long as nothing that could say more has changed since the time of one file per session.
 */
import { lstatSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REGISTRY_FILE } from '../../base/config/feature.ts';
import type { Environment } from '../../base/environment.ts';
import { attempt } from '../../base/errors.ts';
import { type Home, homeOf } from '../../base/files/home.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { ALL_TOLD, sessionFile } from './activity.ts';

export interface ToldEdit {
  /** Absolute. */
  readonly path: string;
  /** Whom it was told; empty for the session itself. */
  readonly subAgent: string;
  /** Of the file's project. */
  readonly root: string;
}

const SINCE = 'since';
/** What says more is written before it is committed. */
const COMMIT_MS = 1_000;

/** @param began before anything was looked up, in milliseconds of the file system. */
export function noteAllTold(
  env: Environment,
  who: Parameters<typeof sessionFile>[1],
  edit: ToldEdit,
  began: number,
): void {
  const { path, subAgent, root } = edit;
  const name = editName(path);
  if (name === undefined || !isPlain(root) || !/^[\w-]*$/.test(subAgent) || !isPlace(path)) return;
  attempt(() => {
    const folder = sessionFile(env, who, ALL_TOLD);
    const since = join(folder, SINCE);
    const changed = Math.max(...telling(homeOf(env), root).map(changedAt));
    if (changed >= changedAt(since)) {
      rmSync(folder, { recursive: true, force: true });
      makePrivateFolder(folder);
      writeFileSync(since, '', { mode: 0o600 });
      utimesSync(since, new Date(began - COMMIT_MS), new Date(began - COMMIT_MS));
    }
    // Another hook has looked later, and may have found more.
    if (changedAt(since) > began - COMMIT_MS) return;
    writeFileSync(join(folder, name), `${path}\n${subAgent}\n${root}\n`, { mode: 0o600 });
  });
}

export function forgetAllTold(env: Environment, who: Parameters<typeof sessionFile>[1]): void {
  attempt(() => rmSync(join(sessionFile(env, who, ALL_TOLD), SINCE), { force: true }));
}

/** Of the files that a session keeps about one that it edits; `undefined` if the script cannot name it. */
export function editName(path: string): string | undefined {
  return isPlain(path) && Buffer.byteLength(path) <= 200 ? path.replaceAll('/', '_') : undefined;
}

/** What can say more, by the time at which it changed. The script has the same list. */
const telling = (home: Home, root: string): readonly string[] => [
  ...[home.recallProjects, home.recallFiles, home.localFeatures, home.config, home.settled],
  join(root, REGISTRY_FILE),
];

const changedAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** It stands in JSON as it is, in one line. */
const isPlain = (path: string): boolean =>
  JSON.stringify(path) === `"${path}"` && !path.includes('\u007f');

/** The path is that of the file itself, and of no link to another one. */
function isPlace(path: string): boolean {
  const folder = attempt(() => realpathSync(dirname(path)));
  const isLink = attempt(() => lstatSync(path, { throwIfNoEntry: false }))?.isSymbolicLink();
  return folder === dirname(path) && isLink !== true;
}
