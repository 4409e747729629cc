/** Tells what the worker of a lane does right now, and how much the lane has changed. */
import { join } from 'node:path';
import { type Git, GitError } from '../../base/git/git.ts';
import { lastLine } from '../../lanes/look/attempt-log.ts';
import type { LaneCard } from '../../lanes/look/board.ts';
import type { Run } from '../../store/runs.ts';

export interface LaneProgress {
  /** The last tool call or line of a worker that is at work. */
  readonly doing: string | null;
  /** Lines; `null` where nothing was changed yet. */
  readonly diff: { readonly added: number; readonly removed: number } | null;
}

export async function progressOf(
  git: Git,
  run: Run,
  { live, state, attempt, baseSha, tip }: LaneCard,
): Promise<LaneProgress> {
  const base = baseSha ?? run.baseSha;
  const isAtWork = live && state === 'running' && attempt !== null;
  return {
    doing: isAtWork ? (lastLine(join(attempt.dir, 'stdout.log')) ?? null) : null,
    diff: tip === null || tip === base ? null : await sizeOf(git, base, tip),
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
