/** Starts a program that speaks to the user itself: only its input and its end are ours. */
import type { Environment } from '../environment.ts';

export interface AttachedOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly input: Buffer;
}

/**
 * Its exit code, or 128 and the number of the signal that ended it, as a shell has it.
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
    // A program that exits before it has read everything says so in its exit code.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
