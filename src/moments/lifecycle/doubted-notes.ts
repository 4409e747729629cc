/**
 * Asks about notes whose files a command, a checkout or a person has changed or removed. The files are looked at when a
 * session starts, after a command, and at the end of a turn; what was found is asked at the next event that takes text.
 */
import { findHookAgent } from '../../agents/registry.ts';
import type { HookEvent } from '../../agents/types.ts';
import { type ProjectPlace, projectPlace } from '../../base/git/project.ts';
import type { LostFiles } from '../../recall/renames.ts';
import { projectStore } from '../../store/projects.ts';
import { recallStore } from '../../store/recall.ts';
import { hasActivity } from './activity.ts';
import { type Caller, orLogged } from './handler.ts';

/** Older notes are not looked at: it takes too long after each command. */
const MOST_NOTES = 500;
/** Renames in earlier commits were followed by then. */
const MOST_COMMITS = 20;

type Moment = Pick<HookEvent, 'cwd' | 'session' | 'subAgent' | 'kind'>;

export async function doubtsAt(moment: Moment, caller: Caller): Promise<string | undefined> {
  const { agent, env, looksOnly } = caller;
  const { kind, cwd, session } = moment;
  if (looksOnly || env.LANEHOLD_RECALL === 'off') return undefined;
  return orLogged(caller, kind, undefined, async () => {
    const place = projectPlace(cwd);
    const store = await caller.store();
    const projectId = projectStore(store).find(place.identity);
    if (projectId === undefined) return undefined;
    const bound = recallStore(store).boundNotes(projectId, MOST_NOTES);
    if (bound.length === 0) return undefined;
    const [{ askAbout, lookAtFiles }, { listenerOf }] = await Promise.all([
      import('../../recall/doubts.ts'),
      import('./listener.ts'),
    ]);
    const listener = listenerOf(place, moment, { projectId, budget: 0 }, caller);
    // A prompt waits for no file that was looked at after the last turn; an interrupted turn has no end.
    const isKnown = kind === 'prompt-submit' && !hasActivity(env, { agent, session });
    const looked = isKnown ? [] : bound;
    const { doubted, record } = lookAtFiles(store, looked, listener);
    const { takesContext = [] } = findHookAgent(agent)?.hooks.capabilities ?? {};
    const asked = takesContext.some((it) => it === kind) ? doubted : [];
    const notes = asked.flatMap((it) => recallStore(store).find(it) ?? []);
    const texts = await askAbout(store, notes, movesIn(place, caller), listener);
    // git, which is asked for renames, comes before the first write.
    record();
    return texts.join('\n') || undefined;
  });
}

/** Tells where lost files are now. The notes follow them in a process of its own. */
export const movesIn = (place: ProjectPlace, caller: Caller) => async (lost: LostFiles) => {
  const [{ hookGit }, { movedPaths }, { launchRefresh }] = await Promise.all([
    import('../../base/git/small-git.ts'),
    import('../../recall/renames.ts'),
    import('./launch-refresh.ts'),
  ]);
  const git = place.kind === 'folder' ? undefined : hookGit(place.root, caller.env);
  const placeOf = await movedPaths(git, place, lost, MOST_COMMITS);
  const isMoved = [...lost.keys()].some((it) => placeOf(it) !== it);
  if (isMoved) await launchRefresh(place, caller, 'command');
  return placeOf;
};
