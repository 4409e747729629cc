/** The folder from which git takes the hooks of a repository. */
import { dirname, join, resolve } from 'node:path';
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
  /** `core.hooksPath`, if it is set. */
  readonly setting: { readonly value: string; readonly scope: string } | undefined;
  /** The files whose settings count here. */
  readonly configuration: readonly string[];
  /** The folder inside of the repository; git does not use it if the setting names another one. */
  readonly ownFolder: string;
}

/**
 * @param asked runs in any folder of the repository.
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
  const settings = await settingsIn(git);
  const ownFolder = join(place.identity, 'hooks');
  const found = { git, place, ...settings, ownFolder };
  if (settings.setting === undefined) return { ...found, folder: ownFolder };
  // A relative setting is relative to the root of the working tree, where hooks run. An empty one leads to `/`.
  const path = await git.text(['rev-parse', '--git-path', 'hooks/pre-push']);
  return { ...found, folder: dirname(resolve(place.root, path.replace(/\n$/, ''))) };
}

async function settingsIn(git: Git): Promise<Pick<HookFolder, 'setting' | 'configuration'>> {
  const listed = await git.text(['config', '--list', '-z', '--show-scope', '--show-origin']);
  const fields = listed.split('\0');
  const files = new Set<string>();
  let setting: HookFolder['setting'];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = '', origin = '', entry = ''] = fields.slice(at, at + 3);
    if (origin.startsWith('file:')) files.add(resolve(git.directory, origin.slice(5)));
    const [key, value] = entry.split('\n', 2);
    if (key === 'core.hookspath' && value !== undefined) setting = { scope, value };
  }
  return { setting, configuration: [...files] };
}

/** Remarks for a user who installs into this folder. */
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

/** Whether the folder has committed files, so that a change of its hooks is a change of the project. */
export async function isTracked({ git, place, folder }: HookFolder): Promise<boolean> {
  const isHere = folder === place.root || isInside(place.root, folder);
  if (place.kind !== 'git' || !isHere) return false;
  return (await git.text(['ls-files', '-z', '--', folder])) !== '';
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
