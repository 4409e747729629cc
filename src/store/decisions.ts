import type { Store } from './open.ts';

export interface Decision {
  readonly projectId: number | null;
  readonly agent: string;
  readonly session: string;
  /** Rule of the boundary: `git push`, `npm publish`. */
  readonly rule: string;
  readonly decision: 'pass' | 'deny' | 'ask';
  /** Redacted. */
  readonly command: string;
  readonly reason: string;
}

/** Each answer that was given at a boundary. */
export function decisionStore({ db }: Store) {
  const add = db.prepare<Decision & { at: number }>(
    `INSERT INTO decisions (project_id, at, agent, session, rule, decision, command, reason)
     VALUES (:projectId, :at, :agent, :session, :rule, :decision, :command, :reason)`,
  );
  const latest = db.prepare<[projectId: number, limit: number], Decision & { at: number }>(
    `SELECT project_id AS projectId, at, agent, session, rule, decision, command, reason
       FROM decisions WHERE project_id = ? ORDER BY id DESC LIMIT ?`,
  );
  return {
    add(decision: Decision, now: Date): void {
      add.run({ ...decision, at: now.getTime() });
    },
    latest: (projectId: number, limit: number): (Decision & { at: Date })[] =>
      latest.all(projectId, limit).map((row) => ({ ...row, at: new Date(row.at) })),
  };
}
