import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

/** An answer that was given at a boundary. */
export type Decision = RowOf<typeof DECISION>;

const DECISION = rowFormat({
  projectId: is.orNull(is.number),
  at: is.date,
  agent: is.text,
  session: is.text,
  /** Rule of the boundary: `git push`, `npm publish`. */
  rule: is.text,
  decision: is.plain<'pass' | 'deny' | 'ask'>(),
  /** Redacted. */
  command: is.text,
  reason: is.text,
});

export const decisionStore = tableStore(DECISION, ({ all, writing }) => ({
  add: writing<[Decision]>(DECISION.insert('decisions')),
  /** The decisions of a session, in order. */
  ofSession: all<[agent: string, session: string]>(
    'SELECT * FROM decisions WHERE agent = ? AND session = ? ORDER BY id',
  ),
  /** Newest first. */
  latest: all<[projectId: number, limit: number]>(
    'SELECT * FROM decisions WHERE project_id = ? ORDER BY id DESC LIMIT ?',
  ),
}));

export const AUDIT_EVENTS = ['pass', 'deny', 'ask', 'waived', 'attested'] as const;
export type AuditEvent = (typeof AUDIT_EVENTS)[number];

/** An answer at a boundary, or a waiver or attestation. */
export type AuditEntry = RowOf<typeof ENTRY>;

const ENTRY = rowFormat({
  at: is.date,
  event: is.plain<AuditEvent>(),
  /** `agent <its name>`, `person ada`. */
  actor: is.text,
  session: is.orNull(is.text),
  /** The boundary's rule, or the feature. */
  subject: is.text,
  /** The command, redacted; empty for statements. */
  command: is.text,
  reason: is.text,
});

/** The last row of each table that was read: the order is that of rows, not of the clock. */
export interface AuditPosition {
  readonly decisions: number;
  readonly evidence: number;
}

export interface AuditQuery {
  /** `undefined`: all projects of this machine. */
  readonly projectId: number | undefined;
  readonly since: Date;
  readonly events: readonly AuditEvent[];
  readonly after: AuditPosition;
  readonly upTo: AuditPosition;
  /** The most entries, counted from the newest. */
  readonly limit: number;
}

const WANTED = `(:projectId IS NULL OR project_id = :projectId) AND at > :since
  AND id > :after AND id <= :upTo`;
const NEWEST = 'ORDER BY id DESC LIMIT :limit';

type OfTable = Omit<AuditQuery, 'after' | 'upTo'> & Readonly<Record<'after' | 'upTo', number>>;

/** Answers of the gate, waivers and attestations. */
export const auditStore = tableStore(ENTRY, ({ all, row }) => {
  const answers = all<[OfTable]>(`
      SELECT at, decision AS event, session, rule AS subject, command, reason,
             CASE WHEN agent = 'ci' OR agent LIKE 'person %' THEN agent ELSE 'agent ' || agent END AS actor
        FROM decisions
       WHERE ${WANTED} AND decision IN (SELECT value FROM json_each(:events)) ${NEWEST}`);
  const statements = all<[OfTable]>(`
      SELECT at, kind AS event, session, feature AS subject, '' AS command, reason, actor
        FROM evidence
       WHERE ${WANTED} AND kind IN ('waived', 'attested')
         AND kind IN (SELECT value FROM json_each(:events)) ${NEWEST}`);
  return {
    newest: row<[], AuditPosition>(`
      SELECT (SELECT coalesce(max(id), 0) FROM decisions) AS decisions,
             (SELECT coalesce(max(id), 0) FROM evidence) AS evidence`),
    /** Oldest first. */
    entries({ after, upTo, ...query }: AuditQuery): AuditEntry[] {
      const found = [
        ...inTime(answers({ ...query, after: after.decisions, upTo: upTo.decisions })),
        ...inTime(statements({ ...query, after: after.evidence, upTo: upTo.evidence })),
      ];
      const inOrder = found.sort((a, b) => a.time - b.time).map(({ entry }) => entry);
      return query.limit < 0 ? inOrder : inOrder.slice(-query.limit);
    },
  };
});

/** Gives the entries of one table times that never go back, so that those of the other can be sorted in. */
function inTime(newestFirst: readonly AuditEntry[]) {
  let time = 0;
  return newestFirst.toReversed().map((entry) => {
    time = Math.max(time, entry.at.getTime());
    return { entry, time };
  });
}
