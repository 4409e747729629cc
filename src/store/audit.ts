import type { Store } from './open.ts';

export const AUDIT_EVENTS = ['pass', 'deny', 'ask', 'waived', 'attested'] as const;
export type AuditEvent = (typeof AUDIT_EVENTS)[number];

/** An answer at a boundary, or a waiver or attestation. */
export interface AuditEntry {
  readonly at: Date;
  readonly event: AuditEvent;
  /** `agent <its name>`, `person ada`. */
  readonly actor: string;
  readonly session: string | null;
  /** The boundary's rule, or the feature. */
  readonly subject: string;
  /** The command, redacted; empty for statements. */
  readonly command: string;
  readonly reason: string;
}

export interface AuditQuery {
  /** `undefined`: all projects of this machine. */
  readonly projectId: number | undefined;
  readonly since: Date;
  readonly events: readonly AuditEvent[];
  /** Newest first, so many at the most. */
  readonly limit: number;
}

type AuditRow = Omit<AuditEntry, 'at'> & { at: number };
type AuditParameters = { projectId: number | null; since: number; events: string; limit: number };

/** Answers of the gate, waivers and attestations, by time. */
export function auditStore({ db }: Store) {
  const entries = db.prepare<AuditParameters, AuditRow>(
    `SELECT at, event, actor, session, subject, command, reason FROM (
       SELECT at, id, decision AS event,
              CASE WHEN agent = 'ci' OR agent LIKE 'person %' THEN agent ELSE 'agent ' || agent END AS actor, session, rule AS subject,
              command, reason
         FROM decisions
        WHERE (:projectId IS NULL OR project_id = :projectId) AND at > :since
       UNION ALL
       SELECT at, id, kind, actor, session, feature, '', reason
         FROM evidence
        WHERE (:projectId IS NULL OR project_id = :projectId) AND at > :since
          AND kind IN ('waived', 'attested'))
      WHERE event IN (SELECT value FROM json_each(:events))
      ORDER BY at DESC, id DESC LIMIT :limit`,
  );
  return {
    entries: ({ projectId, since, events, limit }: AuditQuery): AuditEntry[] =>
      entries
        .all({
          projectId: projectId ?? null,
          since: since.getTime(),
          events: JSON.stringify(events),
          limit,
        })
        .map((row) => ({ ...row, at: new Date(row.at) })),
  };
}
