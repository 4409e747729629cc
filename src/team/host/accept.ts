/** Turns a claim into an ordinary lane of this machine, if somebody whom its owner trusts has signed it. */
import { UsageError } from '../../base/errors.ts';
import { moveRef, refAt } from '../../base/git/plumbing.ts';
import { settingsFor } from '../../lanes/settings/settings-for.ts';
import { addLaneRow, wantLanes } from '../../lanes/spec/edit.ts';
import { bothClocks, writeLease } from '../../lanes/spec/lease.ts';
import { assertName } from '../../lanes/spec/names.ts';
import { checkpointRef, laneDir } from '../../lanes/spec/paths.ts';
import { assertSpec } from '../../lanes/spec/spec.ts';
import { reconcile } from '../../lanes/start/reconcile.ts';
import { keepLogin } from '../../lanes/start/worker.ts';
import { addReport } from '../../lanes/talk/say.ts';
import { gitSettings } from '../../lanes/tree/git-settings.ts';
import { newId } from '../../store/ids.ts';
import { type LaneView, laneStore, type Run, runStore } from '../../store/lanes.ts';
import { type TeamClaim, teamClaimStore } from '../../store/team-claims.ts';
import { BY, type Host } from './host.ts';
import { checkedOffer, type Offer } from './offer.ts';
import { type Clone, cloneOf, fetchRun, lastCheckpoint, makeClone } from './repository.ts';

/**
 * @throws {RefusedError | UsageError} if this machine does not work on it.
 * @throws {ExplainedError} if it cannot be begun now, as without a network.
 */
export async function begin(host: Host, claim: TeamClaim): Promise<void> {
  const { context, settings } = host;
  const known = await cloneOf(host, claim.repo);
  // Nothing that the remote says counts before its address is known to be right.
  const signed = known ? undefined : await checkedOffer(host, claim, undefined);
  const clone = known ?? (await makeClone(host, claim.repo, signed?.run.remote ?? ''));
  await fetchRun(clone, claim.run, settings.refs);
  const offer = await checkedOffer(host, claim, clone);
  const { base, from, key } = offer.lane;
  for (const commit of [base, from ?? base]) await assertThere(clone, commit);
  const run = await localRun(host, clone, offer);
  // The present settings of git are the user's; later ones may be a worker's.
  await gitSettings(context, run);
  const checkpoint = await lastCheckpoint(clone, claim, key);
  if (checkpoint !== undefined) {
    const ref = checkpointRef(run, key);
    const now = await refAt(clone.git, ref);
    await moveRef(clone.git, ref, checkpoint, now ?? '', 'lanehold: checkpoint of another machine');
  }
  if (!addLane(host, claim, run, offer)) return;
  const { root } = clone.workspace.place;
  host.log(`${key} of ${offer.run.name}: claimed, for ${offer.by}, in ${root}`);
}

async function assertThere({ git, name }: Clone, commit: string): Promise<void> {
  const found = await git.maybe(['rev-parse', '--verify', '--quiet', `${commit}^{commit}`]);
  if (found === undefined) throw new UsageError(`${name} has no ref with the commit ${commit}`);
}

/** A run of its own for each claim, so that nothing of an earlier one is in its way. */
async function localRun(
  { context }: Host,
  { workspace: { projectId, place }, git }: Clone,
  { run: { name, goal, base, target }, by }: Offer,
): Promise<Run> {
  const { attempts, onLimit, budget, dayBudget } = await settingsFor(context, {
    repository: git.directory,
    baseSha: base,
  });
  const createdAt = context.now();
  const id = newId(createdAt);
  assertName('run', name);
  return {
    id,
    projectId,
    name: `${name.slice(0, 50)}-${id.slice(-6)}`,
    goal,
    repository: git.directory,
    commonDir: place.identity,
    baseSha: base,
    targetRef: target,
    integrationRef: `refs/lanehold/${id}/integration`,
    intent: 'active',
    pauseReason: null,
    policy: { parallel: 1, attempts, onLimit, laneBudget: budget, runBudget: {}, dayBudget },
    createdBy: by,
    createdAt,
  };
}

/** @returns whether it was added: the claim may have ended meanwhile. */
function addLane({ context }: Host, claim: TeamClaim, run: Run, offer: Offer): boolean {
  const { store } = context;
  const claims = teamClaimStore(store);
  const { key, spec, base, from, told } = offer.lane;
  assertName('lane', key);
  assertSpec(spec);
  return store.write(() => {
    if (claims.byId(claim.lane, claim.epoch)?.ending !== null) return false;
    runStore(store).add(run);
    runStore(store).setOrigin(run.id, claim.run);
    const existing = { baseSha: base, ...(from === null ? {} : { headSha: from }) };
    const { id: laneId } = addLaneRow(context, run, { key, spec, priority: 0, by: BY, existing });
    claims.put({ ...claim, laneId, key, tries: 0, why: null });
    const lane = laneStore(store).byId(laneId) as LaneView;
    const note = { kind: 'note', by: BY, toWorker: true } as const;
    if (told) addReport(context, { lane, attempt: null }, { ...note, text: told });
    const { leaseMs } = claim.bodies;
    if (leaseMs !== null) writeLease(laneDir(store.home, laneId), bothClocks(), leaseMs);
    return true;
  });
}

/** Starts the worker of a lane. */
export async function start({ context }: Host, run: Run, lane: LaneView): Promise<void> {
  await keepLogin(context, run, lane, await settingsFor(context, run));
  wantLanes(context, run, [lane], BY);
  await reconcile(context);
}
