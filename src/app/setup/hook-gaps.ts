import { programName } from '../../base/files/package.ts';
import { type HookGap, hookGaps } from '../../moments/watch/gaps.ts';
import { type AppContext, openProject } from '../context.ts';

/** Looks through what the agents have recorded first. */
export async function findHookGaps(context: AppContext): Promise<readonly HookGap[]> {
  const { env, now } = context;
  const { store, projectId, place } = await openProject(context);
  const { noteSilentSessions } = await import('../../moments/watch/silent-sessions.ts');
  await noteSilentSessions({ env, root: place.root, projectId }, store);
  return hookGaps({ env, root: place.root, now: now(), program: programName(env) }, store);
}
