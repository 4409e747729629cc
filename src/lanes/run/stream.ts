/** Reads the output files of a worker from their start, so that a takeover reads the same. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerProgress } from '../../agents/worker/worker.ts';
import { cutLog } from '../../base/files/cut-log.ts';
import { growingFile } from '../../base/files/growing-file.ts';
import { endOfFile } from '../../base/files/plain-file.ts';
import { lineFeed } from '../../base/text/line-feed.ts';
import { storableTitle } from '../../base/text/redact/redact.ts';
import { keepRedacted } from '../../features/output.ts';
import { MOST_TASKS, sessionTaskStore } from '../../store/session-tasks.ts';
import type { WorkerAdapter } from '../settings/registry.ts';
import type { Supervision } from './supervision.ts';

export type WorkerStream = Awaited<ReturnType<typeof followWorker>>;

const STDERR_TAIL = 16 * 1024;
const MB = 1024 * 1024;
/** Of each of the two. A worker that prints fast has more of them for a moment. */
const BOUNDS = { most: 12 * MB, head: 2 * MB, tail: 4 * MB };

export async function followWorker(dir: string, { load }: Pick<WorkerAdapter, 'load'>) {
  const reader = (await load()).reader();
  const stderr = join(dir, 'stderr.log');
  const logs = [join(dir, 'stdout.log'), stderr];
  const feed = lineFeed((line) => reader.line(line));
  const output = growingFile(join(dir, 'stdout.log'));
  const readOn = (): void => {
    for (const piece of output()) feed.push(piece);
  };
  let sizes: readonly number[] = [0, 0];
  return {
    reader,
    /** Reads what is new; false if there is nothing. */
    read(): boolean {
      const before = sizes;
      sizes = logs.map((log) => lstatSync(log, { throwIfNoEntry: false })?.size ?? 0);
      const said = sizes.some((size, at) => size > (before[at] ?? 0));
      if (said) readOn();
      for (const [at, log] of logs.entries()) {
        // All of it was read: reading goes on at the new end. A supervisor that takes over reads what is left.
        if ((sizes[at] ?? 0) > BOUNDS.most && cutLog(log, BOUNDS) !== undefined) readOn();
      }
      return said;
    },
    /** Whether there is so much of it that it has to be read, and cut, at once. */
    isLong: (): boolean =>
      logs.some((log) => (lstatSync(log, { throwIfNoEntry: false })?.size ?? 0) > BOUNDS.most),
    end: (): void => feed.end(),
    stderrTail: (): string => endOfFile(stderr, STDERR_TAIL).toString('utf8'),
  };
}

/**
 * Stores the task list of a worker, where its stream shows it, as hooks do for agents that have them.
 * So neither a compaction nor a crash loses it. The list is stored if it has changed.
 */
export function taskMirror(it: Supervision, { name: agent }: Pick<WorkerAdapter, 'name'>) {
  const { store, now } = it.context;
  let shown: WorkerProgress['tasks'];
  /** @throws {FencedError} */
  return ({ sessionId: session, tasks }: WorkerProgress): void => {
    if (session === undefined || tasks === undefined || tasks === shown) return;
    shown = tasks;
    const { projectId } = it.run();
    const kept = tasks
      .slice(0, MOST_TASKS)
      .map(({ title, status }) => ({ title: storableTitle(title), status }));
    store.write(() => {
      // Throws after a takeover, when the list may be outdated.
      it.attempt();
      sessionTaskStore(store).replace({ agent, session, projectId }, kept, now());
    });
  };
}

/** What the worker itself has written goes with its attempt: from now on there are no secrets in it. */
export function redactOutput(dir: string): void {
  for (const log of ['stdout.log', 'stderr.log'].map((name) => join(dir, name))) {
    const stats = lstatSync(log, { throwIfNoEntry: false });
    if (stats?.isFile() && stats.size > 0) keepRedacted(log);
  }
}
