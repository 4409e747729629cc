/** Turns a claim into an ordinary lane of this machine, if somebody whom its owner trusts has signed it. */
import { explained, UsageError } from '../../base/errors.ts';
import { moveRef, refAt } from '../../base/git/plumbing.ts';
import { RefusedError } from '../../evidence/envelope.ts';
import type { LaneSettings } from '../../lanes/settings/settings.ts';
import { settingsFor } from '../../lanes/settings/settings-for.ts';
import { setRunIntent, wantLane } from '../../lanes/spec/edit.ts';
import { assertName } from '../../lanes/spec/names.ts';
import { checkpointRef } from '../../lanes/spec/paths.ts';
import { assertSpec, derived } from '../../lanes/spec/spec.ts';
import { reconcile } from '../../lanes/start/reconcile.ts';
import { keepLogin } from '../../lanes/start/worker.ts';
import { tellWorker } from '../../lanes/talk/say.ts';
import { gitSettings } from '../../lanes/tree/git-settings.ts';
import { newId } from '../../store/ids.ts';
import { type Lane, type LaneSpec, type LaneView, laneStore } from '../../store/lanes.ts';
import { type Run, runStore } from '../../store/runs.ts';
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
  const { spec, base, key } = offer.lane;
  const start = offer.lane.from ?? base;
  for (const commit of [base, start]) await assertThere(clone, commit);
  const { workspace } = clone;
  const repository = clone.git.directory;
  const settings = await settingsFor(context, { repository, baseSha: base });
  const run = localRun(host, claim, clone, settings, offer);
  // The present settings are the user's; later ones may be a worker's.
  await gitSettings(context, run);
  const lane = addLane(host, claim, run, { key, spec, base, start, priority: 0 });
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

/** The run here for all lanes of that one; its name is free of those of this machine. */
function localRun(
  host: Host,
  claim: TeamClaim,
  { workspace: { projectId, place }, git }: Clone,
  settings: LaneSettings,
  { run, by }: Offer,
): Run {
  const { store, now } = host.context;
  const runs = runStore(store);
  const known = runs.ofOrigin(projectId, claim.run);
  if (known !== undefined) {
    if (known.intent !== 'active')
      setRunIntent(host.context, known, { intent: 'active', reason: null, by: BY });
    return { ...known, intent: 'active' };
  }
  refusing(() => assertName('run', run.name));
  const at = now();
  const id = newId(at);
  const taken = new Set(runs.all(projectId).map(({ name }) => name));
  const made: Run = {
    id,
    projectId,
    name: taken.has(run.name) ? `${run.name.slice(0, 50)}-${id.slice(-6)}` : run.name,
    goal: run.goal,
    repository: git.directory,
    commonDir: place.identity,
    baseSha: run.base,
    targetRef: run.target,
    integrationRef: `refs/lanehold/${id}/integration`,
    intent: 'active',
    pauseReason: null,
    policy: {
      parallel: Math.max(1, host.settings.slots),
      attempts: settings.attempts,
      onLimit: settings.onLimit,
      laneBudget: settings.budget,
      runBudget: {},
      dayBudget: settings.dayBudget,
    },
    createdBy: by,
    createdAt: at,
  };
  store.write(() => {
    runs.add(made);
    runs.setOrigin(id, claim.run);
  });
  return made;
}

interface Task extends Pick<Lane, 'key' | 'priority'> {
  readonly spec: LaneSpec;
  readonly base: string;
  readonly start: string;
}

/** A lane of its own for each claim, so that nothing of an earlier one is in its way. */
function addLane(host: Host, claim: TeamClaim, run: Run, task: Task): LaneView {
  const { store, now } = host.context;
  const { base, start, spec, priority } = task;
  refusing(() => {
    assertName('lane', task.key);
    assertSpec(spec);
  });
  const lanes = laneStore(store);
  return store.write(() => {
    const isTaken = lanes.byKey(run.id, task.key) !== undefined;
    const key = isTaken ? `${task.key.slice(0, 40)}.${claim.rev}-${claim.epoch}` : task.key;
    const at = now();
    const id = newId(at);
    const lane: Lane = {
      ...derived(spec),
      id,
      runId: run.id,
      key,
      position: lanes.nextPosition(run.id),
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
      priority,
      createdAt: at,
    };
    lanes.add(lane, BY);
    teamClaimStore(store).put({ ...claim, laneId: id, key: task.key, tries: 0, why: null });
    return lanes.byId(id) as LaneView;
  });
}

/** What is not valid in an offer is refused: its home has another version, or is not to be trusted. */
function refusing(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new NotHereError('policy', explained(error).message);
  }
}
