/** While a worker runs: reads its output, measures its use, and stops it if needed, until it ends. */

import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { inboxOf } from '../../agents/worker/launch.ts';
import { onChange } from '../../base/files/on-change.ts';
import { awakeClock } from '../../base/process/awake-clock.ts';
import { endMarkedProcesses, markedProcesses } from '../../base/process/end-tree.ts';
import { readExit, readPid } from '../../base/process/guard.ts';
import {
  bootId,
  identityOf,
  isAlive,
  type ProcessIdentity,
} from '../../base/process/process-entry.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { launch, NOTIFY } from '../start/launch.ts';
import { inboxMessages } from '../talk/inbox.ts';
import { isToNotify } from '../talk/notify.ts';
import { checkpointer, leaveTree } from './checkpoint.ts';
import { CANCELLED, finish, type Stop, stopOf } from './finish.ts';
import { newMeter } from './meter.ts';
import { prober } from './probe.ts';
import { followWorker, taskMirror } from './stream.ts';
import { diskShortage, planOf, type Supervision, writeSpec } from './supervision.ts';

/** The longest time until the exit code of an ended guard is on the disk. */
const EXIT_WRITE_MS = 500;
const STOP_GRACE_MS = 500;
const GRACE_MS = 2_000;

export async function watch(it: Supervision): Promise<void> {
  const plan = await planOf(it);
  if (plan.worker === undefined) return it.move('exited', { exitSource: 'supervisor' });
  writeSpec(it);
  const stream = await followWorker(it.attempt().dir, plan.worker.adapter);
  const probes = prober(it, plan);
  const clock = awakeClock(RHYTHM.mostMs + 1_000);
  const { checkpointMs: everyMs } = plan.settings;
  const checkpoints = checkpointer(it, { everyMs, clock, onChange: (sha) => probes.look(sha) });
  const meter = newMeter(it, plan, clock);
  const mirrorTasks = taskMirror(it, plan.worker.adapter);
  const pollNotices = noticePoller(it);
  const read = (): void => {
    meter.read(stream, stream.read());
    mirrorTasks(stream.reader.progress());
    readReports(it);
  };
  const signs = signsOf(it);
  const bounds = onChange([it.attempt().dir], AT_ONCE, () => {
    if (stream.isLong()) read();
    if (readExit(it.attempt().dir) !== 'none') signs.ring();
  });
  const { end, guard } = await untilEnd(it, signs, () => {
    read();
    meter.judge(Math.max(checkpoints.changedAt(), meter.outputAt()));
    checkpoints.poll();
    probes.poll();
    pollNotices();
  }).finally(() => {
    signs.stop();
    bounds();
  });
  const graceMs = end.kind === 'stopped' ? STOP_GRACE_MS : GRACE_MS;
  await endMarkedProcesses(it.attemptId, { stages: ['worker'], graceMs, leader: guard });
  it.resources.releaseSlot();
  await checkpoints.finish();
  await probes.stop();
  if (end.kind !== 'stopped') it.goOn();
  // A failure on a full disk counts as a stop because of the disk: the worker may end before it is stopped.
  const hasFailed = end.kind === 'unknown' || (end.kind === 'exited' && end.code !== 0);
  const why = hasFailed ? diskShortage(it) : undefined;
  read();
  await leave(it, why === undefined ? end : { kind: 'stopped', stop: { kind: 'disk', why } });
}

const NOTICES_MS = 2_000;

/** Notifies a person of questions while the worker continues. */
function noticePoller({ context }: Supervision): () => void {
  let nextAt = performance.now() + NOTICES_MS;
  return () => {
    if (performance.now() < nextAt) return;
    nextAt = performance.now() + NOTICES_MS;
    if (isToNotify(context)) launch(context, NOTIFY);
  };
}

type End =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'unknown' | 'lost' }
  | { readonly kind: 'stopped'; readonly stop: Stop };

/** Waits for the end. The guard, with its process group, is known if this supervisor has seen it alive. */
async function untilEnd(
  it: Supervision,
  signs: Pick<ReturnType<typeof signsOf>, 'next'>,
  look: () => void,
): Promise<{ readonly end: End; readonly guard: ProcessIdentity | undefined }> {
  let guard = it.epoch === 1 ? notedGuard(it) : undefined;
  let orphan: ProcessIdentity | undefined;
  for (;;) {
    const exit = readExit(it.attempt().dir);
    if (typeof exit === 'object') return { end: { kind: 'exited', code: exit.code }, guard };
    look();
    const stop = stopOf(it);
    if (stop !== undefined) return { end: { kind: 'stopped', stop }, guard };
    const living = livingGuard(it);
    guard = living ?? guard;
    if (guard === undefined) orphan ??= orphanOf(it);
    if (living === undefined && (orphan === undefined || guard || !isAlive(orphan))) {
      return { end: await withoutGuard(it, guard ?? orphan), guard };
    }
    await signs.next();
  }
}

/** A worker without any sign is checked as well: it may have died, or be silent for too long. */
const RHYTHM = { leastMs: 250, mostMs: 4_000 };
/** The rhythm for output that would fill the disk, and for the worker's end. */
const AT_ONCE = { leastMs: 25, mostMs: 60_000 };

/** Waits for output, reports or files of the worker, and for its end. */
function signsOf(it: Supervision) {
  const { dir, worktree } = it.attempt();
  let isSeen = false;
  let wake = (): void => undefined;
  const ring = (): void => {
    isSeen = true;
    wake();
  };
  const stop = onChange([dir, worktree, inboxOf(dir)].filter(existsSync), RHYTHM, ring);
  const next = async (): Promise<void> => {
    const { signal } = it.stopped;
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    signal.addEventListener('abort', wake);
    if (!isSeen && !signal.aborted) await promise;
    signal.removeEventListener('abort', wake);
    isSeen = false;
  };
  return { next, ring, stop };
}

function notedGuard(it: Supervision): ProcessIdentity | undefined {
  const { guardPid: pid, guardStart: start, bootId: boot } = it.attempt();
  return pid === null || start === null ? undefined : { pid, start, bootId: boot ?? bootId() };
}

function livingGuard(it: Supervision): ProcessIdentity | undefined {
  const noted = notedGuard(it);
  if (noted !== undefined) return isAlive(noted) ? noted : undefined;
  // The last supervisor died between starting the guard and storing its identity.
  const pid = readPid(it.attempt().dir, 'guard');
  const identity = pid === undefined ? undefined : identityOf(pid);
  if (identity === undefined) return undefined;
  if (!markedProcesses(it.attemptId).some((one) => one.pid === pid)) return undefined;
  it.note({ guardPid: identity.pid, guardStart: identity.start });
  return identity;
}

/**
 * The worker of a guard that died before this supervisor began, which is still waited for; other processes of the
 * session may stay for ever, and are not. If the guard dies later, the worker is ended.
 */
function orphanOf(it: Supervision): ProcessIdentity | undefined {
  const pid = readPid(it.attempt().dir, 'worker');
  const worker = markedProcesses(it.attemptId).find(
    (one) => one.pid === pid && one.stage === 'worker' && !one.guard,
  );
  if (worker !== undefined) it.event('attempt.unguarded', { worker: worker.pid });
  return worker;
}

/** The end without a guard: the exit code is unknown, and the work is judged all the same. */
async function withoutGuard(it: Supervision, seen: ProcessIdentity | undefined): Promise<End> {
  await delay(EXIT_WRITE_MS);
  const exit = readExit(it.attempt().dir);
  if (typeof exit === 'object') return { kind: 'exited', code: exit.code };
  const left = markedProcesses(it.attemptId).filter(({ stage }) => stage === 'worker');
  // If all processes vanished unseen, nothing is known about the end of the worker.
  return left.length === 0 && seen === undefined ? { kind: 'lost' } : { kind: 'unknown' };
}

async function leave(it: Supervision, end: End): Promise<void> {
  switch (end.kind) {
    case 'exited':
      return it.move('exited', { exitCode: end.code, exitSource: 'guard' });
    case 'unknown':
      return it.move('exited', { exitSource: 'unknown' });
    case 'lost':
      return it.move('lost', { endDetail: 'all of its processes were gone' });
    case 'stopped': {
      if (end.stop.kind !== 'cancelled') {
        const { kind: endCause, why: endDetail } = end.stop;
        return it.move('exited', { exitSource: 'supervisor', endCause, endDetail });
      }
      await leaveTree(it, 'cancelled');
      return finish(it, CANCELLED);
    }
  }
}

function readReports(it: Supervision): void {
  const { store, now } = it.context;
  const reports = laneReportStore(store);
  const { id: laneId, key } = it.lane();
  const { attemptId } = it;
  for (const { id, kind, body } of inboxMessages(it.attempt().dir)) {
    // A supervisor that was killed between storing and deleting would store it twice.
    if (reports.ofLane(laneId).some((known) => known.id === id)) continue;
    const report = { id, laneId, attemptId, kind, body: redact(body), by: `lane ${key}` };
    store.write(() => reports.add(report, now()));
    it.event('report', { report: id, kind });
  }
}
