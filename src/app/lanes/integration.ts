/** Integrates the verified lanes of a run, and reports the gate's answer for the result. */
import { actorOf } from '../../agents/actor.ts';
import { ExplainedError } from '../../base/errors.ts';
import { refAt } from '../../base/git/plumbing.ts';
import { projectPlace } from '../../base/git/project.ts';
import { listWorktrees } from '../../base/git/worktrees.ts';
import { assess } from '../../features/assess.ts';
import { lookAt } from '../../features/comparison.ts';
import { workspaceOn } from '../../features/workspace.ts';
import { settingsFor } from '../../lanes/settings/settings-for.ts';
import { addLaneEvent, gitOfRun, type LaneContext } from '../../lanes/spec/context.ts';
import { assertVerified } from '../../lanes/spec/edit.ts';
import { acceptFlags, flagWords, stoppingFlags } from '../../lanes/spec/flags.ts';
import { findLane } from '../../lanes/spec/names.ts';
import { INTEGRATION_ENDED, laneEventStore } from '../../store/lane-events.ts';
import type { Run } from '../../store/lanes.ts';
import { agreedBy } from '../agreement.ts';
import type { AppContext } from '../context.ts';
import { gitOf } from '../hold/holds.ts';
import { policyBy } from './new-run.ts';
import { type OpenRun, openLaneProject, openRun } from './open-run.ts';
import type { RunWish } from './runs.ts';
import { tendTeam, tipOfTeam } from './team-lanes.ts';

export type RunIntegration = Awaited<ReturnType<typeof integrateRun>>;

interface IntegrateWish extends RunWish {
  /** Only these lanes, with the lanes that they start from. */
  readonly lanes?: readonly string[] | undefined;
  /** Verified lanes whose flags the person has seen. */
  readonly accept?: readonly string[] | undefined;
  /** Takes only the changes of lanes whose history has commits that were removed from the target. */
  readonly rebase?: boolean | undefined;
  /** First makes this machine the home of a run that is another machine's. */
  readonly takeOver?: boolean | undefined;
  readonly signal: AbortSignal;
}

export async function integrateRun(
  context: AppContext,
  { run: name, lanes, accept, rebase, takeOver, signal }: IntegrateWish,
) {
  if (takeOver) await takeOverHere(context, name);
  const [open, { integrate }] = await Promise.all([
    openRun(context, name),
    import('../../lanes/queue/integrate.ts'),
  ]);
  const { laneContext, run } = open;
  await tendTeam(laneContext, run, context.progress);
  const accepted = await acceptLanes(context, open, accept ?? []);
  const report = await integrate(laneContext, run, {
    signal,
    rebase,
    progress: context.progress,
    shared: await tipOfTeam(laneContext, run),
    accept: (await open.settings()).accept,
    ...(lanes === undefined ? {} : { lanes }),
  });
  // `accepted` has the lanes that this call has accepted, and for whom.
  return { ...report, accepted, features: await featuresOf(laneContext, run, report.tip) };
}

async function takeOverHere(context: AppContext, name: string | undefined): Promise<void> {
  const { workspace, laneContext } = await openLaneProject(context);
  const git = gitOf(workspace);
  const [main] = await listWorktrees(git);
  const repository = main?.path ?? workspace.place.root;
  const policy = policyBy(await settingsFor(laneContext, { repository }));
  const { takeOverRun } = await import('../../team/home/take-over.ts');
  const wish = { git, name, repository, policy, by: actorOf(context).name, limitMs: 10_000 };
  const run = await takeOverRun(laneContext, workspace, wish);
  context.progress(`this machine is the home of run ${run.name} now`);
}

/** `at` is `null` if nothing of the run was integrated yet. */
export async function explainIntegration(context: AppContext, { run: name }: RunWish) {
  const { laneContext, run } = await openRun(context, name);
  const last = laneEventStore(laneContext.store).last(run.id, INTEGRATION_ENDED);
  const steps = (last?.data.steps ?? []) as readonly string[];
  return { run: run.name, at: last?.at.toISOString() ?? null, steps };
}

export function isComplete(report: RunIntegration): boolean {
  const { culprits, conflicts, withheld, unfinished, stopped, target } = report;
  const refused = unfinished.filter(({ state }) => state === 'conflict' || state === 'culprit');
  const open = culprits.length + conflicts.length + withheld.length + refused.length;
  const hasTarget = target.state !== 'conflict' && target.state !== 'culprit';
  return open === 0 && stopped === undefined && hasTarget;
}

/** Compares the tip with the target branch, as `lanehold gate --base <target> --head <tip>` does. */
async function featuresOf(context: LaneContext, run: Run, tip: string) {
  const { store, now } = context;
  const git = gitOfRun(context, run);
  const target = (await refAt(git, run.targetRef)) ?? run.baseSha;
  const base = (await git.maybe(['merge-base', target, tip]))?.trim() ?? target;
  if (base === tip) return { known: true as const, held: [], verified: [] };
  try {
    const workspace = workspaceOn(store, projectPlace(run.repository), git, now);
    const subject = { kind: 'revision', oid: tip } as const;
    const comparison = { subject, base, published: [target] };
    const found = await assess(lookAt(workspace), comparison, now());
    const held = new Set(found.held.map(({ feature }) => feature.name));
    const all = new Set(found.affected.map(({ feature }) => feature.name));
    return {
      known: true as const,
      held: [...held].sort(),
      verified: [...all.difference(held)].sort(),
    };
  } catch (error) {
    // The gate will hold for the same reason; the integration is valid all the same.
    if (!(error instanceof ExplainedError)) throw error;
    return { known: false as const, why: error.message };
  }
}

/**
 * @param keys the lanes; those without such flags stay unchanged.
 * @throws {UsageError} if a lane is not verified. @throws {ExplainedError} if no person has agreed.
 */
async function acceptLanes(
  context: AppContext,
  { laneContext, run, workspace }: OpenRun,
  keys: readonly string[],
) {
  const { store, now } = laneContext;
  const flagged = keys.flatMap((key) => {
    const lane = findLane(store, run, key);
    assertVerified(run, lane);
    const flags = stoppingFlags(store, lane);
    return flags.length === 0 ? [] : [{ lane, flags }];
  });
  if (flagged.length === 0) return [];
  const { name: by } = await agreedBy(context, workspace, 'acceptance');
  for (const { lane, flags } of flagged) {
    acceptFlags(store, lane, { by, now: now() });
    const data = { sha: lane.headSha, flags: flags.map(({ kind }) => kind) };
    store.write(() => addLaneEvent(laneContext, lane, { type: 'lane.accepted', data, by }));
  }
  return flagged.map(({ lane, flags }) => ({ lane: lane.key, by, flags: flags.map(flagWords) }));
}
