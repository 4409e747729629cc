/** Where agents keep their files. */
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { ExplainedError } from '../../base/errors.ts';
import { projectPlace } from '../../base/git/project.ts';
import type { Place, Scope } from '../install.ts';

/**
 * @param what is kept there: `the hooks of Agent`.
 * @param variable names another folder for it.
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

/** The folder of an agent's user settings: the variable `name` says where it is, else it is `folder` in the home. */
export interface UserFolder {
  readonly name: string;
  readonly folder: string;
}

/** @param what is kept there, as for `homeFolder`. */
export function userFolder(
  { env, cwd }: Place,
  { name, folder }: UserFolder,
  what: string,
): string {
  const chosen = env[name];
  return chosen ? resolve(cwd, chosen) : join(homeFolder({ env }, what, name), folder);
}

/** The root of the working tree. */
export const projectRoot = ({ cwd }: Pick<Place, 'cwd'>): string => projectPlace(cwd).root;

/** The root of the main checkout, for agents that look there from every linked worktree. */
export function mainCheckout({ cwd }: Pick<Place, 'cwd'>): string {
  const { identity, kind, root } = projectPlace(cwd);
  return kind === 'git' && basename(identity) === '.git' ? dirname(identity) : root;
}

/** The files of the user and of the project. */
export function inBothScopes(
  fileOf: (scope: Scope, place: Place) => string,
  place: Place,
): readonly string[] {
  return (['user', 'project'] as const).map((scope) => fileOf(scope, place));
}

/** @param what a person has to do after an installation for a project. */
export const afterProject =
  (what: string) =>
  (scope: Scope): readonly string[] =>
    scope === 'project' ? [what] : [];
