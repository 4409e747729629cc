import type { Store } from './open.ts';

/**
 * Whether the project has an open run. Hooks of every session ask this: one statement, answered by an
 * index, where `runStore` would prepare all of its statements.
 */
export function hasOpenRun({ db }: Pick<Store, 'db'>, projectId: number): boolean {
  const open = db.prepare<[projectId: number], { 1: number }>(
    `SELECT 1 FROM runs WHERE project_id = ? AND intent IN ('active', 'paused') LIMIT 1`,
  );
  return open.get(projectId) !== undefined;
}
