import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { attempt } from '../errors.ts';

const MOST_LINKS = 20;

/**
 * Where a write to this absolute path would end up: through symbolic links, as far as there is
 * something. Of what is not there yet the nearest folder that is; a link may lead there, too.
 */
export function realPath(path: string, links = MOST_LINKS): string {
  const found = attempt(() => realpathSync(path));
  const folder = dirname(path);
  if (found !== undefined || folder === path || links === 0) return found ?? path;
  const link = attempt(() => readlinkSync(path));
  if (link !== undefined) return realPath(resolve(folder, link), links - 1);
  return join(realPath(folder, links), basename(path));
}
