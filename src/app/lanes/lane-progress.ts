/** Tells what the worker of a lane does right now, and how much the lane has changed. */
import { join } from 'node:path';
import { type Git, GitError } from '../../base/git/git.ts';
import { headOf } from '../../lanes/fit/open-conflicts.ts';
import { lastLine } from '../../lanes/look/attempt-log.ts';
import type { LaneCard } from '../../lanes/look/board.ts';
import type { LaneContext } from '../../lanes/spec/context.ts';
import { laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';

export interface LaneProgress {
  /** The last tool call or line of a worker that is at work. */
  readonly doing: string | null;
  /** Lines; `null` where nothing was changed yet. */
  readonly diff: { readonly added: number; readonly removed: number } | null;
}

export async function progressOf(
  context: LaneContext,
  git: Git,
  run: Run,
  { id, live, state, attempt, baseSha }: LaneCard,
): Promise<LaneProgress> {
  const lane = laneStore(context.store).byId(id);
  const base = baseSha ?? run.baseSha;
  const tip = lane && headOf(context, lane);
  const isAtWork = live && state === 'running' && attempt !== null;
  return {
    doing: isAtWork ? (lastLine(join(attempt.dir, 'stdout.log')) ?? null) : null,
    diff: tip === undefined || tip === base ? null : await sizeOf(git, base, tip),
  };
}

/** Diffs by the ids of two commits, which never change: boards are read every second. */
const sizes = new Map<string, LaneProgress['diff']>();

async function sizeOf(git: Git, base: string, tip: string): Promise<LaneProgress['diff']> {
  const key = `${base} ${tip}`;
  if (!sizes.has(key)) sizes.set(key, await countLines(git, base, tip));
  return sizes.get(key) ?? null;
}

async function countLines(git: Git, base: string, tip: string): Promise<LaneProgress['diff']> {
  const args = ['diff', '--numstat', '--no-renames', '--no-ext-diff', '--no-textconv', base, tip];
  try {
    // A binary file has no lines.
    const lines = (await git.text([...args, '--'])).match(/^\d+\t\d+/gm) ?? [];
    const counts = lines.map((line) => line.split('\t').map(Number));
    const sum = (at: number) => counts.reduce((all, it) => all + (it[at] ?? 0), 0);
    return { added: sum(0), removed: sum(1) };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return null;
  }
}
