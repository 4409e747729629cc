/** The commit that a lane starts from: the verified work of its dependencies, and no more. */
import { ExplainedError } from '../../errors.ts';
import type { Git } from '../../git/git.ts';
import { isAncestor, moveRef, refAt } from '../../git/plumbing.ts';
import { type Lane, type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { baseRef } from '../paths.ts';
import { mergeCommit } from './merge-commit.ts';
import { gitOfRun, NO_COMMIT } from './repository.ts';

export interface LaneBase {
  readonly kind: Lane['baseKind'];
  readonly sha: string;
  /** The commits of its dependencies that are included. */
  readonly used: readonly { readonly needsLaneId: string; readonly sha: string }[];
}

/** @throws {ExplainedError} if a dependency is not met, or two of them conflict. */
export async function dependencyBase(
  context: LaneContext,
  run: Run,
  lane: Pick<Lane, 'id' | 'key'>,
): Promise<LaneBase> {
  const git = gitOfRun(context, run);
  const needs = neededBy(context, lane);
  const tip = (await refAt(git, run.integrationRef)) ?? run.baseSha;
  const used = needs.map(({ id, sha }) => ({ needsLaneId: id, sha }));
  if (await containsAll(git, tip, needs)) {
    return { kind: tip === run.baseSha ? 'run' : 'integration', sha: tip, used };
  }
  const [first, ...others] = needs;
  if (first === undefined) return { kind: 'run', sha: run.baseSha, used };
  const merged = [first];
  let sha = first.sha;
  for (const next of others) {
    sha = await withNext(git, lane, { sha, merged, next });
    merged.push(next);
  }
  // A merge of several has no other ref, and git would collect it.
  if (others.length > 0) await keep(git, baseRef(run, lane.key), sha);
  return { kind: 'dep', sha, used };
}

interface Needed {
  readonly id: string;
  readonly key: string;
  readonly sha: string;
}

function neededBy({ store }: LaneContext, lane: Pick<Lane, 'id' | 'key'>): Needed[] {
  const lanes = laneStore(store);
  const unmet = lanes.unmet(lane.id);
  if (unmet.length > 0) {
    throw new ExplainedError(`lane ${lane.key} waits for ${unmet.join(', ')}`, {
      hint: 'it starts by itself once they are verified; see `lanehold orchestrate status`',
    });
  }
  return lanes
    .depsOf(lane.id)
    .flatMap(({ needsLaneId }) => lanes.byId(needsLaneId) ?? [])
    .sort((a: LaneView, b: LaneView) => a.position - b.position)
    .flatMap(({ id, key, headSha }) => (headSha === null ? [] : [{ id, key, sha: headSha }]));
}

async function containsAll(git: Git, tip: string, needs: readonly Needed[]): Promise<boolean> {
  for (const { sha } of needs) if (!(await isAncestor(git, sha, tip))) return false;
  return true;
}

async function withNext(
  git: Git,
  { key }: Pick<Lane, 'key'>,
  { sha, merged, next }: { sha: string; merged: readonly Needed[]; next: Needed },
): Promise<string> {
  if (await isAncestor(git, sha, next.sha)) return next.sha;
  const names = [...merged, next].map((it) => it.key).join(' and ');
  const message = `Merge ${names} for lane ${key} to start from`;
  const merge = await mergeCommit(git, { ours: sha, theirs: next.sha, message });
  if (merge.kind !== 'conflict') return merge.commit;
  const rivals = merged.map((it) => it.key).join(', ');
  throw new ExplainedError(
    `lane ${key} needs ${next.key} and ${rivals}, which conflict in ${merge.paths.join(', ')}`,
    { hint: `settle it in one of them: \`lanehold orchestrate retry ${next.key}\`` },
  );
}

async function keep(git: Git, ref: string, sha: string): Promise<void> {
  const now = await refAt(git, ref);
  if (now !== sha) await moveRef(git, ref, sha, now ?? NO_COMMIT, 'lanehold: base of a lane');
}
