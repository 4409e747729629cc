import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scratch } from './ssh-signature.ts';

/** Calls `work` with a folder that only this user can read and that is gone afterwards. */
export async function withScratch<T>(
  env: Scratch['env'],
  work: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'lanehold-evidence-'));
  try {
    return await work({ folder, env });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
