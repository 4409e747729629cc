/** The result of an integration. */

export interface IntegrationReport {
  readonly run: string;
  /** The tip before and after. */
  readonly from: string;
  readonly tip: string;
  readonly integrated: readonly { readonly lane: string; readonly sha: string }[];
  readonly conflicts: readonly LaneConflict[];
  readonly culprits: readonly Culprit[];
  /** Verified, but not integrated now. */
  readonly withheld: readonly { readonly lane: string; readonly why: string }[];
  /** What became of new commits on the target branch. */
  readonly target: TargetReport;
  /** Why nothing more could be integrated although no lane is to blame. */
  readonly stopped: string | undefined;
  /** Lanes that are not verified, or were refused before, with their states. */
  readonly unfinished: readonly { readonly lane: string; readonly state: string }[];
  readonly features: FeatureReport;
}

export interface LaneConflict {
  readonly lane: string;
  readonly paths: readonly string[];
  /** The members it conflicts with, as far as known. */
  readonly with: readonly string[];
}

export interface Culprit {
  readonly lane: string;
  readonly command: string;
  readonly result: string;
  readonly failures: readonly string[];
  /** What it was merged with when the failure appeared. */
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
