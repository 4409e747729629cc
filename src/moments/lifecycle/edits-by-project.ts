/** The projects whose files a tool call edits. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { isNoProject, type ProjectPlace, placeFor, projectPlace } from '../../base/git/project.ts';

export interface Edits {
  readonly place: ProjectPlace;
  /** Relative to the root, `/`-separated. */
  readonly paths: readonly string[];
}

/** @param files absolute; need not exist. @param cwd where the session works. */
export function editsByProject(
  files: readonly string[],
  cwd: string,
  home: string | undefined,
): Edits[] {
  const session = attempt(() => projectPlace(cwd));
  const isProject = session !== undefined && !isNoProject(session, home);
  const byRoot = new Map<string, { place: ProjectPlace; paths: string[] }>();
  for (const file of files) {
    const folder = existingFolder(dirname(file));
    const place = isProject ? placeFor(folder, session) : projectPlace(folder);
    const path = relative(place.root, join(realpathSync(folder), relative(folder, file)));
    if (path === '..' || path.startsWith(`..${sep}`) || basename(path) === '') continue;
    const edits = byRoot.get(place.root) ?? { place, paths: [] };
    edits.paths.push(path.split(sep).join('/'));
    byRoot.set(place.root, edits);
  }
  return [...byRoot.values()];
}

/** A tool may have removed the folder with the file. */
function existingFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder
    ? folder
    : existingFolder(dirname(folder));
}
