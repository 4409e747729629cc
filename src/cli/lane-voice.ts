/** Commands by which somebody inside a lane speaks: which lane it is, and what is said. */
import { UsageError } from '../errors.ts';
import type { InsideLane } from '../lanes/inside/inside-lane.ts';
import type { LaneWorld } from '../lanes/world.ts';
import type { Context } from './context.ts';
import { openLaneWorld } from './orchestration.ts';

export interface LaneVoice {
  readonly world: LaneWorld;
  readonly inside: InsideLane;
}

/** @throws {UsageError} outside of any lane. */
export async function openLaneVoice(context: Context): Promise<LaneVoice> {
  const [{ workspace, world }, { laneMark }, { insideLane, laneOfWorktree }] = await Promise.all([
    openLaneWorld(context),
    import('../lanes/inside/lane-mark.ts'),
    import('../lanes/inside/inside-lane.ts'),
  ]);
  const mark = laneMark(context.env, context.cwd);
  const named = mark && insideLane(world.store, mark);
  const inside = named ?? laneOfWorktree(world.store, workspace.place.root);
  if (inside !== undefined) return { world, inside };
  throw new UsageError('this is no lane: nobody here has a task to speak of', {
    hint: 'run it in the working tree of a lane; `lanehold orchestrate status` shows where these are',
  });
}

/** The words of the command line, or with `-` what comes on stdin. */
export async function spokenText(context: Context, words: readonly string[]): Promise<string> {
  if (words.length !== 1 || words[0] !== '-') return words.join(' ');
  const chunks: Buffer[] = [];
  for await (const chunk of context.streams.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
