/**
 * Stores the task list of a worker, where its stream shows it, as hooks do for agents that have them.
 * So neither a compaction nor a crash loses it.
 */
import type { WorkerProgress } from '../../agents/worker/worker.ts';
import { MOST_TASKS, sessionTaskStore } from '../../store/session-tasks.ts';
import { storableTitle } from '../../text/task-title.ts';
import type { WorkerAdapter } from '../workers/registry.ts';
import type { Supervision } from './supervision.ts';

export interface TaskMirror {
  /** Stores the list if it has changed. @throws {FencedError} */
  show(progress: WorkerProgress): void;
}

export function taskMirror(
  it: Supervision,
  { name: agent }: Pick<WorkerAdapter, 'name'>,
): TaskMirror {
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
        // Throws after a takeover, when the list may be outdated.
        it.attempt();
        sessionTaskStore(store).replace({ agent, session, projectId }, kept, now());
      });
    },
  };
}
