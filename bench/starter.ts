/**
 * Starts programs for the benchmark, in a process of its own: to start one takes a large process longer
 * than a quick hook takes for its work.
 */
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Env } from '../scripts/demo/run.ts';

export interface Start {
  readonly command: readonly [string, ...string[]];
  readonly env: Env;
  readonly cwd: string;
  readonly input: string;
}

/** How a program ended, and how long that took. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly wallMs: number;
}

export interface Starter {
  run(start: Start): Promise<Ended>;
  close(): void;
}

export function openStarter(): Starter {
  const child: ChildProcess = fork(import.meta.filename, { execArgv: [] });
  return {
    async run(start) {
      child.send(start);
      const [ended] = await once(child, 'message');
      return ended;
    },
    close: () => child.disconnect(),
  };
}

function run({ command: [program, ...args], env, cwd, input }: Start): Ended {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, input });
  const wallMs = performance.now() - started;
  return { code: status, stdout: stdout.toString(), stderr: stderr.toString(), wallMs };
}

if (import.meta.main) process.on('message', (start) => process.send?.(run(start as Start)));
