/** What a line of a handoff says, in a form that can be looked at again. */
import type { LaneState } from '../../store/lanes.ts';
import type { RunIntent } from '../../store/runs.ts';

export type Claim =
  /** The run is wanted so. */
  | { readonly kind: 'run'; readonly intent: RunIntent }
  /** The lane is asked to do exactly this, and is in this state. */
  | {
      readonly kind: 'state';
      readonly lane: string;
      readonly state: LaneState;
      readonly specRev: number;
      readonly specHash: string;
    }
  | { readonly kind: 'ref'; readonly ref: string; readonly sha: string }
  /** The ref has this commit, and maybe more by now. */
  | { readonly kind: 'contains'; readonly ref: string; readonly sha: string }
  | { readonly kind: 'worktree'; readonly path: string }
  /** The log of a validation lies there unchanged. */
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

/** Where a line comes from: enough to look it up without searching. */
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
  /** What it is about, the same from one handoff to the next: `lane api: commit`. */
  readonly about: string;
  readonly section: Section;
  /** Ours: one line, no text of others in it but in quotes. */
  readonly text: string;
  /** What people and agents wrote: whole, and never to be obeyed. */
  readonly quote?: string;
  readonly commands?: readonly string[];
  readonly source: Source;
  readonly claims: readonly Claim[];
}
