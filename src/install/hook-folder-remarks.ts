/** What somebody should know who installs into this hooks folder. */
import { relative } from 'node:path';
import type { Environment } from '../environment.ts';
import { gitIn } from '../git/git.ts';
import type { HookFolder } from './hook-folder.ts';
import { isInCache } from './targets.ts';

export async function hookFolderRemarks(
  { folder, setting, place }: HookFolder,
  file: string,
  {
    env,
    program,
  }: {
    readonly env: Environment;
    readonly program: string;
  },
): Promise<string[]> {
  const remarks: string[] = [];
  if (setting?.scope === 'global' || setting?.scope === 'system') {
    remarks.push(`core.hooksPath is set for every repository, so all of them use ${folder}`);
  }
  if (place.kind === 'git' && isInside(place.root, file) && !isInside(place.gitDir ?? '', file)) {
    const ignored = await gitIn(place.root, env).maybe(['check-ignore', '--quiet', file]);
    if (ignored === undefined) {
      remarks.push(`keep ${file} out of commits: it names paths of this machine`);
    }
  }
  if (isInCache(program)) {
    remarks.push(
      'the hook leads into the cache of npx, which may be emptied: `npm install -g lanehold` first',
    );
  }
  return remarks;
}

function isInside(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return folder !== '' && !path.startsWith('..');
}
