/** Runs with lanes in every state, put into a store as the parts of the program that own them do. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { homeOf } from '../../src/base/files/home.ts';
import { bootId } from '../../src/base/process/process-entry.ts';
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
import {
  type Lane,
  type LaneSpec,
  type LaneView,
  laneStore,
  type Run,
  runStore,
} from '../../src/store/lanes.ts';
import { openStore } from '../../src/store/open.ts';
import { projectStore } from '../../src/store/projects.ts';
import { laneRow, runRow, SPEC, validationRow } from './lane-builder.ts';
import type { Sandbox } from './sandbox.ts';

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
  const commonDir = join(repo, '.git');
  const projectId = store.write(() => projectStore(store).ensure(commonDir, now()));
  const place = { projectId, repository: repo, commonDir, baseSha: base };
  const policy = { parallel: 2, attempts: 2, laneBudget: {}, runBudget: {}, dayBudget: {} };
  const row = runRow(place, now(), { policy, ...run });
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
      const position = lanes.nextPosition(row.id);
      const whole = { ...SPEC, desc: 'do it', validate: 'npm test', timeoutS: 7200, ...spec };
      const lane = laneRow(row, { key, position, spec: whole }, now(), changes);
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
      const present = fresh(lane);
      const logPath = join(attempt.dir, `validate-${newId(now())}.log`);
      const facts = { attemptId: attempt.id, sha: present.headSha ?? base, tree: base, logPath };
      const more = { newFailures: [], oldFailures: [], ...changes };
      const validation = validationRow({ lane: present, ...facts }, now(), more);
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
