import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';

/** Somebody may still be writing there for a moment: what a hook has started in the background. */
const OPTIONS = { recursive: true, force: true, maxRetries: 20 } as const;

export function removeTree(root: string): void {
  try {
    rmSync(root, OPTIONS);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error;
    // What a test made unwritable goes, too.
    execFileSync('chmod', ['-R', 'u+rwX', root]);
    rmSync(root, OPTIONS);
  }
}
