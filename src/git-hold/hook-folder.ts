/** The folder from which git takes the hooks of a repository. */
import { join, resolve } from 'node:path';
import type { Environment } from '../base/environment.ts';
import { ExplainedError } from '../base/errors.ts';
import { isInside } from '../base/files/inside.ts';
import { type Git, gitIn } from '../base/git/git.ts';
import { type ProjectPlace, projectPlace } from '../base/git/project.ts';
import { isInCache } from '../install/targets.ts';

export interface HookFolder {
  readonly place: ProjectPlace;
  /** Absolute; it need not exist. */
  readonly folder: string;
  /** `core.hooksPath`, where it is set. */
  readonly setting: { readonly value: string; readonly scope: string } | undefined;
  /** The folder inside of the repository; git does not use it if the setting names another one. */
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
  const setting = await settingIn(git);
  const ownFolder = join(place.identity, 'hooks');
  if (setting === undefined) return { place, folder: ownFolder, setting, ownFolder };
  const path = await git.text(['rev-parse', '--git-path', 'hooks']);
  // A relative setting is relative to where hooks run: the root of the working tree.
  return { place, folder: resolve(place.root, path.replace(/\n$/, '')), setting, ownFolder };
}

async function settingIn(git: Git): Promise<HookFolder['setting']> {
  const found = await git.maybe(['config', '-z', '--show-scope', '--get', 'core.hooksPath']);
  const [scope, value] = found?.split('\0') ?? [];
  return scope && value ? { scope, value } : undefined;
}

/** What is worth knowing for a user who installs into this folder. */
export async function hookFolderRemarks(
  { folder, setting, place }: HookFolder,
  file: string,
  { env, program }: { readonly env: Environment; readonly program: string },
): Promise<string[]> {
  const remarks: string[] = [];
  if (setting?.scope === 'global' || setting?.scope === 'system') {
    remarks.push(`core.hooksPath is set for every repository, so all of them use ${folder}`);
  }
  if (await wouldShowInRepository({ place }, file, env)) {
    remarks.push(`keep ${file} out of commits: it names paths of this machine`);
  }
  if (isInCache(program)) {
    remarks.push(
      'the hook leads into the cache of npx, which may be emptied: `npm install -g lanehold` first',
    );
  }
  return remarks;
}

/** Whether git would take a file of the hooks folder for a change of the working tree. */
export async function wouldShowInRepository(
  { place: { kind, root, gitDir, identity } }: Pick<HookFolder, 'place'>,
  file: string,
  env: Environment,
): Promise<boolean> {
  const isPrivate = isInside(gitDir ?? identity, file) || isInside(identity, file);
  if (kind !== 'git' || !isInside(root, file) || isPrivate) return false;
  return (await gitIn(root, env).maybe(['check-ignore', '--quiet', file])) === undefined;
}
