/** Finds the folders in which agents keep their files. */
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { ExplainedError } from '../../base/errors.ts';
import { projectPlace } from '../../base/git/project.ts';
import type { Place } from '../install.ts';

/**
 * @param what the files that are kept there: `the hooks of Agent`.
 * @param variable names another folder for them.
 * @throws {ExplainedError} if there is none.
 */
export function homeFolder({ env }: Pick<Place, 'env'>, what: string, variable?: string): string {
  const home = env.HOME || homedir();
  if (isAbsolute(home)) return home;
  const variables = variable === undefined ? 'HOME' : `HOME or ${variable}`;
  throw new ExplainedError(`there is no home folder for ${what}`, {
    hint: `set ${variables}, or install with \`--project\``,
  });
}

/** The folder of an agent's user settings: the one that the variable `name` holds, else `folder` in the home. */
export type UserFolder = Readonly<Record<'name' | 'folder', string>>;

/** @param what is kept there, as for `homeFolder`. */
export function userFolder(
  { env, cwd }: Place,
  { name, folder }: UserFolder,
  what: string,
): string {
  const chosen = env[name];
  return chosen ? resolve(cwd, chosen) : join(homeFolder({ env }, what, name), folder);
}

/** The meaning of `{user}` and `~` at the start of the paths of an agent's files. */
export interface Folders {
  /** The files that are kept there: `the hooks of Agent`. */
  readonly kept: string;
  /** The folder for `{user}`. */
  readonly user?: UserFolder;
  /** The folder for `~`, if it is not the home folder. */
  readonly home?: (place: Place) => string;
}

/**
 * The path of a file: absolute, or below `~`, `{user}`, `{root}` of the working tree, `{cwd}`, or `{main}`, the root of
 * the main checkout, for agents that look there from every linked worktree.
 */
export function placed(path: string, place: Place, { kept, user, home }: Folders): string {
  const [first, ...rest] = path.split('/');
  const below = (folder: string) => join(folder, ...rest);
  switch (first) {
    case '~':
      return below(home?.(place) ?? homeFolder(place, kept, user?.name));
    case '{user}':
      return below(user === undefined ? '' : userFolder(place, user, kept));
    case '{root}':
      return below(projectPlace(place.cwd).root);
    case '{cwd}':
      return below(place.cwd);
    case '{main}':
      return below(mainCheckout(place));
    default:
      return path;
  }
}

export function mainCheckout({ cwd }: Pick<Place, 'cwd'>): string {
  const { identity, kind, root } = projectPlace(cwd);
  return kind === 'git' && basename(identity) === '.git' ? dirname(identity) : root;
}
