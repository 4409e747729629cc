/** Starts a program that writes to the user's terminal itself; only its input is given. */
import type { Environment } from '../environment.ts';

export interface AttachedOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly input: Buffer;
}

/**
 * Returns its exit code; for a signal 128 and the signal's number, as shells do.
 *
 * @throws what the system says if it cannot be started.
 */
export async function runAttached(
  program: string,
  args: readonly string[],
  { cwd, env, input }: AttachedOptions,
): Promise<number> {
  const [{ spawn }, { constants }] = await Promise.all([
    import('node:child_process'),
    import('node:os'),
  ]);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'inherit', 'inherit'] });
    child.on('error', reject);
    child.on('exit', (exitCode, signal) => {
      resolve(exitCode ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
    // The program may exit before it has read everything; its exit code tells.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
