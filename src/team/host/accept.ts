/** Turns a claim into an ordinary lane of this machine, if somebody whom its owner trusts has signed it. */
import { UsageError } from '../../base/errors.ts';
import { moveRef, refAt } from '../../base/git/plumbing.ts';
import { RefusedError } from '../../evidence/envelope.ts';
import type { LaneSettings } from '../../lanes/settings/settings.ts';
import { settingsFor } from '../../lanes/settings/settings-for.ts';
import { wantLane } from '../../lanes/spec/edit.ts';
import { assertName } from '../../lanes/spec/names.ts';
import { checkpointRef } from '../../lanes/spec/paths.ts';
import { assertSpec, derived } from '../../lanes/spec/spec.ts';
import { reconcile } from '../../lanes/start/reconcile.ts';
import { keepLogin } from '../../lanes/start/worker.ts';
import { tellWorker } from '../../lanes/talk/say.ts';
import { gitSettings } from '../../lanes/tree/git-settings.ts';
import { newId } from '../../store/ids.ts';
import { type Lane, type LaneView, laneStore, type Run, runStore } from '../../store/lanes.ts';
import { type ReleaseReason, type TeamClaim, teamClaimStore } from '../../store/team-claims.ts';
import { BY, end, type Host } from './host.ts';
import { checkedOffer, type Offer } from './offer.ts';
import { type Clone, cloneOf, fetchRun, lastCheckpoint, makeClone } from './repository.ts';

/** Why this machine does not work on a lane: another one may. */
export class NotHereError extends RefusedError {
  readonly reason: ReleaseReason;

  constructor(reason: ReleaseReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** @throws {ExplainedError} if it cannot be begun now, as without a network. */
export async function accept(host: Host, claim: TeamClaim): Promise<void> {
  try {
    await begin(host, claim);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const why = error instanceof NotHereError ? error.reason : 'signer';
    end(host, claim, { kind: 'release', why, head: null, waitS: null }, error.message);
  }
}

async function begin(host: Host, claim: TeamClaim): Promise<void> {
  const { context, settings: own } = host;
  const known = await cloneOf(host, claim.repo);
  // Nothing that the remote says counts before its address is known to be right.
  const signed = known ? undefined : await checkedOffer(host, claim, undefined);
  const clone = known ?? (await makeClone(host, claim.repo, signed?.run.remote ?? ''));
  await fetchRun(clone, claim.run, own.refs);
  const offer = await checkedOffer(host, claim, clone);
  assertValid(offer);
  const { spec, base, key } = offer.lane;
  const start = offer.lane.from ?? base;
  for (const commit of [base, start]) await assertThere(clone, commit);
  const { workspace } = clone;
  const repository = clone.git.directory;
  const settings = await settingsFor(context, { repository, baseSha: base });
  const run = localRun(host, clone, settings, offer);
  const lane = addLane(host, claim, run, { key, spec, base, start });
  // The present settings are the user's; later ones may be a worker's.
  await gitSettings(context, run);
  const checkpoint = await lastCheckpoint(clone, claim, key);
  if (checkpoint !== undefined) {
    const ref = checkpointRef(run, lane.key);
    const now = await refAt(clone.git, ref);
    await moveRef(clone.git, ref, checkpoint, now ?? '', 'lanehold: checkpoint of another machine');
  }
  if (offer.lane.told) tellWorker(context, lane, { text: offer.lane.told, by: BY });
  await keepLogin(context, run, lane, settings);
  host.log(`${key} of ${offer.run.name}: claimed, for ${offer.by}, in ${workspace.place.root}`);
  wantLane(context, run, lane, BY);
  await reconcile(context);
}

async function assertThere({ git, remote }: Clone, commit: string): Promise<void> {
  const found = await git.maybe(['rev-parse', '--verify', '--quiet', `${commit}^{commit}`]);
  if (found === undefined)
    throw new NotHereError('repository', `${remote} has no ref with the commit ${commit}`);
}

/** A run and a lane of their own for each claim, so that nothing of an earlier one is in their way. */
function localRun(
  { context: { now }, settings: own }: Host,
  { workspace: { projectId, place }, git }: Clone,
  settings: LaneSettings,
  { run, by }: Offer,
): Run {
  const createdAt = now();
  const id = newId(createdAt);
  return {
    id,
    projectId,
    name: `${run.name.slice(0, 50)}-${id.slice(-6)}`,
    goal: run.goal,
    repository: git.directory,
    commonDir: place.identity,
    baseSha: run.base,
    targetRef: run.target,
    integrationRef: `refs/lanehold/${id}/integration`,
    intent: 'active',
    pauseReason: null,
    policy: {
      parallel: own.slots,
      attempts: settings.attempts,
      onLimit: settings.onLimit,
      laneBudget: settings.budget,
      runBudget: {},
      dayBudget: settings.dayBudget,
    },
    createdBy: by,
    createdAt,
  };
}

interface Task extends Pick<Lane, 'key' | 'spec'> {
  readonly base: string;
  readonly start: string;
}

function addLane(host: Host, claim: TeamClaim, run: Run, task: Task): LaneView {
  const { store, now } = host.context;
  const { key, spec, base, start } = task;
  const at = now();
  const id = newId(at);
  const lane: Lane = {
    ...derived(spec),
    id,
    runId: run.id,
    key,
    position: 1,
    spec,
    specRev: 1,
    setupHash: '',
    branch: `lanehold/${run.name}/${key}`,
    worktree: null,
    adopted: false,
    baseSha: base,
    headSha: start === base ? null : start,
    intent: 'hold',
    blocked: null,
    wantsAfter: 0,
    priority: 0,
    createdAt: at,
  };
  return store.write(() => {
    runStore(store).add(run);
    runStore(store).setOrigin(run.id, claim.run);
    laneStore(store).add(lane, BY);
    teamClaimStore(store).put({ ...claim, laneId: id, key, tries: 0, why: null });
    return laneStore(store).byId(id) as LaneView;
  });
}

/** What is not valid in an offer is refused: its home has another version, or is not to be trusted. */
function assertValid({ run, lane: { key, spec } }: Offer): void {
  try {
    assertName('run', run.name);
    assertName('lane', key);
    assertSpec(spec);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new NotHereError('policy', error.message);
  }
}
