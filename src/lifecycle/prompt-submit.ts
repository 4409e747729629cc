/** A prompt comes in: says in one line which lanes wait for somebody who decides. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectPlace } from '../git/project.ts';
import { laneMark } from '../lanes/inside/lane-mark.ts';
import { homeOf } from '../store/home.ts';
import { hasOpenRun } from '../store/open-runs.ts';
import { projectStore } from '../store/projects.ts';
import { type Handler, NO_OPINION } from './handler.ts';

export const promptSubmit: Handler<'prompt-submit'> = async ({ cwd, session }, caller) => {
  const { env, now } = caller;
  // Where no lane was ever worked on, none can have a question: nobody pays for a database.
  if (!existsSync(join(homeOf(env).runs, 'lanes'))) return NO_OPINION;
  const mark = laneMark(env, cwd);
  if (mark !== undefined) {
    const { newsAtPrompt } = await import('./in-lane.ts');
    const reply = await newsAtPrompt(mark, caller);
    if (reply !== undefined) return reply;
  }
  const store = await caller.store();
  const projectId = projectStore(store).find(projectPlace(cwd).identity);
  if (projectId === undefined || !hasOpenRun(store, projectId)) return NO_OPINION;
  const [{ tickLanes }, { takeNeeds }] = await Promise.all([
    import('./tick-lanes.ts'),
    import('../lanes/inside/coordinator-needs.ts'),
  ]);
  await tickLanes(store, caller);
  const context = takeNeeds(store, projectId, { session, now: now() });
  return context === undefined ? NO_OPINION : { decision: 'none', context };
};
