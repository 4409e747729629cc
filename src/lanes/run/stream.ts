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
/** The bounds of each file. A worker that prints fast may exceed them for a moment. */
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
    /** Reads new output; false if there is none. */
    read(): boolean {
      const before = sizes;
      sizes = logs.map((log) => lstatSync(log, { throwIfNoEntry: false })?.size ?? 0);
      const said = sizes.some((size, at) => size > (before[at] ?? 0));
      if (said) readOn();
      for (const [at, log] of logs.entries()) {
        // Everything was read, so reading continues at the new end. A supervisor that takes over reads the rest.
        if ((sizes[at] ?? 0) > BOUNDS.most && cutLog(log, BOUNDS) !== undefined) readOn();
      }
      return said;
    },
    /** Whether the output is so long that it has to be read and cut at once. */
    isLong: (): boolean =>
      logs.some((log) => (lstatSync(log, { throwIfNoEntry: false })?.size ?? 0) > BOUNDS.most),
    end: (): void => feed.end(),
    stderrTail: (): string => endOfFile(stderr, STDERR_TAIL).toString('utf8'),
  };
}

/**
 * Stores the task list of a worker, if its stream shows it, as hooks do for other agents, so that neither a compaction
 * nor a crash loses it. An unchanged list is not stored again.
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
      // This throws after a takeover, when the list may be outdated.
      it.attempt();
      sessionTaskStore(store).replace({ agent, session, projectId }, kept, now());
    });
  };
}

/** Redacts a worker's own output, which is kept with its attempt. */
export function redactOutput(dir: string): void {
  for (const log of ['stdout.log', 'stderr.log'].map((name) => join(dir, name))) {
    const stats = lstatSync(log, { throwIfNoEntry: false });
    if (stats?.isFile() && stats.size > 0) keepRedacted(log);
  }
}
