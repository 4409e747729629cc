import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { attempt } from '../errors.ts';

const MOST_LINKS = 20;

/**
 * The file that a write to this absolute path would change. Links are followed, even to a file that
 * does not exist; of a missing path the existing folders are resolved.
 */
export function realPath(path: string, links = MOST_LINKS): string {
  const found = attempt(() => realpathSync.native(path));
  const folder = dirname(path);
  if (found !== undefined || folder === path || links === 0) return found ?? path;
  const link = attempt(() => readlinkSync(path));
  if (link !== undefined) return realPath(resolve(folder, link), links - 1);
  return join(realPath(folder, links), basename(path));
}
