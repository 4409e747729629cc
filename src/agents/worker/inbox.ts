/**
 * Where a worker whose sandbox keeps it from the store leaves what it has to say: the one folder
 * outside of its worktree that it may write.
 */
import { join } from 'node:path';

/** @param dir the attempt's folder. */
export const inboxOf = (dir: string): string => join(dir, 'inbox');
