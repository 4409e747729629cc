/**
 * The merge queue: verified lanes are merged onto the run's tip without using any lane's working tree,
 * and the tip moves only to a commit on which every validation has passed.
 */
import { ExplainedError, UsageError } from '../../errors.ts';
import { assess } from '../../features/assess.ts';
import { workspaceOn } from '../../features/workspace.ts';
import type { Git } from '../../git/git.ts';
import { isAncestor, moveRef, refAt } from '../../git/plumbing.ts';
import { projectPlace } from '../../git/project.ts';
import { integrationStore } from '../../store/integrations.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { findLane } from '../find.ts';
import type { Member } from './batch.ts';
import { waitForIntegrationLock } from './purpose.ts';
import { enqueue, OPEN, reconcile, withdraw } from './queue.ts';
import type { Culprit, FeatureReport, IntegrationReport, TargetReport } from './report.ts';
import { gitOfRun, NO_COMMIT } from './repository.ts';
import { type Findings, runRound } from './round.ts';

export interface IntegrateOptions {
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
  /** Keys; by default every verified lane. */
  readonly lanes?: readonly string[];
}

/** How often the tip may be moved from elsewhere before it is reported. */
const MAX_ROUNDS = 10;

/** @throws {UsageError | ExplainedError} */
export async function integrate(
  context: LaneContext,
  run: Run,
  options: IntegrateOptions,
): Promise<IntegrationReport> {
  assertOpen(run);
  const { signal, progress } = options;
  const lock = await waitForIntegrationLock(context, run, {
    signal,
    onWait: () => progress('waiting for another integration of this run'),
  });
  try {
    return await integrateLocked(context, run, options);
  } finally {
    withdrawLeft(context, run, signal.aborted ? 'interrupted' : 'the integration has failed');
    lock.release();
  }
}

function assertOpen(run: Run): void {
  if (run.intent === 'active' || run.intent === 'paused') return;
  throw new ExplainedError(`run ${run.name} is ${run.intent}`, {
    hint: 'what it integrated stays under its refs; begin a new run for more',
  });
}

async function integrateLocked(
  context: LaneContext,
  run: Run,
  options: IntegrateOptions,
): Promise<IntegrationReport> {
  const git = gitOfRun(context, run);
  const from = await tipOf(git, run);
  await reconcile(context, run, (sha) => isAncestor(git, sha, from));
  const culprits: Culprit[] = [];
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds += 1) {
    const outcome = await oneRound(context, run, git, options);
    culprits.push(...outcome.culprits);
    if (outcome.findings !== 'lost') {
      return reportOf(context, run, { ...outcome.findings, culprits, from });
    }
    withdrawLeft(context, run, 'the tip was moved from elsewhere');
  }
  throw new ExplainedError(`the tip of ${run.name} is moved again and again from elsewhere`, {
    hint: `see who moves ${run.integrationRef}`,
  });
}

interface RoundOutcome {
  readonly findings: Findings | 'lost';
  /** Recorded even if the round was lost. */
  readonly culprits: readonly Culprit[];
}

async function oneRound(
  context: LaneContext,
  run: Run,
  git: Git,
  { signal, progress, lanes: keys }: IntegrateOptions,
): Promise<RoundOutcome> {
  const tip = await tipOf(git, run);
  const target = await refAt(git, run.targetRef);
  const isBehind = target !== undefined && !(await isAncestor(git, target, tip));
  const lanes = lanesToIntegrate(context, run, tip, keys);
  const queued = enqueue(context, run, lanes);
  if (queued.length > 0) progress(`queued ${queued.map(({ lane }) => lane.key).join(', ')}`);
  const members: Member[] = queued.map((it) => ({ kind: 'lane', ...it }));
  // If nothing is waiting to land, the tip need not be brought up to date.
  if (isBehind && (members.length > 0 || !(await isAncestor(git, tip, target)))) {
    members.unshift({ kind: 'target', ref: run.targetRef, sha: target });
  }
  const base = target ?? run.baseSha;
  const state: TargetReport = { state: 'current', ref: run.targetRef };
  const culprits: Culprit[] = [];
  const site = { context, run, git, base, signal, progress, culprits };
  const findings = await runRound(site, { tip, members, target: state });
  return { findings, culprits };
}

/** Created at the base if it is missing. */
async function tipOf(git: Git, run: Run): Promise<string> {
  const tip = await refAt(git, run.integrationRef);
  if (tip !== undefined) return tip;
  const reason = `lanehold: begin the integration of ${run.name}`;
  await moveRef(git, run.integrationRef, run.baseSha, NO_COMMIT, reason);
  return (await refAt(git, run.integrationRef)) ?? run.baseSha;
}

/** No row stays open once its integration has ended. */
function withdrawLeft(context: LaneContext, run: Run, why: string): void {
  for (const row of integrationStore(context.store).ofRun(run.id)) {
    if (OPEN.has(row.state)) withdraw(context, row, why);
  }
}

async function reportOf(
  context: LaneContext,
  run: Run,
  found: Findings & { readonly culprits: readonly Culprit[]; readonly from: string },
): Promise<IntegrationReport> {
  const { conflicts, culprits, withheld } = found;
  const told = new Set([...conflicts, ...culprits, ...withheld].map(({ lane }) => lane));
  const done = new Set(['integrated', 'landed', 'cancelled', 'verified']);
  const unfinished = laneStore(context.store)
    .ofRun(run.id)
    .flatMap(({ key, state }) => (done.has(state) || told.has(key) ? [] : [{ lane: key, state }]));
  const features = await featuresOf(context, run, found.tip);
  return { run: run.name, ...found, unfinished, features };
}

/**
 * Verified lanes, and those in conflict whose conflict may be gone because the tip has moved. A lane
 * comes after those it started from. Named lanes bring along the lanes they contain.
 *
 * @param keys `undefined`: every lane.
 * @throws {UsageError} if a named lane is not verified.
 */
function lanesToIntegrate(
  { store }: LaneContext,
  run: Run,
  tip: string,
  keys: readonly string[] | undefined,
): LaneView[] {
  const lanes = inOrder(store, run);
  if (keys !== undefined) {
    const named = withNeeds(
      store,
      keys.map((key) => namedLane(store, run, key)),
      lanes,
    );
    return lanes.filter((lane) => named.has(lane.id) && isVerified(lane));
  }
  const integrations = integrationStore(store);
  const movedOn = ({ id, headSha }: LaneView): boolean =>
    headSha !== null && integrations.ofCommit(id, headSha)?.ontoSha !== tip;
  return lanes.filter(
    (lane) => lane.state === 'verified' || (lane.state === 'conflict' && movedOn(lane)),
  );
}

/** Verified alone; whether it fits with others is a separate question. */
function isVerified({ state }: LaneView): boolean {
  return state === 'verified' || state === 'conflict' || state === 'culprit';
}

function namedLane(store: LaneContext['store'], run: Run, key: string): LaneView {
  const lane = findLane(store, run, key);
  if (isVerified(lane) || lane.state === 'integrated' || lane.state === 'landed') return lane;
  throw new UsageError(`lane \`${key}\` is not verified: it is ${lane.state}`, {
    hint: `see what it needs: \`lanehold orchestrate status --run ${run.name}\``,
  });
}

function withNeeds(
  store: LaneContext['store'],
  named: readonly LaneView[],
  lanes: readonly LaneView[],
): ReadonlySet<string> {
  const found = new Set<string>();
  const deps = laneStore(store);
  const visit = (id: string): void => {
    if (found.has(id)) return;
    found.add(id);
    for (const { needsLaneId } of deps.depsOf(id)) visit(needsLaneId);
  };
  for (const { id } of named) visit(id);
  return new Set(lanes.flatMap(({ id }) => (found.has(id) ? [id] : [])));
}

/** Dependencies first, else in the order of creation. */
function inOrder(store: LaneContext['store'], run: Run): LaneView[] {
  const lanes = laneStore(store).ofRun(run.id);
  const deps = laneStore(store).depsOfRun(run.id);
  const ordered = new Set<LaneView>();
  const visit = (lane: LaneView, trail: readonly string[]): void => {
    if (ordered.has(lane) || trail.includes(lane.id)) return;
    for (const { needsLaneId } of deps.filter((it) => it.laneId === lane.id)) {
      const needed = lanes.find(({ id }) => id === needsLaneId);
      if (needed) visit(needed, [...trail, lane.id]);
    }
    ordered.add(lane);
  };
  for (const lane of lanes) visit(lane, []);
  return [...ordered];
}

/** Compares the tip with the target branch, as `lanehold gate --base <target> --head <tip>` does. */
async function featuresOf(context: LaneContext, run: Run, tip: string): Promise<FeatureReport> {
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
