/** Which agents are on this machine. */
import { existsSync } from 'node:fs';
import type { Place } from '../agents/install.ts';
import { attempt } from '../errors.ts';
import { onPath } from '../files/executable.ts';
import type { Installer } from './targets.ts';

/** A folder of its settings, else its program; `undefined` if there is neither. */
export function foundBy({ signs }: Pick<Installer, 'signs'>, place: Place): string | undefined {
  // Without a home folder there is nothing to find.
  const { folders, programs } = attempt(() => signs(place)) ?? { folders: [], programs: [] };
  const folder = folders.find((it) => existsSync(it));
  if (folder !== undefined) return folder;
  const found = programs.map((it) => onPath(it, place.env));
  return found.find((it) => it !== undefined);
}
