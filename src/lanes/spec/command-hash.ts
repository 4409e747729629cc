/** What a validation depends on besides the commit: results with other hashes are not comparable. */
import { createHash } from 'node:crypto';

/** Raised whenever the hashed bytes change shape; older results then no longer match. */
const FORMAT = 'validation/1';

/**
 * @param cwd relative to the worktree's root, since each attempt has its own folder.
 * @param timeoutMs part of the hash, since a longer timeout may give another result.
 */
export function commandHash(command: string, cwd: string, timeoutMs: number): string {
  const parts = [FORMAT, command, cwd, timeoutMs];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
