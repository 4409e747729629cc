/** Reads the output files of a worker from their start, so that a takeover reads the same. */
import { closeSync, lstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerProgress } from '../../agents/worker/worker.ts';
import { cutLog } from '../../base/files/cut-log.ts';
import { endOfFile, openPlainFile } from '../../base/files/plain-file.ts';
import { lineFeed } from '../../base/text/line-feed.ts';
import { storableTitle } from '../../base/text/redact/redact.ts';
import { MOST_TASKS, sessionTaskStore } from '../../store/session-tasks.ts';
import type { WorkerAdapter } from '../settings/registry.ts';
import type { Supervision } from './supervision.ts';

export type WorkerStream = Awaited<ReturnType<typeof followWorker>>;

/** One buffer for all reads, which happen four times a second: new ones would use up memory. */
const chunk = Buffer.allocUnsafeSlow(64 * 1024);
const STDERR_TAIL = 16 * 1024;
const MB = 1024 * 1024;
const BOUNDS = { most: 64 * MB, head: 4 * MB, tail: 16 * MB };

export async function followWorker(dir: string, { load }: Pick<WorkerAdapter, 'load'>) {
  const reader = (await load()).reader();
  const stdout = join(dir, 'stdout.log');
  const stderr = join(dir, 'stderr.log');
  const feed = lineFeed((line) => reader.line(line));
  let offset = 0;
  let stderrBytes = 0;
  return {
    reader,
    /** Reads what is new; false if there is nothing. */
    read(): boolean {
      const [before, beforeStderr] = [offset, stderrBytes];
      stderrBytes = lstatSync(stderr, { throwIfNoEntry: false })?.size ?? 0;
      offset = readFrom(stdout, offset, (bytes) => feed.push(bytes));
      const said = offset > before || stderrBytes > beforeStderr;
      // All of it was read; a supervisor that takes over reads what is left.
      if (offset > BOUNDS.most) offset = cutLog(stdout, BOUNDS) ?? offset;
      if (stderrBytes > BOUNDS.most) stderrBytes = cutLog(stderr, BOUNDS) ?? stderrBytes;
      return said;
    },
    end: (): void => feed.end(),
    stderrTail: (): string => endOfFile(stderr, STDERR_TAIL).toString('utf8'),
  };
}

function readFrom(file: string, start: number, onChunk: (bytes: Buffer) => void): number {
  const fd = openPlainFile(file);
  if (fd === undefined) return start;
  let offset = start;
  try {
    for (;;) {
      const bytes = readSync(fd, chunk, 0, chunk.length, offset);
      if (bytes === 0) return offset;
      offset += bytes;
      onChunk(chunk.subarray(0, bytes));
    }
  } finally {
    closeSync(fd);
  }
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
