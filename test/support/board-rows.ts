/** Runs with lanes in every state, put into a store as the parts of the program that own them do. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeOf } from '../../src/base/files/home.ts';
import { bootId } from '../../src/base/process/process-entry.ts';
import { logStamp } from '../../src/lanes/judge/log.ts';
import type { LaneContext } from '../../src/lanes/spec/context.ts';
import {
  type Attempt,
  type AttemptNote,
  type AttemptState,
  attemptStore,
} from '../../src/store/attempts.ts';
import { newId } from '../../src/store/ids.ts';
import { laneEventStore, laneReportStore } from '../../src/store/lane-events.ts';
import { laneValidationStore, type Validation } from '../../src/store/lane-validations.ts';
import { type Lane, type LaneSpec, type LaneView, laneStore } from '../../src/store/lanes.ts';
import { openStore } from '../../src/store/open.ts';
import { projectStore } from '../../src/store/projects.ts';
import { type Run, type RunPolicy, runStore } from '../../src/store/runs.ts';
import type { Sandbox } from './sandbox.ts';

const POLICY: RunPolicy = {
  parallel: 2,
  attempts: 2,
  laneBudget: {},
  runBudget: {},
  dayBudget: {},
};
const SPEC: LaneSpec = {
  desc: 'do it',
  notes: '',
  touches: [],
  reads: [],
  needs: [],
  agent: 'current',
  validate: 'npm test',
  validateCwd: '',
  validateTimeoutS: 600,
  timeoutS: 7200,
  budget: {},
  ports: 0,
  overlaps: 'never',
  removesTests: 'no',
};

export interface AttemptWish {
  readonly agent?: string;
  readonly sessionId?: string;
  /** Moves through these states in their order, and notes this with the last. */
  readonly through?: readonly AttemptState[];
  readonly note?: AttemptNote;
  readonly kind?: Attempt['kind'];
}

/** A repository with one commit, a store, and a run in it. */
export async function boardRows(box: Sandbox, run: Partial<Run> = {}) {
  const repo = box.repo();
  box.write(join(repo, 'README.md'), 'A project\n');
  const base = box.commit(repo, 'first');
  const store = await openStore(homeOf(box.env));
  let clock = new Date('2026-03-04T05:06:07Z').getTime();
  const context: LaneContext = { store, env: box.env, now: () => new Date(clock) };
  const now = () => new Date(clock);
  const id = newId(now());
  const row: Run = {
    id,
    projectId: store.write(() => projectStore(store).ensure(join(repo, '.git'), now())),
    name: 'billing',
    goal: 'Move billing to the new API',
    repository: repo,
    commonDir: join(repo, '.git'),
    baseSha: base,
    targetRef: 'refs/heads/main',
    integrationRef: `refs/lanehold/${id}/integration`,
    intent: 'active',
    pauseReason: null,
    policy: POLICY,
    createdBy: 'person ada',
    createdAt: now(),
    ...run,
  };
  const event = (type: string, lane?: Pick<Lane, 'id'>, data: Record<string, unknown> = {}): void =>
    laneEventStore(store).add(
      {
        runId: row.id,
        type,
        data,
        by: 'supervisor',
        ...(lane === undefined ? {} : { laneId: lane.id }),
      },
      now(),
    );
  store.write(() => {
    runStore(store).add(row);
    event('run.created');
  });

  const fresh = (it: Pick<Lane, 'id'>): LaneView => {
    const found = laneStore(store).byId(it.id);
    if (found === undefined) throw new Error('no such lane');
    return found;
  };

  return {
    repo,
    base,
    store,
    context,
    run: row,
    event,
    fresh,
    /** Lets time pass. */
    later(ms: number): void {
      clock += ms;
    },
    lane(key: string, spec: Partial<LaneSpec> = {}, changes: Partial<Lane> = {}): LaneView {
      const lanes = laneStore(store);
      const lane: Lane = {
        id: newId(now()),
        runId: row.id,
        key,
        position: lanes.nextPosition(row.id),
        spec: { ...SPEC, ...spec },
        specRev: 1,
        specHash: `spec of ${key}`,
        validateCmd: 'npm test',
        validateCwd: '',
        validateTimeoutS: 600,
        cmdHash: 'npm test',
        setupHash: '',
        branch: `lanehold/billing/${key}`,
        worktree: null,
        adopted: false,
        baseSha: base,
        headSha: null,
        intent: 'hold',
        blocked: null,
        wantsAfter: 0,
        priority: 0,
        createdAt: now(),
        ...changes,
      };
      store.write(() => {
        lanes.add(lane, 'person ada');
        event('lane.added', lane);
      });
      return fresh(lane);
    },
    /** A real working tree with a commit of its own on the lane's branch. */
    work(lane: Lane): { readonly worktree: string; readonly sha: string } {
      const worktree = join(store.home.root, 'worktrees', 'repo', 'billing', lane.key);
      box.git(repo, 'worktree', 'add', '--quiet', '-b', lane.branch, worktree, base);
      box.write(join(worktree, `${lane.key}.txt`), `${lane.key}\n`);
      const sha = box.commit(worktree, `work on ${lane.key}`);
      store.write(() => {
        laneStore(store).setWorktree(lane.id, worktree);
        laneStore(store).setHead(lane.id, sha, '');
      });
      return { worktree, sha };
    },
    attempt(lane: Lane, wish: AttemptWish = {}): Attempt {
      const attempts = attemptStore(store);
      const attemptId = newId(now());
      const dir = join(store.home.runs, 'lanes', attemptId);
      mkdirSync(dir, { recursive: true });
      store.write(() => {
        attempts.add(
          {
            id: attemptId,
            laneId: lane.id,
            kind: wish.kind ?? 'work',
            agent: wish.agent ?? 'claude-code',
            model: null,
            account: null,
            sessionId: wish.sessionId ?? null,
            specHash: lane.specHash,
            startSha: base,
            worktree: fresh(lane).worktree ?? join(store.home.root, 'worktrees', lane.key),
            dir,
            bootId: bootId(),
          },
          now(),
        );
        event('lane.spawned', lane);
        const through = wish.through ?? [];
        for (const [index, state] of through.entries()) {
          const note = index === through.length - 1 ? wish.note : {};
          attempts.note(attemptId, 0, { ...note, state });
          event(`attempt.${state}`, lane);
        }
      });
      const attempt = attempts.byId(attemptId);
      if (attempt === undefined) throw new Error('no such attempt');
      return attempt;
    },
    /** A verdict on the lane's commit, with a log that has the digest that is stored. */
    validation(lane: Lane, attempt: Attempt, changes: Partial<Validation> = {}): Validation {
      const { headSha, specHash, cmdHash, setupHash } = fresh(lane);
      const id = newId(now());
      const logPath = join(attempt.dir, `validate-${id}.log`);
      const log = 'it ran\n';
      writeFileSync(logPath, log);
      const validation: Validation = {
        id,
        runId: row.id,
        subject: 'lane',
        laneId: lane.id,
        attemptId: attempt.id,
        sha: headSha ?? base,
        tree: base,
        cmd: 'npm test',
        cwd: '',
        cmdHash,
        setupHash,
        specHash,
        result: 'pass',
        exitCode: 0,
        durationMs: 1_234,
        logPath,
        logSha256: createHash('sha256').update(log).digest('hex'),
        ...logStamp(logPath),
        runs: [],
        newFailures: [],
        oldFailures: [],
        flags: [],
        why: '',
        host: 'here',
        at: now(),
        ...changes,
      };
      store.write(() => {
        laneValidationStore(store).add(validation);
        event('validation', lane, { result: validation.result });
      });
      return validation;
    },
    ask(lane: Lane, body: string, attempt?: Attempt): string {
      const id = newId(now());
      store.write(() => {
        laneReportStore(store).add(
          { id, laneId: lane.id, attemptId: attempt?.id ?? null, kind: 'ask', body, by: 'worker' },
          now(),
        );
        event('report', lane, { kind: 'ask' });
      });
      return id;
    },
    /** A lane with work that was verified. */
    verified(key: string, spec: Partial<LaneSpec> = {}): LaneView {
      const lane = this.lane(key, spec);
      const { sha } = this.work(lane);
      const attempt = this.attempt(lane, { sessionId: `session of ${key}` });
      const attempts = attemptStore(store);
      store.write(() => {
        attempts.note(attempt.id, 0, { state: 'exited', endSha: sha, exitCode: 0 });
        attempts.note(attempt.id, 0, { state: 'validating' });
      });
      this.validation(lane, attempt);
      store.write(() => {
        attempts.note(attempt.id, 0, {
          state: 'ended',
          endReason: 'verified',
          endedAt: now(),
        });
        event('attempt.ended', lane, { reason: 'verified' });
      });
      return fresh(lane);
    },
  };
}

export type BoardRows = Awaited<ReturnType<typeof boardRows>>;
