import type { Feature, SmokeTest } from '../../config/feature.ts';

/** Something that could be a feature, before names are settled. */
export interface Part {
  /** How it could be called, best first. */
  readonly names: readonly string[];
  readonly files: readonly string[];
  readonly smoke: readonly SmokeTest[];
  /** What other parts call it where they need it: names of packages, with their ecosystem. */
  readonly ids?: readonly string[];
  /** Ids of the parts it needs. */
  readonly needs?: readonly string[];
  readonly because: string;
}

/** A part that is all that a folder contains. */
export interface Package extends Part {
  readonly folder: string;
}

/** A draft for a person or an agent to edit. */
export interface ProposedFeature extends Feature {
  /** What in the repository suggests it, as a clause. */
  readonly because: string;
}
