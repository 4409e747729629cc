/** Whether a path is inside of a folder, and whether a link is on the way. */
import { lstatSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The first existing part of a path below `from` that is no plain folder. */
export function linkOnTheWay(from: string, to: string): string | undefined {
  let at = from;
  for (const name of relative(from, to).split(sep).filter(Boolean)) {
    at = join(at, name);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    if (!stats.isDirectory()) return at;
  }
  return undefined;
}
