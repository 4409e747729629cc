import { execFileSync } from 'node:child_process';

/** True while a process runs; what has ended and only waits to be collected does not. */
export function isRunning(pid: number): boolean {
  try {
    const state = execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
    return !state.trim().startsWith('Z');
  } catch (error) {
    // `ps` exits with 1 if there is no such process.
    if (error instanceof Error && 'status' in error && error.status === 1) return false;
    throw error;
  }
}
