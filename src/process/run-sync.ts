import { execFileSync } from 'node:child_process';

/** Stdout of a small program of the system that answers at once. @throws if it exits with an error. */
export function systemOutput(program: string, args: readonly string[]): string {
  return execFileSync(program, args, {
    env: { LC_ALL: 'C' },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
