/** A program that answers one question after another: many questions cost one start of it. */
import type { Environment } from '../environment.ts';
import { signalGroup, whyNotStarted } from './run.ts';

export interface Talk {
  say(text: string): void;
  /** No more questions: the program ends by itself. */
  end(): void;
  /** Ends it, and what it has started. */
  kill(): void;
}

export interface Listener {
  heard(output: Buffer): void;
  /** Once. @param why its own words, or why it could not be started; may be empty. */
  ended(why: string): void;
}

const STDERR_CHARS = 4_000;

/** The program keeps nobody alive: while an answer is awaited, a timer of the caller has to. */
export function talkTo(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Environment },
  { heard, ended }: Listener,
): Talk {
  // Not imported: most hooks start no program, and the module loads half of `net`.
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn(program, args, {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    detached: process.platform !== 'win32',
  });
  let stderr = '';
  let isOver = false;
  const end = (why: string): void => {
    if (!isOver) ended(why);
    isOver = true;
  };
  child.stdout.on('data', heard);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < STDERR_CHARS) stderr += text;
  });
  // It may end before it has read everything; that it ended tells.
  child.stdin.on('error', () => undefined);
  child.on('error', (error) => end(whyNotStarted(error, cwd)));
  child.on('close', () => end(stderr));
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
  }
  return {
    say: (text) => child.stdin.write(text),
    end: () => child.stdin.end(),
    kill: () => signalGroup(child.pid, 'SIGKILL'),
  };
}
