/**
 * The task list that a worker keeps for itself, where its stream shows it: mirrored as the hooks
 * mirror those of agents that have some, so that neither a compaction nor a crash loses it.
 */

import type { WorkerAdapter, WorkerProgress } from '../../agents/worker/worker.ts';
import { MOST_TASKS, sessionTaskStore } from '../../store/session-tasks.ts';
import { storableTitle } from '../../text/task-title.ts';
import type { Supervision } from './supervision.ts';

export interface TaskMirror {
  /** Stores the list if it is another one than the last time. @throws {FencedError} */
  show(progress: WorkerProgress): void;
}

export function taskMirror(it: Supervision, { name: agent }: WorkerAdapter): TaskMirror {
  const { store, now } = it.context;
  let shown: WorkerProgress['tasks'];
  return {
    show({ sessionId: session, tasks }) {
      if (session === undefined || tasks === undefined || tasks === shown) return;
      shown = tasks;
      const { projectId } = it.run();
      const kept = tasks
        .slice(0, MOST_TASKS)
        .map(({ title, status }) => ({ title: storableTitle(title), status }));
      store.write(() => {
        // A supervisor that was left behind knows only what was so then.
        it.attempt();
        sessionTaskStore(store).replace({ agent, session, projectId }, kept, now());
      });
    },
  };
}
