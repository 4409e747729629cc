/** Where git looks for the hooks of a repository. */
import { join, resolve } from 'node:path';
import type { Environment } from '../environment.ts';
import { ExplainedError } from '../errors.ts';
import { type Git, gitIn } from '../git/git.ts';
import { type ProjectPlace, projectPlace } from '../git/project.ts';

export interface HookFolder {
  readonly place: ProjectPlace;
  /** Absolute; it need not exist. */
  readonly folder: string;
  /** `core.hooksPath`, where it is set. */
  readonly setting: { readonly value: string; readonly scope: string } | undefined;
  /** The folder inside of the repository, which git passes over if the setting leads elsewhere. */
  readonly ownFolder: string;
}

/**
 * @param directory any folder of the repository.
 * @throws {ExplainedError} outside of one.
 */
export async function hookFolder(directory: string, env: Environment): Promise<HookFolder> {
  const place = projectPlace(directory);
  if (place.kind === 'folder') {
    throw new ExplainedError(`${place.root} is in no git repository`, {
      hint: 'change to a repository, or give `--project <repository>`',
    });
  }
  const git = gitIn(place.root, env);
  const [path, setting] = await Promise.all([
    git.text(['rev-parse', '--git-path', 'hooks']),
    settingIn(git),
  ]);
  return {
    place,
    // A relative setting starts where hooks run: at the root of the working tree.
    folder: resolve(place.root, path.replace(/\n$/, '')),
    setting,
    ownFolder: join(place.identity, 'hooks'),
  };
}

async function settingIn(git: Git): Promise<HookFolder['setting']> {
  const found = await git.maybe(['config', '-z', '--show-scope', '--get', 'core.hooksPath']);
  const [scope, value] = found?.split('\0') ?? [];
  return scope && value ? { scope, value } : undefined;
}
