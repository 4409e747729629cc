/** The projects that a page shows. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { isNoProject, projectPlace } from '../base/git/project.ts';
import { sha256 } from '../base/text/sha256.ts';
import { folderOf } from '../gate/moved.ts';
import { type ListedProject, projectStore } from '../store/projects.ts';
import type { AppContext } from './context.ts';

export interface ServedProject {
  /** Stands for it in addresses. */
  readonly key: string;
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
}

/**
 * The project here, and every other one that is there and of which something is stored.
 *
 * @throws {UsageError} if there is none.
 */
export async function servedProjects(
  { cwd, env, store }: AppContext,
  all: boolean,
): Promise<readonly ServedProject[]> {
  const place = projectPlace(cwd);
  const { identity, root } = place;
  const here = isNoProject(place, env.HOME) ? [] : [servedProject(identity, root)];
  if (!all && here.length > 0) return here;
  const hint = 'go to the folder of a project';
  if (!all) throw new UsageError('there is no project here', { hint: `${hint}, or give --all` });
  const opened = await store();
  const others = projectStore(opened)
    .all()
    .filter((it) => it.identity !== identity && isKept(it) && existsSync(it.identity))
    .map((it) => servedProject(it.identity, folderOf(it.identity)));
  const served = [...here, ...others];
  if (served.length > 0) return served;
  throw new UsageError('nothing is stored of any project', { hint });
}

const servedProject = (identity: string, folder: string): ServedProject => {
  return { key: sha256(identity).slice(0, 12), name: basename(folder), folder };
};

/** Something is stored of it. */
export const isKept = ({ features, rules, notes, evidence, runs }: ListedProject): boolean =>
  features + rules + notes + evidence + runs > 0;
