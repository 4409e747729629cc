import { spawn } from 'node:child_process';

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

export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env, input = '' }: Start,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: 'pipe' });
    const said = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said.stderr += text;
    });
    child.on('error', reject);
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal, ...said }));
    // A program may end without having read all of it.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
