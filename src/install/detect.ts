/** Which agents are on this machine. */
import { existsSync } from 'node:fs';
import type { Place } from '../agents/install.ts';
import { attempt } from '../base/errors.ts';
import { onPath } from '../base/files/executable.ts';
import { homeOf } from '../base/files/home.ts';
import { installManifest } from './manifest.ts';
import type { Installer } from './targets.ts';

/** The folder of an agent's settings, else its program; `undefined` if both are missing. */
export function foundBy(
  { name, signs }: Pick<Installer, 'name' | 'signs'>,
  place: Place,
): string | undefined {
  // Without a home folder nothing can be found.
  const { folders, programs } = attempt(() => signs(place)) ?? { folders: [], programs: [] };
  const folder = folders.find((it) => existsSync(it) && !isMadeForOthers(it, name, place));
  if (folder !== undefined) return folder;
  const found = programs.map((it) => onPath(it, place.env));
  return found.find((it) => it !== undefined);
}

/** True for a folder that lanehold made for another agent that reads it as well. */
function isMadeForOthers(folder: string, agent: string, { env }: Place): boolean {
  const recorded = attempt(() => installManifest(homeOf(env)).installations) ?? [];
  const makers = recorded.filter(({ madeFolders }) => madeFolders.includes(folder));
  return makers.length > 0 && makers.every((it) => it.agent !== agent);
}
