import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Ran {
  /** `null` if a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Start {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string | Buffer;
}

/** Starts a program on this Node, or any other by its path, and waits until it is gone. */
export function runNode(script: string, args: readonly string[], start: Start): Promise<Ran> {
  return runProgram(process.execPath, [script, ...args], start);
}

/**
 * The same for a program that loads few of Node's own modules, a sixth quicker: tests need no secret
 * seed of hash tables. Node compiles its modules anew then, so a program that loads many is slower.
 */
export function runSmall(script: string, args: readonly string[], start: Start): Promise<Ran> {
  return runProgram(process.execPath, ['--no-rehash-snapshot', script, ...args], start);
}

export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env, input = '' }: Start,
): Promise<Ran> {
  const child = spawn(program, args, { cwd, env, stdio: 'pipe' });
  const end = ending(child);
  child.stdin.end(input);
  return end;
}

function ending(child: ChildProcessWithoutNullStreams): Promise<Ran> {
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text) => {
      said[name] += text;
    });
  }
  // A program may end without having read all of its input.
  child.stdin.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal, ...said }));
  });
}

/** Starts programs that say something first and then wait for their input; all get it at once. */
export async function runTogether(
  scripts: readonly (readonly string[])[],
  start: Omit<Start, 'input'>,
): Promise<Ran[]> {
  const children = scripts.map((args) =>
    spawn(process.execPath, [...args], { ...start, stdio: 'pipe' }),
  );
  const endings = children.map(ending);
  await Promise.race([
    Promise.all(children.map((child) => once(child.stdout, 'data'))),
    Promise.all(endings),
  ]);
  for (const child of children) child.stdin.end();
  return Promise.all(endings);
}
