import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { endMarkedProcesses, markedProcesses } from '../../src/base/process/end-tree.ts';
import { type GuardedStart, readExit, startGuarded } from '../../src/base/process/guard.ts';
import type { ProcessIdentity } from '../../src/base/process/process-entry.ts';
import type { Sandbox } from './sandbox.ts';
import { eventually } from './until.ts';

export interface Attempt {
  readonly id: string;
  readonly dir: string;
  readonly guard: ProcessIdentity;
}

/** Starts a program under a guard, in an attempt of its own; the test fails if any of it is left. */
export function startAttempt(
  box: Sandbox,
  program: string,
  args: readonly string[] = [],
  changes: Partial<GuardedStart> = {},
): Attempt {
  const id = randomUUID();
  const dir = join(box.root, id);
  mkdirSync(dir, { mode: 0o700 });
  onTestFinished(async () => {
    await endMarkedProcesses(id, { graceMs: 0 });
    expect(markedProcesses(id)).toEqual([]);
  });
  const guard = startGuarded({
    dir,
    program,
    args,
    cwd: box.root,
    stdinFile: undefined,
    ...changes,
    env: { PATH: process.env.PATH ?? '', LANEHOLD_ATTEMPT: id, ...changes.env },
  });
  return { id, dir, guard };
}

export async function exitOf({ dir }: Attempt): Promise<ReturnType<typeof readExit>> {
  await eventually(() => expect(readExit(dir)).not.toBe('none'));
  return readExit(dir);
}

export async function fileIsThere(path: string): Promise<void> {
  await eventually(() => expect(existsSync(path)).toBe(true));
}
