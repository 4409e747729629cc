/** Deletes everything that lanehold has stored: features of this machine, evidence, runs, settings. */
import { existsSync, rmSync } from 'node:fs';
import { ExplainedError } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { plural } from '../../base/text/printable.ts';
import { attemptStore } from '../../store/attempts.ts';
import { openStore } from '../../store/open.ts';
import type { AppContext } from '../context.ts';

/**
 * The folder that would be deleted; `undefined` if there is none.
 *
 * @throws {ExplainedError} while lanes run, or if the folder is not one of lanehold.
 */
export async function purgeable({ env }: AppContext): Promise<string | undefined> {
  const home = homeOf(env);
  if (!existsSync(home.root)) return undefined;
  const own = [home.database, home.manifest, home.config, home.backups];
  if (!own.some(existsSync)) {
    throw new ExplainedError(`${home.root} has nothing of lanehold in it`, {
      hint: 'set LANEHOLD_HOME to the folder that has, or delete it yourself',
    });
  }
  if (!existsSync(home.database)) return home.root;
  const store = await openStore(home);
  try {
    const live = attemptStore(store).live().length;
    if (live === 0) return home.root;
    throw new ExplainedError(`${plural(live, 'lane')} still running: nothing was deleted`, {
      hint: 'end them with `lanehold orchestrate cancel`, then run this again',
    });
  } finally {
    store.close();
  }
}

/** Deletes the folder. Lanes may have been started since the question. @throws {ExplainedError} as `purgeable` does. */
export async function purge(context: AppContext): Promise<void> {
  const folder = await purgeable(context);
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
