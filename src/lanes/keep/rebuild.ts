/**
 * Rebuilds runs and lanes after their database was lost: from the specs that supervisors saved, from
 * git's refs and from the worktrees. Validations are lost, so no lane is verified until it is
 * validated again.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { attempt } from '../../base/errors.ts';
import type { Home } from '../../base/files/home.ts';
import { readJsonFile } from '../../base/files/json-file.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { splitNul } from '../../base/git/paths.ts';
import { refAt, treeOf } from '../../base/git/plumbing.ts';
import { markedProcesses } from '../../base/process/end-tree.ts';
import { probeLock } from '../../base/process/held-lock.ts';
import { bootId } from '../../base/process/process-entry.ts';
import { type Attempt, attemptStore, checkpointStore } from '../../store/attempts.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { type Lane, laneStore, type Run, runStore } from '../../store/lanes.ts';
import { projectStore } from '../../store/projects.ts';
import { addLaneEvent, type LaneContext, laneBranch } from '../spec/context.ts';
import { isName } from '../spec/names.ts';
import { attemptDir, checkpointRef, supervisorLock } from '../spec/paths.ts';

/** Rebuilds runs. Idempotent: runs that the database has stay as they are. */
export async function rebuildLanes(context: LaneContext) {
  const runs = runStore(context.store);
  const byRun = Map.groupBy(savedSpecs(context.store.home), ({ run }) => run.id);
  const rebuilt: Awaited<ReturnType<typeof rebuildOne>>[] = [];
  for (const [id, saved] of byRun) {
    if (runs.byId(id) === undefined) rebuilt.push(await rebuildOne(context, saved));
  }
  return rebuilt;
}

/** Saved runs of a repository that the database lacks. */
export function lostRuns({ store }: Pick<LaneContext, 'store'>, commonDir: string): string[] {
  const lost = savedSpecs(store.home).filter(
    ({ run }) => run.commonDir === commonDir && runStore(store).byId(run.id) === undefined,
  );
  return [...new Set(lost.map(({ run }) => run.name))];
}

/** Rebuilds one run; a failure does not stop the others. */
async function rebuildOne(context: LaneContext, saved: readonly SavedSpec[]) {
  const { run } = saved.at(-1) as SavedSpec;
  try {
    const inOrder = saved.toSorted((a, b) => a.attempt.n - b.attempt.n);
    const found: FoundLane[] = [];
    for (const last of new Map(inOrder.map((it) => [it.lane.id, it])).values()) {
      found.push({ ...last, ...(await refsOf(context, run, last.lane)) });
    }
    return context.store.write(() => addAll(context, run, inOrder, found));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const remark = `run ${run.name} cannot be built from what is left of it: ${error.message}`;
    return { run: run.name, lanes: [], unproven: [], remarks: [remark] };
  }
}

const BY = 'doctor';

function addAll(
  context: LaneContext,
  run: Run,
  saved: readonly SavedSpec[],
  found: readonly FoundLane[],
) {
  const { store, now } = context;
  const remarks = addRun(context, run);
  const lanes = found.map(reopenedLane).sort((a, b) => a.position - b.position);
  for (const lane of lanes) {
    laneStore(store).add(lane, BY);
    const data = { key: lane.key, rebuilt: true };
    addLaneEvent(context, lane, { type: 'lane.added', data, by: BY });
  }
  remarks.push(...connect(context, lanes));
  for (const { attempt } of saved) {
    const isLast = found.some((it) => it.attempt.id === attempt.id);
    addAttempt(context, attempt, isLast && isAtWork(attempt) ? 'live' : 'over');
  }
  for (const { lane, attempt, checkpoint } of found) {
    if (checkpoint === undefined) continue;
    const ids = { laneId: lane.id, attemptId: attempt.id };
    checkpointStore(store).add({ ...ids, ...checkpoint, reason: 'rebuilt', at: now() });
  }
  const unproven = lanes.filter(({ headSha, baseSha }) => headSha !== baseSha);
  const keys = (them: readonly Lane[]) => them.map(({ key }) => key);
  // `unproven` has to be validated again; `remarks` are sentences for the user, without a full stop.
  return { run: run.name, lanes: keys(lanes), unproven: keys(unproven), remarks };
}

function addRun({ store, now }: LaneContext, saved: Run): string[] {
  const projectId = projectStore(store).ensure(saved.commonDir, now());
  const isOpen = saved.intent === 'active' || saved.intent === 'paused';
  const open = runStore(store).open(projectId);
  const isReplaced = isOpen && open.some(({ name }) => name === saved.name);
  runStore(store).add({ ...saved, projectId, intent: isReplaced ? 'closed' : saved.intent });
  const created = { runId: saved.id, type: 'run.created', data: { rebuilt: true }, by: BY };
  laneEventStore(store).add(created, now());
  if (!isReplaced) return [];
  return [`run ${saved.name} is closed: there is a newer open run of that name`];
}

/** A rebuilt lane is on hold: nothing starts before a person has looked. Live attempts continue. */
function reopenedLane({ lane, tip }: FoundLane): Lane {
  return {
    ...lane,
    intent: lane.intent === 'cancelled' ? 'cancelled' : 'hold',
    worktree: lane.worktree !== null && existsSync(lane.worktree) ? lane.worktree : null,
    headSha: tip ?? lane.headSha,
    wantsAfter: 0,
  };
}

/** Stores the needs of lanes, from their specs. */
function connect(context: LaneContext, lanes: readonly Lane[]): string[] {
  const rows = laneStore(context.store);
  const remarks: string[] = [];
  for (const lane of lanes) {
    const others = lanes.filter(({ id }) => id !== lane.id);
    for (const key of lane.spec.needs) {
      const needed = others.find((other) => other.key === key);
      if (needed !== undefined) rows.addDep(lane.id, needed.id);
      else {
        // A lane without attempts has left no spec. Lanes that need it must not start without it.
        rows.setBlocked(lane.id, `it needs ${key}, which was lost with the database`);
        remarks.push(`lane ${lane.key} needs ${key}, which was lost: add it again`);
      }
    }
  }
  return remarks;
}

function addAttempt({ store, now }: LaneContext, attempt: Attempt, state: 'live' | 'over'): void {
  const attempts = attemptStore(store);
  attempts.add({ ...attempt, bootId: attempt.bootId ?? '' }, attempt.startedAt);
  // The epoch makes a supervisor take over without starting a second worker.
  const epoch = attempts.takeOver(attempt.id, now());
  if (state === 'live') return void attempts.note(attempt.id, epoch, { state: 'running' });
  attempts.note(attempt.id, epoch, { state: 'lost' });
  attempts.note(attempt.id, epoch, {
    state: 'ended',
    endReason: 'lost',
    endCause: 'could-not-run',
    endDetail: 'its database was lost; `verify` judges what it has done',
    endedAt: now(),
  });
}

function isAtWork({ id, dir, bootId: boot }: Attempt): boolean {
  if (boot !== bootId()) return false;
  return probeLock(supervisorLock(dir)) === 'held' || markedProcesses(id).length > 0;
}

type FoundLane = SavedSpec & Awaited<ReturnType<typeof refsOf>>;

/** The commits of a lane's branch and of its last checkpoint; `undefined` if there is none. */
async function refsOf({ env }: LaneContext, run: Run, lane: Lane) {
  const none = { tip: undefined, checkpoint: undefined };
  if (!existsSync(run.commonDir)) return none;
  const git = gitIn(run.commonDir, env);
  const tip = await refAt(git, laneBranch(lane));
  const sha = await refAt(git, checkpointRef(run, lane.key));
  if (sha === undefined) return { ...none, tip };
  const files = splitNul(await git.text(['ls-tree', '-r', '--name-only', '-z', sha])).length;
  return { tip, checkpoint: { sha, tree: await treeOf(git, sha), files } };
}

interface SavedSpec {
  readonly run: Run;
  readonly lane: Lane;
  readonly attempt: Attempt;
  readonly savedAt: Date;
}

/** Oldest first; unreadable files are skipped. */
function savedSpecs(home: Home): SavedSpec[] {
  const folder = join(home.runs, 'lanes');
  return (existsSync(folder) ? readdirSync(folder) : [])
    .flatMap((id) => savedIn(home, id) ?? [])
    .sort((a, b) => a.savedAt.getTime() - b.savedAt.getTime());
}

function savedIn(home: Home, id: string): SavedSpec | undefined {
  const dir = attemptDir(home, id);
  const file = join(dir, 'spec.json');
  const rows = attempt(() => readJsonFile(file, Saved));
  if (rows === undefined || typeof rows === 'string') return undefined;
  const { run, lane, attempt: saved } = rows as unknown as SavedSpec;
  // The file is trusted only if its ids match the folder.
  if (saved.id !== id || saved.laneId !== lane.id || lane.runId !== run.id) return undefined;
  if (run.integrationRef !== `refs/lanehold/${run.id}/integration`) return undefined;
  return {
    run: { ...run, createdAt: new Date(run.createdAt) },
    lane: { ...lane, createdAt: new Date(lane.createdAt) },
    attempt: { ...saved, dir, startedAt: new Date(saved.startedAt) },
    savedAt: statSync(file).mtime,
  };
}

const texts = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, z.string()]));
const name = z.string().check(z.refine(isName));
const commit = z.string().check(z.regex(/^[0-9a-f]{40,64}$/));
const globs = z.array(z.string());

/** The values are used in git commands and refs, and a worker may have changed the file. */
const Saved = z.object({
  run: z.looseObject({
    ...texts('id', 'goal', 'repository', 'commonDir', 'integrationRef'),
    name,
    baseSha: commit,
    targetRef: z.string().check(z.regex(/^refs\/heads\/[^\s~^:?*[\\]+$/)),
    policy: z.looseObject({}),
  }),
  lane: z.looseObject({
    ...texts('id', 'runId', 'specHash', 'cmdHash', 'validateCwd'),
    key: name,
    branch: z.string().check(z.regex(/^[^\s~^:?*[\\]+$/)),
    headSha: z.nullable(commit),
    baseSha: z.nullable(commit),
    spec: z.looseObject({ touches: globs, reads: globs, needs: globs }),
  }),
  attempt: z.looseObject({
    ...texts('id', 'laneId', 'kind', 'specHash', 'worktree'),
    startSha: commit,
  }),
});
