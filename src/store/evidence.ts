import type { Store } from './open.ts';

export type EvidenceKind = 'passed' | 'failed' | 'attested' | 'waived';
export type RunOutcome = 'exited' | 'timed-out' | 'killed' | 'not-started';

/** The run of one smoke test; `output*` describe its redacted output. */
export interface EvidenceRun {
  readonly command: string;
  readonly cwd: string;
  readonly outcome: RunOutcome;
  readonly exitCode: number | null;
  /** Signal or system error, where there is one. */
  readonly detail: string | null;
  readonly durationMs: number;
  readonly outputBytes: number;
  /** SHA-256, hex. */
  readonly outputDigest: string;
  readonly outputTail: string;
  readonly outputFile: string | null;
}

export interface NewEvidence {
  readonly projectId: number;
  readonly feature: string;
  readonly fingerprint: string;
  readonly kind: EvidenceKind;
  /** Waivers only. */
  readonly expiresAt: Date | null;
  /** Who: `agent <its name>`, `person ada`, `ci`. */
  readonly actor: string;
  readonly session: string | null;
  readonly reason: string | null;
  /** The commit that was checked out, or verified. */
  readonly revision: string | null;
  /** Whose signature or build vouches for imported evidence; `null` for evidence of this machine. */
  readonly source: string | null;
  readonly runs: readonly EvidenceRun[];
}

export interface Evidence extends NewEvidence {
  /** 0 for evidence that is not in the store. */
  readonly id: number;
  readonly at: Date;
}

type EvidenceRow = Omit<NewEvidence, 'expiresAt' | 'runs' | 'projectId'> & {
  id: number;
  projectId: number;
  at: number;
  expiresAt: number | null;
};

const COLUMNS = `id, project_id AS projectId, feature, fingerprint, kind, at,
  expires_at AS expiresAt, actor, session, reason, revision, source`;

export function evidenceStore({ db }: Store) {
  const add = db.prepare<Omit<EvidenceRow, 'id'>>(
    `INSERT INTO evidence
       (project_id, feature, fingerprint, kind, at, expires_at, actor, session, reason, revision,
        source)
     VALUES (:projectId, :feature, :fingerprint, :kind, :at, :expiresAt, :actor, :session, :reason,
       :revision, :source)`,
  );
  const addRun = db.prepare<EvidenceRun & { evidenceId: number; position: number }>(
    `INSERT INTO evidence_runs (evidence_id, position, command, cwd, outcome, exit_code, detail,
       duration_ms, output_bytes, output_digest, output_tail, output_file)
     VALUES (:evidenceId, :position, :command, :cwd, :outcome, :exitCode, :detail,
       :durationMs, :outputBytes, :outputDigest, :outputTail, :outputFile)`,
  );
  const ofContent = db.prepare<[projectId: number, fingerprint: string], EvidenceRow>(
    `SELECT ${COLUMNS} FROM evidence WHERE project_id = ? AND fingerprint = ?
      ORDER BY id DESC LIMIT 50`,
  );
  const ofFeature = db.prepare<[projectId: number, feature: string, limit: number], EvidenceRow>(
    `SELECT ${COLUMNS} FROM evidence WHERE project_id = ? AND feature = ?
      ORDER BY id DESC LIMIT ?`,
  );
  const runsOf = db.prepare<[evidenceId: number], EvidenceRun>(
    `SELECT command, cwd, outcome, exit_code AS exitCode, detail, duration_ms AS durationMs,
        output_bytes AS outputBytes, output_digest AS outputDigest, output_tail AS outputTail,
        output_file AS outputFile
       FROM evidence_runs WHERE evidence_id = ? ORDER BY position`,
  );
  const toEvidence = (row: EvidenceRow): Evidence => ({
    ...row,
    at: new Date(row.at),
    expiresAt: row.expiresAt === null ? null : new Date(row.expiresAt),
    // A getter, because the runs of most records are not needed.
    get runs() {
      return runsOf.all(row.id);
    },
  });

  return {
    /** Returns the new id; call it inside a write. */
    add({ runs, expiresAt, ...evidence }: NewEvidence, now: Date): number {
      const { lastInsertRowid } = add.run({
        ...evidence,
        at: now.getTime(),
        expiresAt: expiresAt?.getTime() ?? null,
      });
      const evidenceId = Number(lastInsertRowid);
      for (const [position, it] of runs.entries()) addRun.run({ ...it, evidenceId, position });
      return evidenceId;
    },
    /** The records about exactly this content, newest first. */
    ofContent: (projectId: number, fingerprint: string): Evidence[] =>
      ofContent.all(projectId, fingerprint).map(toEvidence),
    /** The records about a feature, whatever its content was; newest first. */
    ofFeature: (projectId: number, feature: string, limit: number): Evidence[] =>
      ofFeature.all(projectId, feature, limit).map(toEvidence),
  };
}
