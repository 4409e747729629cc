/** The facts of a status line, with few imports: it is started after each turn of an agent. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { programName } from '../../base/files/package.ts';
import { projectPlace } from '../../base/git/project.ts';
import { notedPushes } from '../../gate/noted-pushes.ts';
import { hookGaps } from '../../moments/watch/gaps.ts';
import type { HeldPush } from '../../store/held-pushes.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import { pendingStore } from '../../store/pending.ts';
import { projectStore } from '../../store/projects.ts';
import { runStore } from '../../store/runs.ts';
import type { AppContext } from '../context.ts';

export type QuickStatus = Awaited<ReturnType<typeof quickStatus>>;

/**
 * What hooks have noted of the working tree, without git: at once, and not yet confirmed. Where
 * there is no database nothing is noted, and none is made.
 */
export async function quickStatus(context: Pick<AppContext, 'env' | 'cwd' | 'now' | 'store'>) {
  const { identity, root, gitDir } = projectPlace(context.cwd);
  const here = { env: context.env, root, now: context.now(), program: programName(context.env) };
  const head = attempt(() => readFileSync(join(gitDir ?? root, 'HEAD'), 'utf8'));
  const branch = head?.replace(/^ref: /, '').trim();
  const disabled = isDisabled(context);
  const nothing = { root, pending: [], pushes: [], lanes: [], disabled };
  if (!existsSync(homeOf(context.env).database)) {
    return { ...nothing, gaps: hookGaps(here, undefined) };
  }
  const store = await context.store();
  const gaps = hookGaps(here, store);
  const projectId = projectStore(store).find(identity);
  if (projectId === undefined) return { ...nothing, gaps };
  const pending = pendingStore(store).ofWorktree(projectId, root);
  // A feature that is pending here is also held in the branch that is checked out.
  const said = new Set(pending.map(({ feature }) => feature));
  const isSaid = ({ source, features }: HeldPush): boolean =>
    source === branch && features.every(({ name }) => said.has(name));
  const pushes = notedPushes(store, projectId, context.now()).filter((it) => !isSaid(it));
  const lanes: readonly Pick<LaneView, 'key' | 'state'>[] = runStore(store)
    .open(projectId)
    .flatMap(({ id }) => laneStore(store).ofRun(id))
    .map(({ key, state }) => ({ key, state }));
  return { root, pending, pushes, lanes, disabled, gaps };
}

export const isDisabled = ({ env }: Pick<AppContext, 'env'>): boolean =>
  env.LANEHOLD_DISABLE === '1';
