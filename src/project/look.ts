/**
 * One look at a working tree: what several questions ask for is read once. A look is never kept;
 * whoever wants to know whether something has changed since takes another.
 */
import type { Git } from './git.ts';
import { type Change, readStatus } from './status.ts';

export interface Look {
  /** Of the whole working tree. */
  status(): Promise<readonly Change[]>;
}

export function lookAt(git: Git | undefined): Look {
  let status: Promise<readonly Change[]> | undefined;
  return {
    status() {
      status ??= git === undefined ? Promise.resolve([]) : readStatus(git, ['']);
      return status;
    },
  };
}
