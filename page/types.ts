/** The types of what the server answers: those of the use cases. */
import type { LanesView } from '../src/app/view/lanes.ts';
import type { NeedsView } from '../src/app/view/needs.ts';

export type { DiffView, LaneView, LogView, ProofRow } from '../src/app/view/lane.ts';
export type { LanesView, LaneTile, RunView } from '../src/app/view/lanes.ts';
export type { NeedsView } from '../src/app/view/needs.ts';

export type Need = NeedsView['needs'][number];
export type RunBoard = NonNullable<LanesView['board']>;
export type SeenConflict = RunBoard['seen'][number];

export interface ProjectsView {
  readonly projects: readonly { readonly key: string; readonly name: string }[];
  readonly readOnly: string | null;
}
