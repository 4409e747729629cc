/**
 * Settings of git that came into the repository after the run began, as a worker can plant them: git
 * does not use them where lanehold starts it, and they are named.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Environment } from '../../base/environment.ts';
import { readJsonFile, writeJsonFile } from '../../base/files/json-file.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { SETTINGS_VARIABLE } from '../../base/git/git.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { localSettings, overridden } from '../../base/git/local-settings.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../spec/context.ts';
import { laneDir } from '../spec/paths.ts';

const Known = z.record(z.string(), z.string());

/**
 * Whatever is there at the first look counts as known.
 *
 * @param worktree has settings of its own; by default the main checkout.
 */
export async function gitSettings(
  { store, env }: Pick<LaneContext, 'store' | 'env'>,
  { id, repository, commonDir }: Run,
  worktree = repository,
): Promise<{ readonly env: Environment; readonly planted: readonly string[] }> {
  const { [SETTINGS_VARIABLE]: _, ...clean } = env;
  if (!existsSync(commonDir)) return { env: clean, planted: [] };
  const git = gitIn(existsSync(worktree) ? worktree : repository, clean);
  const settings = await localSettings(git, commonDir);
  const dir = laneDir(store.home, id);
  const file = join(dir, 'git-settings.json');
  const known = readJsonFile(file, Known);
  if (known === 'none') {
    makePrivateFolder(dir);
    writeJsonFile(file, settings.own);
    return { env: clean, planted: [] };
  }
  const before = known === 'unreadable' ? {} : known;
  const planted = Object.keys(settings.own)
    .filter((name) => before[name] !== settings.own[name])
    .sort();
  const values = planted
    .map((name) => [name, overridden(name, settings)])
    .filter(([, value]) => value !== undefined);
  if (values.length === 0) return { env: clean, planted };
  return { env: { ...clean, [SETTINGS_VARIABLE]: JSON.stringify(values) }, planted };
}
