/** Merge commits, one on top of the other, of the members that are to be integrated together. */
import type { Git } from '../../git/git.ts';
import { isAncestor, mergeTrees } from '../../git/plumbing.ts';
import { laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../model/context.ts';
import { mergeCommit } from './merge.ts';
import { integratedRows, type Queued } from './queue.ts';
import { shortRef } from './repository.ts';
import { mergeOrResolve, type Resolution, type Resolved, type Way } from './resolve.ts';

export type Member =
  | Queued
  /** New commits on the branch that the run lands on. */
  | { readonly kind: 'target'; readonly ref: string; readonly sha: string };

/** `commit`: the tip with this member and all before it. */
type Step = Readonly<{
  member: Member;
  commit: string;
  /** Absent where git has merged it. */
  resolution?: Resolution;
}>;

export interface Batch {
  readonly tip: string;
  readonly steps: readonly Step[];
  readonly conflicts: readonly {
    readonly member: Member;
    readonly paths: readonly string[];
    readonly with: readonly string[];
  }[];
  /** Lanes that contain the work of a lane that is not integrated. */
  readonly withheld: readonly { readonly member: Queued; readonly why: string }[];
}

export interface Site {
  readonly context: LaneContext;
  readonly run: Run;
  readonly git: Git;
}

/** Ways to resolve a conflict whose result did not pass, by member. */
export type Refused = ReadonlyMap<Member, ReadonlySet<Way>>;

export async function batchOn(
  site: Site,
  tip: string,
  members: readonly Member[],
  refused: Refused,
): Promise<Batch> {
  const steps: Step[] = [];
  const conflicts: Batch['conflicts'][number][] = [];
  const withheld: Batch['withheld'][number][] = [];
  for (const member of members) {
    const ours = steps.at(-1)?.commit ?? tip;
    const why = member.kind === 'lane' ? missingNeed(site, member, steps) : undefined;
    if (member.kind === 'lane' && why !== undefined) {
      withheld.push({ member, why });
      continue;
    }
    const merge = await merged(site, ours, member, refused.get(member));
    if (merge.kind === 'conflict') {
      const rivals = await rivalsOf(site, member, steps);
      conflicts.push({ member, paths: merge.paths, with: rivals });
    } else {
      const { commit, resolution } = merge;
      steps.push({ member, commit, ...(resolution && { resolution }) });
    }
  }
  return { tip, steps, conflicts, withheld };
}

export function nameOf(member: Member): string {
  return member.kind === 'lane' ? member.lane.key : shortRef(member.ref);
}

async function merged(
  { git, run, context: { env } }: Site,
  ours: string,
  member: Member,
  refused: ReadonlySet<Way> | undefined,
): Promise<Resolved> {
  const theirs = member.sha;
  if (member.kind === 'target' && (await isAncestor(git, ours, theirs))) {
    return { kind: 'merged', commit: theirs };
  }
  const sides = { ours, theirs, message: messageFor(run, member) };
  return member.kind === 'lane'
    ? mergeOrResolve({ git, env, sides }, refused)
    : mergeCommit(git, sides);
}

const messageFor = (run: Run, member: Member): string =>
  member.kind === 'lane'
    ? `Merge lane ${member.lane.key} of ${run.name}\n\n${member.lane.spec.desc}`
    : `Merge ${nameOf(member)} into ${run.name}`;

/** A lane that started from another one contains it, so it comes after that one, or not at all. */
function missingNeed(
  { context, run }: Site,
  { lane }: Queued,
  steps: readonly Step[],
): string | undefined {
  const lanes = laneStore(context.store);
  const inside = new Set([
    ...integratedRows(context, run).map(({ laneId }) => laneId),
    ...steps.flatMap(({ member }) => (member.kind === 'lane' ? [member.lane.id] : [])),
  ]);
  const missing = lanes.depsOf(lane.id).find(({ needsLaneId }) => !inside.has(needsLaneId));
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
  const before = integratedRows(context, run).flatMap(({ laneId, laneSha }) => {
    const name = lanes.byId(laneId)?.key;
    return name === undefined ? [] : [{ name, sha: laneSha }];
  });
  const beside = steps.map((step) => ({ name: nameOf(step.member), sha: step.member.sha }));
  const rivals = new Set<string>();
  for (const { name, sha } of [...before, ...beside]) {
    const { conflicts } = await mergeTrees(git, sha, member.sha);
    if (conflicts.length > 0) rivals.add(name);
  }
  return [...rivals];
}
