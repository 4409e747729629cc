import type { Store } from './open.ts';

/**
 * Whether the project has a run that goes on. Asked by hooks of every session: one statement, which
 * the index of open runs answers; `runStore` prepares all of its own.
 */
export function hasOpenRun({ db }: Pick<Store, 'db'>, projectId: number): boolean {
  const open = db.prepare<[projectId: number], { 1: number }>(
    `SELECT 1 FROM runs WHERE project_id = ? AND intent IN ('active', 'paused') LIMIT 1`,
  );
  return open.get(projectId) !== undefined;
}
