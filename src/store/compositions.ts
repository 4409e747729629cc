import { preparedOnce, type Store } from './open.ts';
import { type Fields, plain, type Row, rowFormat } from './rows.ts';

/** The trial merge of two commits of a run. */
export interface Composition {
  readonly seq: number;
  readonly runId: string;
  readonly aLaneId: string;
  /** `null`: merged with the tip of the integration. */
  readonly bLaneId: string | null;
  readonly aSha: string;
  readonly bSha: string;
  readonly tree: string;
  /** Paths with conflicts. */
  readonly conflicts: readonly string[];
  /** Whether the merge is to be validated. */
  readonly related: boolean;
  readonly validationId: string | null;
  readonly at: Date;
}

/** A pair of commits; the lane that was added first comes first. */
export type CompositionKey = Pick<Composition, 'runId' | 'aLaneId' | 'aSha' | 'bSha'>;

const FIELDS: Fields<Omit<Composition, 'seq'>> = {
  ...plain('runId', 'aLaneId', 'bLaneId', 'aSha', 'bSha', 'tree'),
  conflicts: 'json',
  related: 'flag',
  validationId: 'plain',
  at: 'date',
};
const NEW_COMPOSITION = rowFormat<Omit<Composition, 'seq'>>(FIELDS);
const COMPOSITION = rowFormat<Composition>({ seq: 'plain', ...FIELDS });

export const compositionStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  const { names, values } = NEW_COMPOSITION;
  const add = db.prepare<Row>(
    `INSERT INTO compositions (${names}) VALUES (${values}) ON CONFLICT DO NOTHING`,
  );
  const find = db.prepare<CompositionKey, Row>(
    `SELECT * FROM compositions
      WHERE run_id = :runId AND a_lane_id = :aLaneId AND a_sha = :aSha AND b_sha = :bSha`,
  );
  const ofRun = db.prepare<[runId: string], Row>(
    'SELECT * FROM compositions WHERE run_id = ? ORDER BY seq',
  );
  const setValidation = db.prepare<CompositionKey & { validationId: string }>(
    `UPDATE compositions SET validation_id = :validationId
      WHERE run_id = :runId AND a_lane_id = :aLaneId AND a_sha = :aSha AND b_sha = :bSha`,
  );
  return {
    /** An existing row of the pair is kept. */
    add: (it: Omit<Composition, 'seq'>): void => void add.run(NEW_COMPOSITION.toRow(it)),
    find: ({ runId, aLaneId, aSha, bSha }: CompositionKey): Composition | undefined =>
      COMPOSITION.found(find.get({ runId, aLaneId, aSha, bSha })),
    /** In the order of the trials. */
    ofRun: (runId: string): Composition[] => ofRun.all(runId).map(COMPOSITION.fromRow),
    setValidation({ runId, aLaneId, aSha, bSha }: CompositionKey, validationId: string): void {
      setValidation.run({ runId, aLaneId, aSha, bSha, validationId });
    },
  };
}
