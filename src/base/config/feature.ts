import type { PolicySettings } from './policy.ts';
import type { WrittenLanes } from './schema-lanes.ts';

/** One command that proves a feature; it runs in a shell and passes if it exits with 0. */
export interface SmokeTest {
  readonly command: string;
  readonly timeoutMs: number;
  /** Folder to run in, relative to the repository root and `/`-separated; `''` is the root. */
  readonly cwd: string;
}

export interface Feature {
  /** Matches `FEATURE_NAME`. */
  readonly name: string;
  /** Globs relative to the repository root; a leading `!` excludes. Order is irrelevant. */
  readonly files: readonly string[];
  /** It has each file that counts and belongs to no other feature; it has no globs of its own. */
  readonly rest?: true;
  /** The globs of these other features; only a rest in the registry of a tree has them. */
  readonly others?: readonly (readonly string[])[];
  readonly smoke: readonly SmokeTest[];
  readonly dependsOn: readonly string[];
  readonly description: string;
  /** Globs of the registry's policy that count for every feature; absent if it has none. */
  readonly always?: readonly string[];
}

export const FEATURE_NAME = /^[a-z0-9][a-z0-9._/-]*$/;

/** How long a smoke test may run when the registry does not say. */
export const DEFAULT_SMOKE_TIMEOUT_MS = 10 * 60_000;

/** `./packages/a/` and `packages/a` are the same folder and must give the same evidence. */
export function normalFolder(cwd: string): string {
  return cwd
    .split('/')
    .filter((step) => step !== '' && step !== '.')
    .join('/');
}

/** The shared evidence that counts: all, that of known signers, or only that of CI. */
export type RequirePolicy = 'any' | 'signed' | 'ci';

export interface EvidencePolicy {
  readonly require: RequirePolicy;
  /** Principals, as the allowed-signers file writes them, and fingerprints of gpg keys. */
  readonly ci: readonly string[];
}

/** How a checkout of a commit is prepared for smoke tests; missing settings follow from lock files. */
export interface VerifySettings {
  /** Commands that run in a shell at the root, one after the other. */
  readonly setup?: readonly string[] | undefined;
  /** Globs of the files on which the result of the setup depends; without them it is not cached. */
  readonly setupCache?: readonly string[] | undefined;
}

/** The file of a repository that names its features and its policy, at the root. */
export const REGISTRY_FILE = 'lanehold.json';

/** The content of a `lanehold.json` with all defaults filled in. */
export interface RegistryFile {
  readonly features: readonly Feature[];
  /** Only what the file sets. */
  readonly gate: PolicySettings;
  readonly evidence: Partial<EvidencePolicy>;
  readonly verify?: VerifySettings;
  /** The text as it is written; absent if a version without lanes has read the file. */
  readonly lanes?: WrittenLanes;
}
