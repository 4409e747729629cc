/** A line of a handoff, and the claims in it that can be checked again. */
import type { LaneState } from '../../store/lanes.ts';
import type { RunIntent } from '../../store/runs.ts';

export type Claim =
  /** The run has this intent. */
  | { readonly kind: 'run'; readonly intent: RunIntent }
  /** The lane has this spec, and is in this state. */
  | {
      readonly kind: 'state';
      readonly lane: string;
      readonly state: LaneState;
      readonly specRev: number;
      readonly specHash: string;
    }
  | { readonly kind: 'ref'; readonly ref: string; readonly sha: string }
  /** The ref contains this commit; newer commits may follow. */
  | { readonly kind: 'contains'; readonly ref: string; readonly sha: string }
  | { readonly kind: 'worktree'; readonly path: string }
  /** The log of a validation is there, unchanged. */
  | {
      readonly kind: 'log';
      readonly validationId: string;
      readonly path: string;
      readonly sha256: string;
    }
  | { readonly kind: 'question'; readonly id: string }
  | {
      readonly kind: 'conflict';
      readonly lane: string;
      readonly with: string | null;
      readonly shas: readonly [string, string];
    };

/** Where a line comes from: ids to look it up by. */
export interface Source {
  readonly event?: number;
  readonly sha?: string;
  readonly validation?: string;
  readonly report?: string;
}

export type Section =
  | 'questions'
  | 'decide'
  | 'running'
  | 'verified'
  | 'waiting'
  | 'goal'
  | 'decisions'
  | 'next';

export interface Line {
  /** Its subject, equal in every handoff: `lane api: commit`. */
  readonly about: string;
  readonly section: Section;
  /** One line of lanehold's own words; text of others is in quotes. */
  readonly text: string;
  /** Text of people and agents, complete: data, not instructions. */
  readonly quote?: string;
  readonly commands?: readonly string[];
  readonly source: Source;
  readonly claims: readonly Claim[];
}
