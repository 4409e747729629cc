/** Merge commits, one on top of the other, of the members that are to be integrated together. */
import type { Git } from '../../git/git.ts';
import { isAncestor, mergeTrees } from '../../git/plumbing.ts';
import { laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../model/context.ts';
import { mergeCommit } from './merge.ts';
import { integratedRows, type Member } from './queue.ts';
import { mergeOrResolve, type Resolution, type Resolved } from './resolve.ts';

/** `commit`: the tip with this member and all before it. */
export interface Step {
  readonly member: Member;
  readonly commit: string;
  /** Absent where git has merged it. */
  readonly resolution: Resolution | undefined;
}

export interface Batch {
  readonly tip: string;
  readonly steps: readonly Step[];
  /** `with`: the members that each conflicts with, as far as known. */
  readonly conflicts: readonly {
    readonly member: Member;
    readonly paths: readonly string[];
    readonly with: readonly string[];
  }[];
  /** Lanes that contain the work of a lane that is not integrated. */
  readonly withheld: readonly { readonly member: Member; readonly why: string }[];
}

export interface Site {
  readonly context: LaneContext;
  readonly run: Run;
  readonly git: Git;
}

export async function batchOn(site: Site, tip: string, members: readonly Member[]): Promise<Batch> {
  const steps: Step[] = [];
  const conflicts: Batch['conflicts'][number][] = [];
  const withheld: Batch['withheld'][number][] = [];
  for (const member of members) {
    const why = missingNeed(site, member, steps);
    if (why !== undefined) {
      withheld.push({ member, why });
      continue;
    }
    const ours = steps.at(-1)?.commit ?? tip;
    const merge = await merged(site, ours, member);
    if (merge.kind === 'merged') {
      steps.push({ member, commit: merge.commit, resolution: merge.resolution });
    } else {
      conflicts.push({ member, paths: merge.paths, with: await rivalsOf(site, member, steps) });
    }
  }
  return { tip, steps, conflicts, withheld };
}

async function merged(
  { git, context: { env } }: Site,
  ours: string,
  { sha: theirs, message, queued, refused }: Member,
): Promise<Resolved> {
  const sides = { ours, theirs, message };
  if (queued !== undefined) return mergeOrResolve(git, env, sides, refused);
  if (await isAncestor(git, ours, theirs)) return { kind: 'merged', commit: theirs };
  return mergeCommit(git, sides);
}

/** A lane that started from another one contains it, so it comes after that one, or not at all. */
function missingNeed(
  { context, run }: Site,
  { queued }: Member,
  steps: readonly Step[],
): string | undefined {
  if (queued === undefined) return undefined;
  const lanes = laneStore(context.store);
  const inside = new Set([
    ...integratedRows(context, run).map(({ laneId }) => laneId),
    ...steps.map(({ member }) => member.queued?.lane.id),
  ]);
  const missing = lanes.depsOf(queued.lane.id).find((it) => !inside.has(it.needsLaneId));
  if (missing === undefined) return undefined;
  const key = lanes.byId(missing.needsLaneId)?.key;
  return `it contains the work of ${key}, which is not integrated`;
}

/** Members that conflict by themselves; the merge of all only tells that there is a conflict. */
async function rivalsOf(
  { git, context, run }: Site,
  member: Member,
  steps: readonly Step[],
): Promise<string[]> {
  const lanes = laneStore(context.store);
  const before = integratedRows(context, run).map(({ laneId, laneSha }) => {
    return { name: lanes.byId(laneId)?.key ?? laneId, sha: laneSha };
  });
  const rivals = new Set<string>();
  for (const { name, sha } of [...before, ...steps.map((step) => step.member)]) {
    const { conflicts } = await mergeTrees(git, sha, member.sha);
    if (conflicts.length > 0) rivals.add(name);
  }
  return [...rivals];
}
