/** Events that are only recorded: before a compaction, and at the end of a session. */

import { projectPlace } from '../../base/git/project.ts';
import { laneMark } from '../../lanes/spec/lane-mark.ts';
import { hasOpenRun } from '../../store/projects.ts';
import { sessionStore } from '../../store/sessions.ts';
import { dropOldTraces } from '../watch/trace.ts';
import { forgetActivity } from './activity.ts';
import { type Handler, NO_OPINION } from './handler.ts';
import { compareTranscript } from './ran-commands.ts';
import { workspaceAt } from './workspace-at.ts';

export const beforeCompact: Handler<'before-compact'> = async (event, caller) => {
  const { cwd, session } = event;
  const { agent, env, now } = caller;
  const place = projectPlace(cwd);
  const { store, projectId } = await workspaceAt(place, caller);
  const sessions = sessionStore(store);
  store.write(() =>
    sessions.seen({ agent, id: session, projectId, worktree: place.root, head: undefined }, now()),
  );
  // After the compaction a worker gets its assignment from the store.
  if (hasOpenRun(store, projectId) && laneMark(env, cwd) === undefined) {
    const { keepHandoffs } = await import('./open-runs.ts');
    keepHandoffs({ store, env, now }, projectId, { agent, session });
  }
  return NO_OPINION;
};

export const sessionEnd: Handler<'session-end'> = async (event, caller) => {
  const { session, reason, transcript } = event;
  // The client may have written these entries after the end of the last turn.
  await compareTranscript(session, transcript, caller);
  const store = await caller.store();
  const sessions = sessionStore(store);
  const { agent, env, now } = caller;
  store.write(() => sessions.end(agent, session, reason, now()));
  caller.afterwards(() => {
    forgetActivity(env, { agent, session }, now());
    dropOldTraces(env, agent, now());
  });
  return NO_OPINION;
};
