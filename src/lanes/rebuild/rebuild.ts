/**
 * Rebuilds runs and lanes after their database was lost: from the specs that supervisors saved, from
 * git's refs and from the worktrees. Validations are lost, so no lane is verified until it is
 * validated again.
 */
import { existsSync } from 'node:fs';
import { type Git, gitIn } from '../../git/git.ts';
import { refAt, treeOf } from '../../git/plumbing.ts';
import { markedProcesses } from '../../process/end-tree.ts';
import { bootId } from '../../process/process-entry.ts';
import { attemptStore, checkpointStore } from '../../store/attempts.ts';
import { probeLock } from '../../store/held-lock.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { type Lane, laneStore } from '../../store/lanes.ts';
import { projectStore } from '../../store/projects.ts';
import { type Run, runStore } from '../../store/runs.ts';
import { laneBranch } from '../merge-queue/repository.ts';
import { addLaneEvent, type LaneContext } from '../model/context.ts';
import { checkpointRef, supervisorLock } from '../model/paths.ts';
import { clash } from '../model/spec.ts';
import { type SavedSpec, savedSpecs } from './saved-specs.ts';

export interface Rebuilt {
  readonly run: string;
  /** Keys of the rebuilt lanes. */
  readonly lanes: readonly string[];
  /** Keys of the lanes with work that has to be validated again. */
  readonly unproven: readonly string[];
  /** Notes for the user, each a sentence without a full stop. */
  readonly remarks: readonly string[];
}

/** Idempotent: runs that the database has are left as they are. */
export async function rebuildLanes(context: LaneContext): Promise<Rebuilt[]> {
  const runs = runStore(context.store);
  const byRun = Map.groupBy(savedSpecs(context.store.home), ({ run }) => run.id);
  const rebuilt: Rebuilt[] = [];
  for (const [id, saved] of byRun) {
    const newest = saved.at(-1);
    if (newest === undefined || runs.byId(id) !== undefined) continue;
    rebuilt.push(await rebuildOne(context, newest.run, saved));
  }
  return rebuilt;
}

/** A run that cannot be read does not keep the others from being rebuilt. */
async function rebuildOne(
  context: LaneContext,
  run: Run,
  saved: readonly SavedSpec[],
): Promise<Rebuilt> {
  try {
    const last = lastPerLane(saved);
    const found = await foundInGit(context, run, last);
    return context.store.write(() => rebuildRun(context, run, { saved, last, found }));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const remark = `run ${run.name} cannot be built from what is left of it: ${error.message}`;
    return { run: run.name, lanes: [], unproven: [], remarks: [remark] };
  }
}

const BY = 'doctor';

interface Left {
  readonly saved: readonly SavedSpec[];
  /** The last one of each lane. */
  readonly last: readonly SavedSpec[];
  readonly found: FoundInGit;
}

function rebuildRun(context: LaneContext, was: Run, { saved, last, found }: Left): Rebuilt {
  const { store, now } = context;
  const { run, remarks } = reopened(context, was);
  runStore(store).add(run);
  laneEventStore(store).add(
    { runId: run.id, type: 'run.created', data: { rebuilt: true }, by: BY },
    now(),
  );
  const lanes = last
    .map(({ lane }) => reopenedLane(lane, found.get(lane.id)?.tip))
    .sort((a, b) => a.position - b.position);
  for (const lane of lanes) {
    laneStore(store).add(lane, BY);
    const data = { key: lane.key, rebuilt: true };
    addLaneEvent(context, lane, { type: 'lane.added', data, by: BY });
  }
  remarks.push(...connect(context, lanes));
  for (const it of saved.toSorted((a, b) => a.attempt.n - b.attempt.n)) {
    addAttempt(context, it, { isLast: last.some(({ attempt }) => attempt.id === it.attempt.id) });
  }
  for (const { lane, attempt } of last) {
    const checkpoint = found.get(lane.id)?.checkpoint;
    if (checkpoint === undefined) continue;
    const ids = { laneId: lane.id, attemptId: attempt.id };
    checkpointStore(store).add({ ...ids, ...checkpoint, reason: 'rebuilt', at: now() });
  }
  return {
    run: run.name,
    lanes: lanes.map(({ key }) => key),
    unproven: lanes.filter(({ headSha, baseSha }) => headSha !== baseSha).map(({ key }) => key),
    remarks,
  };
}

function reopened({ store, now }: LaneContext, saved: Run): { run: Run; remarks: string[] } {
  const projects = projectStore(store);
  const projectId = projects.ensure(saved.commonDir, now());
  const isOpen = saved.intent === 'active' || saved.intent === 'paused';
  const open = runStore(store).open(projectId);
  if (!isOpen || !open.some(({ name }) => name === saved.name)) {
    return { run: { ...saved, projectId }, remarks: [] };
  }
  return {
    run: { ...saved, projectId, intent: 'closed' },
    remarks: [`run ${saved.name} is closed: there is a newer open run of that name`],
  };
}

/** On hold, so that nothing starts before a person has looked at it. Live attempts continue. */
function reopenedLane(lane: Lane, tip: string | undefined): Lane {
  return {
    ...lane,
    intent: lane.intent === 'cancelled' ? 'cancelled' : 'hold',
    worktree: lane.worktree !== null && existsSync(lane.worktree) ? lane.worktree : null,
    headSha: tip ?? lane.headSha,
    wantsAfter: 0,
  };
}

/** Stores what lanes need and touch, from their specs. */
function connect({ store }: LaneContext, lanes: readonly Lane[]): string[] {
  const rows = laneStore(store);
  const remarks: string[] = [];
  for (const lane of lanes) {
    rows.setClaims(lane.id, lane.spec.touches, lane.spec.reads);
    const others = lanes.filter(({ id }) => id !== lane.id);
    const clashing = others.filter((other) => clash(lane.spec, other.spec)).map(({ id }) => id);
    rows.setClashes(lane.id, clashing);
    for (const key of lane.spec.needs) {
      const needed = others.find((other) => other.key === key);
      if (needed !== undefined) {
        rows.addDep(lane.id, needed.id, 'verified');
        continue;
      }
      // A lane without attempts has left no spec. What needs it must not start without it.
      rows.setBlocked(lane.id, `it needs ${key}, which was lost with the database`);
      remarks.push(`lane ${lane.key} needs ${key}, which was lost: add it again`);
    }
  }
  return remarks;
}

function addAttempt(
  { store, now }: LaneContext,
  { attempt }: SavedSpec,
  { isLast }: { readonly isLast: boolean },
): void {
  const attempts = attemptStore(store);
  attempts.add({ ...attempt, bootId: attempt.bootId ?? '' }, attempt.startedAt);
  // With an epoch a supervisor takes over as from another one, and starts no second worker.
  const epoch = attempts.takeOver(attempt.id, 0, '', now());
  if (isLast && isAtWork(attempt)) {
    attempts.note(attempt.id, epoch, { state: 'running' });
    return;
  }
  attempts.note(attempt.id, epoch, { state: 'lost' });
  attempts.note(attempt.id, epoch, {
    state: 'ended',
    endReason: 'lost',
    endDetail: 'its database was lost; `verify` judges what it has done',
    endedAt: now(),
  });
}

function isAtWork(attempt: SavedSpec['attempt']): boolean {
  if (attempt.bootId !== bootId()) return false;
  return (
    probeLock(supervisorLock(attempt.dir)) === 'held' || markedProcesses(attempt.id).length > 0
  );
}

function lastPerLane(saved: readonly SavedSpec[]): SavedSpec[] {
  const inOrder = saved.toSorted((a, b) => a.attempt.n - b.attempt.n);
  return [...new Map(inOrder.map((it) => [it.lane.id, it])).values()];
}

type Found = Awaited<ReturnType<typeof refsOf>>;
/** By lane. */
type FoundInGit = ReadonlyMap<string, Found>;

async function foundInGit(
  { env }: LaneContext,
  run: Run,
  saved: readonly SavedSpec[],
): Promise<FoundInGit> {
  const found = new Map<string, Found>();
  if (!existsSync(run.commonDir)) return found;
  const git = gitIn(run.commonDir, env);
  for (const { lane } of saved) found.set(lane.id, await refsOf(git, run, lane));
  return found;
}

/** The commits of a lane's branch and of its last checkpoint; `undefined` if there is none. */
async function refsOf(git: Git, run: Run, lane: Lane) {
  const tip = await refAt(git, laneBranch(lane));
  const sha = await refAt(git, checkpointRef(run, lane.key));
  if (sha === undefined) return { tip, checkpoint: undefined };
  const names = await git.text(['ls-tree', '-r', '--name-only', '-z', sha]);
  const files = names.split('\0').length - 1;
  return { tip, checkpoint: { sha, tree: await treeOf(git, sha), files } };
}
