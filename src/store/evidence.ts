import type { TreeEntry } from '../base/git/tree-entry.ts';
import { is, type Row, type RowOf, rowFormat, tableStore } from './rows.ts';

export type EvidenceKind = 'passed' | 'failed' | 'attested' | 'waived';
export type RunOutcome = 'exited' | 'timed-out' | 'killed' | 'not-started';

/** The run of one smoke test; `output*` describe its redacted output. */
export type EvidenceRun = RowOf<typeof RUN>;

const RUN = rowFormat({
  command: is.text,
  cwd: is.text,
  outcome: is.plain<RunOutcome>(),
  exitCode: is.orNull(is.number),
  /** The signal or system error, if there is one. */
  detail: is.orNull(is.text),
  durationMs: is.number,
  outputBytes: is.number,
  /** SHA-256, hex. */
  outputDigest: is.text,
  outputTail: is.text,
  outputFile: is.orNull(is.text),
});

export function hasPassed({
  outcome,
  exitCode,
}: Pick<EvidenceRun, 'outcome' | 'exitCode'>): boolean {
  return outcome === 'exited' && exitCode === 0;
}

const EVIDENCE = rowFormat({
  /** 0 for evidence that is not in the store. */
  id: is.number,
  at: is.date,
  projectId: is.number,
  feature: is.text,
  fingerprint: is.text,
  kind: is.plain<EvidenceKind>(),
  /** Only for waivers. */
  expiresAt: is.orNull(is.date),
  /** The actor: `agent <its name>`, `person ada`, `ci`. */
  actor: is.text,
  session: is.orNull(is.text),
  reason: is.orNull(is.text),
  /** The commit that was checked out, or verified. */
  revision: is.orNull(is.text),
  /** The signature or build that vouches for imported evidence; `null` for evidence of this machine. */
  source: is.orNull(is.text),
  /**
   * The paths at which the tested working tree differed from its commit, each with the commit's entry (an empty oid:
   * none). Empty if a commit was tested.
   */
  besides: is.json<readonly TreeEntry[]>(),
});

export type Evidence = RowOf<typeof EVIDENCE> & { readonly runs: readonly EvidenceRun[] };
export type NewEvidence = Omit<Evidence, 'id' | 'at'>;

const NEW_RUN = rowFormat({ evidenceId: is.number, position: is.number, ...RUN.fields });

/**
 * Results of tests about a content are valid wherever the clone was moved; a person's statement about a project
 * (attested, waived) stays with the project until a person says that the clone is the same one. A failure with a reason
 * is a test that could not run, which proves nothing.
 */
const OWN_OR_PROVEN = `project_id IN (?1, (SELECT moved_from FROM projects WHERE id = ?1))
  AND (project_id = ?1 OR kind IN ('passed', 'failed')) AND (kind <> 'failed' OR reason IS NULL)`;

export const evidenceStore = tableStore(EVIDENCE, ({ count, value, writing }, of) => {
  const add = count<[Omit<NewEvidence, 'runs'> & { readonly at: Date }]>(
    `${EVIDENCE.insert('evidence')} RETURNING id`,
  );
  const addRun = writing<[RowOf<typeof NEW_RUN>]>(NEW_RUN.insert('evidence_runs'));
  const runsOf = of(RUN).all<[evidenceId: number]>(
    'SELECT * FROM evidence_runs WHERE evidence_id = ? ORDER BY position',
  );
  const { all, one } = of({
    fromRow: (row: Row): Evidence => ({
      ...EVIDENCE.fromRow(row),
      // This is a getter because the runs of most records are not needed.
      get runs() {
        return runsOf(row.id as number);
      },
    }),
  });
  const ofProject = all<[projectId: number]>(
    'SELECT * FROM evidence WHERE project_id = ? ORDER BY id',
  );

  return {
    /** Returns the new id; call it inside a write. */
    add({ runs, ...evidence }: NewEvidence, now: Date): number {
      const evidenceId = add({ ...evidence, at: now });
      for (const [position, it] of runs.entries()) addRun({ ...it, evidenceId, position });
      return evidenceId;
    },
    find: one<[id: number]>('SELECT * FROM evidence WHERE id = ?'),
    /** Why its tests could not run the last time. */
    notRun: value<[projectId: number, fingerprint: string], string>(
      `SELECT reason FROM (SELECT kind, reason FROM evidence
         WHERE project_id = ? AND fingerprint = ? ORDER BY id DESC LIMIT 1)
        WHERE kind = 'failed' AND reason IS NOT NULL`,
    ),
    /** The records about exactly this content, newest first. */
    ofContent: all<[projectId: number, fingerprint: string]>(
      `SELECT * FROM evidence WHERE ${OWN_OR_PROVEN} AND fingerprint = ?2 ORDER BY id DESC LIMIT 50`,
    ),
    /** Copies all records of a project to another one; call it inside a write. */
    copy(from: number, to: number): void {
      for (const it of ofProject(from)) this.add({ ...it, projectId: to }, it.at);
    },
    /** The records about a feature with any content; newest first. */
    ofFeature: all<[projectId: number, feature: string, limit: number]>(
      `SELECT * FROM evidence WHERE ${OWN_OR_PROVEN} AND feature = ?2 ORDER BY id DESC LIMIT ?3`,
    ),
  };
});
