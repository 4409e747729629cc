import { once } from 'node:events';
import { join } from 'node:path';
import { execa } from 'execa';
import { definedOnly } from '../../src/base/environment.ts';
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
  { input = '', ...start }: Start,
): Promise<Ran> {
  return ending(execa(program, args, { ...optionsOf(start), input }));
}

const optionsOf = ({ cwd, env }: Omit<Start, 'input'>) =>
  ({
    ...{ cwd, env: definedOnly(env), extendEnv: false },
    ...{ stripFinalNewline: false, maxBuffer: Number.POSITIVE_INFINITY, reject: false },
  }) as const;

type Ending = Pick<Ran, 'stdout' | 'stderr'> & {
  readonly exitCode?: number;
  readonly signal?: NodeJS.Signals;
  readonly cause?: unknown;
};

async function ending(running: PromiseLike<Ending>): Promise<Ran> {
  const { exitCode = null, signal = null, stdout, stderr, cause } = await running;
  if (exitCode === null && signal === null) throw cause;
  return { exitCode, signal, stdout, stderr };
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
  const toGo: (() => void)[] = [];
  const endings: Promise<Ran>[] = [];
  for (const some of [scripts.slice(0, 1), scripts.slice(1)]) {
    const started = some.map((args) => execa(process.execPath, args, optionsOf({ ...start, env })));
    const ended = started.map(ending);
    const ready = started.map(({ stdout }) => once(stdout, 'data'));
    await Promise.race([Promise.all(ready), Promise.all(ended)]);
    toGo.push(
      ...started.map(
        ({ stdin }) =>
          () =>
            stdin.end(),
      ),
    );
    endings.push(...ended);
  }
  for (const go of toGo) go();
  return Promise.all(endings);
}
