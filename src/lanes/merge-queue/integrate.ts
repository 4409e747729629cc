/**
 * The merge queue: verified lanes are merged onto the run's tip without using any lane's working tree,
 * and the tip moves only to a commit on which every validation has passed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { actorOf } from '../../agents/actor.ts';
import { ExplainedError, UsageError } from '../../errors.ts';
import { assess } from '../../features/assess.ts';
import { workspaceOn } from '../../features/workspace.ts';
import type { Git } from '../../git/git.ts';
import { isAncestor, moveRef, refAt } from '../../git/plumbing.ts';
import { projectPlace } from '../../git/project.ts';
import { integrationStore } from '../../store/integrations.ts';
import { INTEGRATION_ENDED, laneEventStore } from '../../store/lane-events.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import { redact } from '../../text/redact/redact.ts';
import type { LaneContext } from '../model/context.ts';
import { acceptFlags, flagsOf, flagWords, isToBeLookedAt } from '../model/flags.ts';
import { findLane } from '../model/names.ts';
import type { Member } from './batch.ts';
import { takePurposeLock } from './purpose.ts';
import { enqueue, OPEN, reconcile, withdraw } from './queue.ts';
import { gitOfRun } from './repository.ts';
import { type Culprit, type Findings, type RoundSite, runRound } from './round.ts';

export interface IntegrationReport extends Readonly<Findings> {
  readonly run: string;
  /** The tip before. */
  readonly from: string;
  readonly culprits: readonly Culprit[];
  /** Lanes that are not verified, or were refused before, with their states. */
  readonly unfinished: readonly { readonly lane: string; readonly state: string }[];
  readonly features: FeatureReport;
}

/** What the gate would say of the tip. */
type FeatureReport =
  | { readonly known: true; readonly held: readonly string[]; readonly verified: readonly string[] }
  | { readonly known: false; readonly why: string };

export interface IntegrateOptions {
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
  /** Keys; by default every verified lane. */
  readonly lanes?: readonly string[];
  /** Kinds of flags that need no person. */
  readonly accept?: readonly string[];
}

/** How often the tip may be moved from elsewhere before it is reported. */
const MAX_ROUNDS = 10;
const POLL_MS = 200;

/** @throws {UsageError | ExplainedError} */
export async function integrate(
  context: LaneContext,
  run: Run,
  options: IntegrateOptions,
): Promise<IntegrationReport> {
  if (run.intent !== 'active' && run.intent !== 'paused') {
    throw new ExplainedError(`run ${run.name} is ${run.intent}`, {
      hint: 'what it integrated stays under its refs; begin a new run for more',
    });
  }
  const { signal, progress } = options;
  let lock = takePurposeLock(context.store.home, 'integration', run);
  if (lock === undefined) progress('waiting for another integration of this run');
  while (lock === undefined) {
    await sleep(POLL_MS, undefined, { signal });
    lock = takePurposeLock(context.store.home, 'integration', run);
  }
  const steps: string[] = [];
  try {
    return await integrateLocked(context, run, {
      ...options,
      progress: (line) => {
        steps.push(redact(line));
        progress(line);
      },
    });
  } finally {
    withdrawLeft(context, run, signal.aborted ? 'interrupted' : 'the integration has failed');
    if (steps.length > 0) noteSteps(context, run, steps);
    lock.release();
  }
}

function noteSteps({ store, env, now }: LaneContext, run: Run, steps: readonly string[]): void {
  const by = actorOf({ env }).name;
  const event = { runId: run.id, type: INTEGRATION_ENDED, data: { steps }, by };
  store.write(() => laneEventStore(store).add(event, now()));
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
    const found = await oneRound({ context, run, git, culprits, ...options });
    if (found !== 'lost') return reportOf(context, run, { ...found, culprits, from });
    withdrawLeft(context, run, 'the tip was moved from elsewhere');
  }
  throw new ExplainedError(`the tip of ${run.name} is moved again and again from elsewhere`, {
    hint: `see who moves ${run.integrationRef}`,
  });
}

async function oneRound(
  site: Omit<RoundSite, 'base'> & Pick<IntegrateOptions, 'lanes' | 'accept'>,
): Promise<Findings | 'lost'> {
  const { context, run, git, progress } = site;
  const tip = await tipOf(git, run);
  const target = await refAt(git, run.targetRef);
  const isBehind = target !== undefined && !(await isAncestor(git, target, tip));
  const { accept: kinds = [] } = site;
  const wanted = lanesToIntegrate(context, run, tip, site.lanes);
  for (const lane of wanted) {
    acceptFlags(context.store, lane, { by: 'lanes.accept', kinds, now: context.now() });
  }
  const stopped = wanted.filter((lane) => isToBeLookedAt(context.store, lane));
  const free = wanted.filter((lane) => !stopped.includes(lane));
  const queued = enqueue(context, run, free);
  if (queued.length > 0) progress(`queued ${queued.map(({ lane }) => lane.key).join(', ')}`);
  const members: Member[] = [...queued];
  // If nothing is waiting to land, the tip need not be brought up to date.
  if (isBehind && (members.length > 0 || !(await isAncestor(git, tip, target)))) {
    members.unshift({ kind: 'target', ref: run.targetRef, sha: target });
  }
  const found = await runRound({ ...site, base: target ?? run.baseSha }, tip, members);
  if (found === 'lost') return found;
  const held = stopped.map((lane) => ({ lane: lane.key, why: whyStopped(context, run, lane) }));
  return { ...found, withheld: [...held, ...found.withheld] };
}

function whyStopped({ store }: LaneContext, run: Run, lane: LaneView): string {
  const flags = flagsOf(store, lane).filter(({ stops }) => stops);
  const accept = `lanehold orchestrate integrate --accept ${lane.key} --run ${run.name}`;
  return `to be looked at: ${flags.map(flagWords).join(', ')}; a person accepts it: ${accept}`;
}

/** Created at the base if it is missing. */
async function tipOf(git: Git, run: Run): Promise<string> {
  const tip = await refAt(git, run.integrationRef);
  if (tip !== undefined) return tip;
  const reason = `lanehold: begin the integration of ${run.name}`;
  await moveRef(git, run.integrationRef, run.baseSha, '', reason);
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
    const named = keys.map((key) => namedLane(store, run, key));
    const wanted = withNeeds(store, named);
    return lanes.filter((lane) => wanted.has(lane.id) && isVerified(lane));
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

/** The ids of these lanes and of all that they need. */
function withNeeds(store: LaneContext['store'], named: readonly LaneView[]): ReadonlySet<string> {
  const found = new Set(named.map(({ id }) => id));
  // A set also visits what is added meanwhile.
  for (const id of found) {
    for (const { needsLaneId } of laneStore(store).depsOf(id)) found.add(needsLaneId);
  }
  return found;
}

/** Dependencies first, else in the order of creation. */
function inOrder(store: LaneContext['store'], run: Run): LaneView[] {
  const lanes = new Map(
    laneStore(store)
      .ofRun(run.id)
      .map((lane) => [lane.id, lane]),
  );
  const needs = Map.groupBy(laneStore(store).depsOfRun(run.id), ({ laneId }) => laneId);
  const ordered: LaneView[] = [];
  const visit = (id: string): void => {
    const lane = lanes.get(id);
    if (lane === undefined) return;
    lanes.delete(id);
    for (const { needsLaneId } of needs.get(id) ?? []) visit(needsLaneId);
    ordered.push(lane);
  };
  for (const id of lanes.keys()) visit(id);
  return ordered;
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
