/** The folder from which git takes the hooks of a repository. */
import { join, resolve } from 'node:path';
import { ExplainedError } from '../base/errors.ts';
import { isInside } from '../base/files/inside.ts';
import type { Git } from '../base/git/git.ts';
import { type ProjectPlace, projectPlace } from '../base/git/project.ts';
import { isInCache } from '../install/targets.ts';

export interface HookFolder {
  /** Starts git at the root of the place; its settings for hooks are those of the user. */
  readonly git: Git;
  readonly place: ProjectPlace;
  /** Absolute; it need not exist. */
  readonly folder: string;
  /** `core.hooksPath`, where it is set. */
  readonly setting: { readonly value: string; readonly scope: string } | undefined;
  /** The folder inside of the repository; git does not use it if the setting names another one. */
  readonly ownFolder: string;
}

/**
 * @param asked in any folder of the repository.
 * @throws {ExplainedError} outside of one.
 */
export async function hookFolder(asked: Git): Promise<HookFolder> {
  const place = projectPlace(asked.directory);
  if (place.kind === 'folder') {
    throw new ExplainedError(`${place.root} is in no git repository`, {
      hint: 'change to a repository, or give `--project <repository>`',
    });
  }
  const git = asked.at(place.root, { ownHooks: true });
  const setting = await settingIn(git);
  const ownFolder = join(place.identity, 'hooks');
  if (setting === undefined) return { git, place, folder: ownFolder, setting, ownFolder };
  const path = await git.text(['rev-parse', '--git-path', 'hooks']);
  // A relative setting is relative to where hooks run: the root of the working tree.
  const folder = resolve(place.root, path.replace(/\n$/, ''));
  return { git, place, folder, setting, ownFolder };
}

async function settingIn(git: Git): Promise<HookFolder['setting']> {
  const found = await git.maybe(['config', '-z', '--show-scope', '--get', 'core.hooksPath']);
  const [scope, value] = found?.split('\0') ?? [];
  return scope && value ? { scope, value } : undefined;
}

/** What is worth knowing for a user who installs into this folder. */
export async function hookFolderRemarks(
  hooks: HookFolder,
  file: string,
  program: string,
): Promise<string[]> {
  const { folder, setting } = hooks;
  const remarks: string[] = [];
  if (setting?.scope === 'global' || setting?.scope === 'system') {
    remarks.push(`core.hooksPath is set for every repository, so all of them use ${folder}`);
  }
  if (await wouldShowInRepository(hooks, file)) {
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
  { git, place: { kind, root, gitDir, identity } }: HookFolder,
  file: string,
): Promise<boolean> {
  const isPrivate = isInside(gitDir ?? identity, file) || isInside(identity, file);
  if (kind !== 'git' || !isInside(root, file) || isPrivate) return false;
  return (await git.maybe(['check-ignore', '--quiet', file])) === undefined;
}
