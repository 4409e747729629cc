/** What the gate would say of the integration, so that its answer to a later push is known. */
import { ExplainedError } from '../../errors.ts';
import { assess } from '../../features/assess.ts';
import { workspaceOn } from '../../features/workspace.ts';
import { refAt } from '../../git/plumbing.ts';
import { projectPlace } from '../../git/project.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import type { FeatureReport } from './report.ts';
import { gitOfRun } from './repository.ts';

/** Compares the tip with the target branch, as `lanehold gate --base <target> --head <tip>` does. */
export async function featuresOf(
  context: LaneContext,
  run: Run,
  tip: string,
): Promise<FeatureReport> {
  const { store, env, now } = context;
  const git = gitOfRun(context, run);
  const target = (await refAt(git, run.targetRef)) ?? run.baseSha;
  const fork = (await git.maybe(['merge-base', target, tip]))?.trim() ?? target;
  if (fork === tip) return { known: true, held: [], verified: [] };
  try {
    const workspace = workspaceOn(store, projectPlace(run.repository), env, now);
    const subject = { kind: 'revision', oid: tip } as const;
    const comparison = { subject, base: fork, published: [target] };
    const { affected, held } = await assess(workspace, comparison, now());
    const waiting = new Set(held.map(({ feature }) => feature.name));
    const all = new Set(affected.map(({ feature }) => feature.name));
    return {
      known: true,
      held: [...waiting].sort(),
      verified: [...all].filter((name) => !waiting.has(name)).sort(),
    };
  } catch (error) {
    // The gate will hold for the same reason; the integration stands all the same.
    if (!(error instanceof ExplainedError)) throw error;
    return { known: false, why: error.message };
  }
}
