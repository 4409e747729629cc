/** The verifications that run now, so that a push can be told to wait for them. */
import { identityOf, isAlive } from '../base/process/process-entry.ts';
import {
  type RunningVerification,
  runningVerificationStore,
} from '../store/running-verifications.ts';
import type { Workspace } from './workspace.ts';

/** Runs `work` while it is noted that this process verifies these features. */
export async function notedAsRunning<T>(
  { store, projectId }: Pick<Workspace, 'store' | 'projectId'>,
  features: readonly string[],
  now: Date,
  work: () => Promise<T>,
): Promise<T> {
  const running = runningVerificationStore(store);
  const identity = identityOf(process.pid);
  if (identity === undefined) return work();
  store.write(() => {
    for (const { pid } of running.ofProject(projectId).filter((it) => !isAlive(it))) {
      running.remove(projectId, pid);
    }
    for (const feature of features) running.put({ projectId, feature, ...identity, at: now });
  });
  try {
    return await work();
  } finally {
    store.write(() => running.remove(projectId, process.pid));
  }
}

/** The noted verifications whose process is alive. */
export function runningVerifications({
  store,
  projectId,
}: Pick<Workspace, 'store' | 'projectId'>): RunningVerification[] {
  return runningVerificationStore(store).ofProject(projectId).filter(isAlive);
}
