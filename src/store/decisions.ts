import { plain, rowFormat, tableStore } from './rows.ts';

/** An answer that was given at a boundary. */
export interface Decision {
  readonly projectId: number | null;
  readonly at: Date;
  readonly agent: string;
  readonly session: string;
  /** Rule of the boundary: `git push`, `npm publish`. */
  readonly rule: string;
  readonly decision: 'pass' | 'deny' | 'ask';
  /** Redacted. */
  readonly command: string;
  readonly reason: string;
}

const DECISION = rowFormat<Decision>({
  projectId: 'plain',
  at: 'date',
  ...plain('agent', 'session', 'rule', 'decision', 'command', 'reason'),
});

export const decisionStore = tableStore(DECISION, ({ all, writing }) => ({
  add: writing<[Decision]>(DECISION.insert('decisions')),
  /** Newest first. */
  latest: all<[projectId: number, limit: number]>(
    'SELECT * FROM decisions WHERE project_id = ? ORDER BY id DESC LIMIT ?',
  ),
}));

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

const ENTRY = rowFormat<AuditEntry>({
  at: 'date',
  ...plain('event', 'actor', 'session', 'subject', 'command', 'reason'),
});

/** Answers of the gate, waivers and attestations, by time. */
export const auditStore = tableStore(ENTRY, ({ all }) => ({
  entries: all<[AuditQuery]>(`
      SELECT at, event, actor, session, subject, command, reason FROM (
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
      ORDER BY at DESC, id DESC LIMIT :limit`),
}));
