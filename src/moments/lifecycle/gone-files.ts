/** Asks about notes whose files a command, a checkout or a person has removed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findHookAgent } from '../../agents/registry.ts';
import type { HookEvent } from '../../agents/types.ts';
import { projectPlace } from '../../base/git/project.ts';
import { projectStore } from '../../store/projects.ts';
import { isFor, recallStore } from '../../store/recall.ts';
import { type Caller, orLogged } from './handler.ts';

/** Older notes are not looked at: it takes too long at each prompt. */
const MOST_NOTES = 500;
/** Renames in earlier commits were followed by then. */
const MOST_COMMITS = 20;
type Moment = Pick<HookEvent, 'cwd' | 'session' | 'subAgent'> & {
  readonly kind: 'session-start' | 'prompt-submit' | 'after-tool';
};

export async function questionsAboutGone(
  moment: Moment,
  caller: Caller,
): Promise<string | undefined> {
  const { agent, env, looksOnly } = caller;
  const takesText = findHookAgent(agent)?.hooks.capabilities.takesContext.includes(moment.kind);
  if (!takesText || looksOnly || env.LANEHOLD_RECALL === 'off') return undefined;
  return orLogged(caller, moment.kind, undefined, async () => {
    const place = projectPlace(moment.cwd);
    const store = await caller.store();
    const projectId = projectStore(store).find(place.identity);
    if (projectId === undefined) return undefined;
    const isThere = (path: string) => existsSync(join(place.root, path));
    const recall = recallStore(store);
    const gone = recall
      .boundNotes(projectId, MOST_NOTES)
      .filter(({ anchors }) => !Object.keys(JSON.parse(anchors)).every(isThere))
      .flatMap(({ uid }) => recall.find(uid) ?? [])
      .filter((it) => isFor(it, agent));
    if (gone.length === 0) return undefined;
    const [{ hookGit }, { askAboutGone }, { renamedPaths }, { listenerOf }] = await Promise.all([
      import('../../base/git/small-git.ts'),
      import('../../recall/doubts.ts'),
      import('../../recall/renames.ts'),
      import('./listener.ts'),
    ]);
    const renames = async () =>
      place.kind === 'git'
        ? renamedPaths(hookGit(place.root, env), place.root, MOST_COMMITS)
        : (path: string) => path;
    const listener = listenerOf(place, moment, { projectId, budget: 0 }, caller);
    return (await askAboutGone(store, gone, renames, listener)).join('\n') || undefined;
  });
}
