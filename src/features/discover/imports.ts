/** Which files of a repository import which others of it: the real dependencies between its parts. */
import type { Environment } from '../../base/environment.ts';
import type { ReadFile } from './manifest.ts';

/** By importing file, the files of the repository that it imports. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** More would take minutes, and add little to a draft. */
export const MOST_PARSED = 5_000;

export interface Sources {
  /** Tracked paths. */
  readonly paths: readonly string[];
  readonly readFile: ReadFile;
  readonly root: string;
  readonly env: Environment;
}
