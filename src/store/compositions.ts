import { type Fields, plain, rowFormat, tableStore } from './rows.ts';

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

const PAIR = 'run_id = :runId AND a_lane_id = :aLaneId AND a_sha = :aSha AND b_sha = :bSha';

export const compositionStore = tableStore(COMPOSITION, ({ all, one, writing }) => ({
  /** An existing row of the pair is kept. */
  add: writing<[Omit<Composition, 'seq'>]>(
    `${NEW_COMPOSITION.insert('compositions')} ON CONFLICT DO NOTHING`,
  ),
  find: one<[CompositionKey]>(`SELECT * FROM compositions WHERE ${PAIR}`),
  /** In the order of the trials. */
  ofRun: all<[runId: string]>('SELECT * FROM compositions WHERE run_id = ? ORDER BY seq'),
  setValidation: writing<[CompositionKey, validationId: string]>(
    `UPDATE compositions SET validation_id = ? WHERE ${PAIR}`,
  ),
}));
