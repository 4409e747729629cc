/** A supervisor's access to its attempt, through which all its writes go, and the resources that it holds. */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { ExplainedError } from '../../base/errors.ts';
import { readJsonFile, writeJsonFile } from '../../base/files/json-file.ts';
import { readPlainFile } from '../../base/files/plain-file.ts';
import type { PortLease } from '../../base/process/ports.ts';
import type { Slot } from '../../base/process/slots.ts';
import {
  type Attempt,
  type AttemptNote,
  type AttemptState,
  attemptStore,
} from '../../store/attempts.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { type Lane, laneStore, type Run, runStore } from '../../store/lanes.ts';
import { failedOnFullDisk } from '../../store/reserve.ts';
import { readAttemptSettings, writeAttemptSettings } from '../settings/attempt-settings.ts';
import { findWorker } from '../settings/registry.ts';
import type { LaneContext } from '../spec/context.ts';
import { foldersOf, shortage } from '../tree/disk-space.ts';
import { gitSettings } from '../tree/git-settings.ts';

/** Another supervisor has taken the attempt over, so this one must not write any more (fencing). */
export class FencedError extends ExplainedError {
  override readonly code = 'FENCED';

  constructor(attemptId: string, epoch: number) {
    super(`attempt ${attemptId} has left epoch ${epoch} behind`, {
      hint: 'nothing is lost: another supervisor goes on with it',
    });
  }
}

export type Supervision = ReturnType<typeof superviseAttempt>;

export function superviseAttempt(
  begun: LaneContext,
  { id, epoch }: { readonly id: string; readonly epoch: number },
  held: ReturnType<typeof resources>,
) {
  let context = begun;
  let planted: readonly string[] | undefined;
  const attempts = attemptStore(context.store);
  const lanes = laneStore(context.store);
  const runs = runStore(context.store);
  const events = laneEventStore(context.store);
  let stopped = new AbortController();

  /** @throws {FencedError} */
  const current = (): Attempt => {
    const attempt = attempts.byId(id) as Attempt;
    if (attempt.epoch !== epoch) throw new FencedError(id, epoch);
    return attempt;
  };
  const lane = (): Lane => lanes.rowOf(current().laneId) as Lane;
  const write = (note: AttemptNote & { state?: AttemptState }): void => {
    if (!attempts.note(id, epoch, note)) throw new FencedError(id, epoch);
  };
  const tell = (type: string, data: Readonly<Record<string, unknown>>): void => {
    const { id: laneId, runId } = lane();
    const event = { runId, laneId, attemptId: id, epoch, type, data, by: 'supervisor' };
    events.add(event, context.now());
  };
  const change = (state: AttemptState, note: AttemptNote): void => {
    write({ ...note, state });
    tell(`attempt.${state}`, {
      ...(note.endReason ? { reason: note.endReason, detail: note.endDetail ?? null } : {}),
      ...(note.exitCode === undefined ? {} : { exitCode: note.exitCode }),
    });
  };
  return {
    attemptId: id,
    epoch,
    resources: held,
    get context() {
      return context;
    },
    /** Names of git settings that are newer than the run. */
    get planted() {
      return planted ?? [];
    },
    /** Reads the settings before the first git of this process. */
    async lookAtGitFirst(): Promise<void> {
      if (planted === undefined) await this.lookAtGit();
    },
    /** Reads the settings; call it before git is started where a worker may have changed them. */
    async lookAtGit(): Promise<void> {
      const { runId } = lane();
      const found = await gitSettings(context, runs.byId(runId) as Run, current().worktree);
      context = { ...context, env: found.env };
      planted = found.planted;
    },
    /** Aborts validations, setups and waits when the attempt is to stop. */
    get stopped() {
      return stopped;
    },
    /** Renews the abort signal: the worker has ended on its own, so the next steps are not stopped. */
    goOn(): void {
      stopped = new AbortController();
    },
    attempt: current,
    lane,
    run: () => runs.byId(lane().runId) as Run,
    /** @throws {FencedError} */
    note: (note: AttemptNote): void => context.store.write(() => write(note)),
    /** Moves the attempt, and stores the note and an event, in one transaction. */
    move(state: AttemptState, note: AttemptNote, also?: () => void): void {
      context.store.write(() => {
        const isRunning = ['starting', 'running'].includes(current().state);
        if (state === 'ended' && isRunning) change('exited', { exitSource: 'supervisor' });
        change(state, note);
        also?.();
      });
    },
    event: (type: string, data: Readonly<Record<string, unknown>>): void =>
      context.store.write(() => tell(type, data)),
    flag(...flags: readonly string[]): void {
      const known = current().flags;
      const added = flags.filter((flag) => !known.includes(flag));
      if (added.length === 0) return;
      context.store.write(() => {
        write({ flags: [...known, ...added] });
        for (const flag of added) tell('flag', { flag });
      });
    },
  };
}

/** The locks of a supervisor, which the kernel releases if it is killed. */
export function resources() {
  let slot: Slot | undefined;
  let lease: PortLease | undefined;
  const keepSlot = (next?: Slot): void => {
    slot?.release();
    slot = next;
  };
  return {
    keepSlot,
    keepPorts(next: PortLease): void {
      lease?.release();
      lease = next;
    },
    ports: (): readonly number[] => lease?.ports ?? [],
    /** Releases the slot of an ended worker, so that another one may start. */
    releaseSlot: () => keepSlot(),
    releaseAll(): void {
      keepSlot();
      lease?.release();
    },
  };
}

/** The ports, for a supervisor that takes over. Each names a lock, and a worker may have changed them. */
const Port = z.int().check(z.minimum(1), z.maximum(65_535));
const Ports = z.array(Port).check(z.maxLength(1_000));
export const portsFile = (dir: string): string => join(dir, 'ports.json');

export function readPorts(dir: string): readonly number[] | undefined {
  const ports = readJsonFile(portsFile(dir), Ports);
  return typeof ports === 'string' ? undefined : ports;
}

export function placeOf(it: Supervision) {
  const { id: lane, runId: run } = it.lane();
  const { worktree } = it.attempt();
  const home = it.context.store.home.root;
  return { attempt: it.attemptId, lane, run, worktree, home, ports: it.resources.ports() };
}

export type Plan = Awaited<ReturnType<typeof planOf>>;

/** The settings and the worker that an attempt runs with. */
export async function planOf(it: Supervision) {
  const { agent, dir } = it.attempt();
  let settings = readAttemptSettings(dir);
  if (settings === undefined) {
    const { settingsFor } = await import('../settings/settings-for.ts');
    settings = await settingsFor(it.context, it.run());
    writeAttemptSettings(dir, settings);
  }
  return { settings, worker: agent === null ? undefined : findWorker(agent, settings) };
}

/** Saves the rows, so that a lost database can be rebuilt (`keep/rebuild.ts`). */
export function writeSpec(it: Supervision): void {
  const attempt = it.attempt();
  const file = join(attempt.dir, 'spec.json');
  const rows = { run: it.run(), lane: it.lane(), attempt };
  if (readPlainFile(file) !== JSON.stringify(rows)) writeJsonFile(file, rows);
}

export const diskShortage = (it: Supervision): string | undefined =>
  shortage(foldersOf(it.context, it.run(), it.attempt().worktree));

/**
 * Records a failure that does not end the work as an event. If the write fails, because the disk is full or another
 * supervisor has taken over, the main flow learns it at its next step.
 */
export function recordFailure(it: Supervision, type: string, error: unknown): void {
  try {
    it.event(type, { why: textOf(error) });
  } catch (failure) {
    const isReportedElsewhere =
      failure instanceof FencedError || failedOnFullDisk(it.context.store.home, failure);
    if (!isReportedElsewhere) throw failure;
  }
}

export const textOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Stages: variables in the environment of an attempt's processes show what started them. */

/** Started by the supervisor for itself: git, which may live a moment longer if the supervisor is killed. */
export const OWN_STAGE = 'supervise';

/** Started for the attempt, and ended with it. */
export const STARTED_STAGES = ['worker', 'setup', 'validate'] as const;

/** Ended at a takeover, because these steps are repeated. */
export const ABANDONED_STAGES = ['setup', 'validate', OWN_STAGE] as const;
