/** What gc is asked to do, and what it reports. */

export interface GcWish {
  /** `drop`: the user gave up what only lanehold's own refs keep. */
  readonly refs: 'keep-unmerged' | 'drop';
  /** Of attempts that ended before this, only the evidence stays. */
  readonly attemptsBefore: Date;
  readonly mode: 'remove' | 'dry-run';
}

export interface GcItem {
  readonly run: string;
  readonly what: 'worktree' | 'ref' | 'attempt';
  readonly name: string;
  /** Why it stays; absent: removed. */
  readonly why?: string;
}

/** What one part has removed, or left. */
export type Collected = readonly GcItem[];
