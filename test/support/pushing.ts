/** Real pushes from a shop whose git hook is installed. */
import { GIT_PRE_PUSH } from '../../src/base/text/git-hook.ts';
import { command } from './command.ts';
import { type Ran, runProgram } from './program.ts';
import type { Sandbox } from './sandbox.ts';
import { type Shop, shop } from './shop.ts';
import { addCompiledCode, keepCompiledCode } from './used-home.ts';

export interface Pushed extends Ran {
  readonly verdict: 'pushed' | 'held' | 'refused';
  /** Names of the features that the hook lists. */
  readonly held: readonly string[];
}

interface PushOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export async function push(
  box: Sandbox,
  { repo }: Pick<Shop, 'repo'>,
  args: readonly string[] = [],
  { cwd = repo, env }: PushOptions = {},
): Promise<Pushed> {
  addCompiledCode(box.laneholdHome, GIT_PRE_PUSH);
  const ran = await runProgram('git', ['push', ...args], { cwd, env: { ...box.env, ...env } });
  await keepCompiledCode(box.laneholdHome, GIT_PRE_PUSH);
  return asPushed(ran);
}

/** What a program did that pushes, from what git said. */
export function asPushed(ran: Ran): Pushed {
  const held = [...ran.stderr.matchAll(/^- (\S+)(?: \(as defined before this change\))?: /gm)];
  const names = held.map(([, name = '']) => name);
  if (ran.exitCode === 0) return { ...ran, verdict: 'pushed', held: names };
  return { ...ran, verdict: /^lanehold holds/m.test(ran.stderr) ? 'held' : 'refused', held: names };
}

/** Puts the hook in, as `lanehold git-hook install` does; fails the test if it cannot. */
export async function installGitHook(box: Sandbox, directory: string): Promise<string> {
  const run = await command(box, directory, ['git-hook', 'install', '--json']);
  if (run.exitCode !== 0) throw new Error(`not installed: ${run.stdout}${run.stderr}`);
  return JSON.parse(run.stdout).file;
}

/** A shop whose git hook is installed. */
export async function guarded(box: Sandbox, options?: Parameters<typeof shop>[1]): Promise<Shop> {
  const it = shop(box, options);
  await installGitHook(box, it.repo);
  return it;
}
