import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { TEMPLATES } from './run-folder.ts';

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

/** Lets the many starts of the same programs compile each once in a run. */
export function compileCache(): Readonly<Record<string, string>> {
  const templates = process.env[TEMPLATES];
  return templates === undefined ? {} : { NODE_COMPILE_CACHE: join(templates, 'compiled') };
}

/** Starts a program on this Node, or any other by its path, and waits until it is gone. */
export function runNode(script: string, args: readonly string[], start: Start): Promise<Ran> {
  const env = { ...compileCache(), ...start.env };
  return runProgram(process.execPath, [script, ...args], { ...start, env });
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

/**
 * Starts programs that say something first and then wait for their input; all get it at once. The first is ready
 * before the others start, which find what it has compiled.
 */
export async function runTogether(
  scripts: readonly (readonly string[])[],
  start: Omit<Start, 'input'>,
): Promise<Ran[]> {
  const env = { ...compileCache(), ...start.env };
  const children: ChildProcessWithoutNullStreams[] = [];
  const endings: Promise<Ran>[] = [];
  for (const some of [scripts.slice(0, 1), scripts.slice(1)]) {
    const started = some.map((args) =>
      spawn(process.execPath, [...args], { ...start, env, stdio: 'pipe' }),
    );
    const ended = started.map(ending);
    const ready = started.map((child) => once(child.stdout, 'data'));
    await Promise.race([Promise.all(ready), Promise.all(ended)]);
    children.push(...started);
    endings.push(...ended);
  }
  for (const child of children) child.stdin.end();
  return Promise.all(endings);
}
