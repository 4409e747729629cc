import { DEFAULT_SMOKE_TIMEOUT_MS, type Feature, type SmokeTest } from '../../config/feature.ts';

export const smokeTest = (command: string, cwd = ''): SmokeTest => ({
  command,
  timeoutMs: DEFAULT_SMOKE_TIMEOUT_MS,
  cwd,
});

/** A possible feature that has no final name yet. */
export interface Part {
  /** Possible names, best first. */
  readonly names: readonly string[];
  readonly files: readonly string[];
  readonly smoke: readonly SmokeTest[];
  /** Names by which other parts depend on it: ecosystem and package. */
  readonly ids?: readonly string[];
  /** Ids of the parts it needs. */
  readonly needs?: readonly string[];
  readonly because: string;
}

/** A part that consists of a whole folder. */
export interface Package extends Part {
  readonly folder: string;
}

/** A draft for a person or an agent to edit. */
export interface ProposedFeature extends Feature {
  /** The reason for the proposal, as a clause. */
  readonly because: string;
}
