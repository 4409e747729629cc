/** What came of an integration, as facts. */

export interface IntegrationReport {
  readonly run: string;
  /** The tip before and after. */
  readonly from: string;
  readonly tip: string;
  readonly integrated: readonly { readonly lane: string; readonly sha: string }[];
  readonly conflicts: readonly LaneConflict[];
  readonly culprits: readonly Culprit[];
  /** Verified, and still not to be integrated now. */
  readonly withheld: readonly { readonly lane: string; readonly why: string }[];
  /** What the branch that is landed on got meanwhile. */
  readonly target: TargetReport;
  /** Nobody is to blame, and still nothing more could be integrated. */
  readonly stopped: string | undefined;
  /** Lanes that are not verified, or were refused before, with their states. */
  readonly unfinished: readonly { readonly lane: string; readonly state: string }[];
  readonly features: FeatureReport;
}

export interface LaneConflict {
  readonly lane: string;
  readonly paths: readonly string[];
  /** Whose changes they are that it conflicts with, as far as that can be told. */
  readonly with: readonly string[];
}

export interface Culprit {
  readonly lane: string;
  readonly command: string;
  readonly result: string;
  readonly failures: readonly string[];
  /** What it was merged with when it began to fail. */
  readonly with: readonly string[];
  readonly log: string;
}

export type TargetReport =
  | { readonly state: 'current'; readonly ref: string }
  | { readonly state: 'merged'; readonly ref: string; readonly sha: string }
  | { readonly state: 'conflict'; readonly ref: string; readonly paths: readonly string[] }
  | {
      readonly state: 'culprit';
      readonly ref: string;
      readonly command: string;
      readonly log: string;
    };

/** What the gate would say of the tip. */
export type FeatureReport =
  | { readonly known: true; readonly held: readonly string[]; readonly verified: readonly string[] }
  | { readonly known: false; readonly why: string };
