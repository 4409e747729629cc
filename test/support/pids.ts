import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { eventually } from './until.ts';

/** True while a process runs; what has ended and only waits to be collected does not. */
function isRunning(pid: number): boolean {
  try {
    const state = execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
    return !state.trim().startsWith('Z');
  } catch (error) {
    // `ps` exits with 1 if there is no such process.
    if (error instanceof Error && 'status' in error && error.status === 1) return false;
    throw error;
  }
}

/** A signal is sent at once, but a busy machine takes its time to end what it was sent to. */
export async function expectGone(pid: number): Promise<void> {
  await eventually(() => expect({ pid, running: isRunning(pid) }).toEqual({ pid, running: false }));
}
