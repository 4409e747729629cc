/** Reads the output files of a worker from their start, so that a takeover reads the same. */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerProgress, WorkerReader } from '../../agents/worker/worker.ts';
import { openPlainFile } from '../../files/plain-file.ts';
import { MOST_TASKS, sessionTaskStore } from '../../store/session-tasks.ts';
import { lineFeed } from '../../text/line-feed.ts';
import { storableTitle } from '../../text/redact/redact.ts';
import type { WorkerAdapter } from '../workers/registry.ts';
import type { Supervision } from './supervision.ts';

export interface WorkerStream {
  readonly reader: WorkerReader;
  /** Reads what is new; false if there is nothing. */
  read(): boolean;
  /** Reads the last line even if it is incomplete. */
  end(): void;
  stderrTail(): string;
}

/** One buffer for all reads, which happen four times a second: new ones would use up memory. */
const chunk = Buffer.allocUnsafeSlow(64 * 1024);
const STDERR_TAIL = 16 * 1024;

export async function followWorker(
  dir: string,
  { load }: Pick<WorkerAdapter, 'load'>,
): Promise<WorkerStream> {
  const reader = (await load()).reader();
  const lines = lineReader(join(dir, 'stdout.log'), (line) => reader.line(line));
  let stderrBytes = 0;
  return {
    reader,
    read() {
      const { size } = tailOf(join(dir, 'stderr.log'), 0);
      const grew = size > stderrBytes;
      stderrBytes = size;
      return lines.read() || grew;
    },
    end: () => lines.end(),
    stderrTail: () => tailOf(join(dir, 'stderr.log'), STDERR_TAIL).text,
  };
}

function lineReader(file: string, onLine: (line: string) => void) {
  const feed = lineFeed(onLine);
  let offset = 0;
  return {
    read(): boolean {
      const before = offset;
      offset = readFrom(file, offset, (bytes) => feed.push(bytes));
      return offset > before;
    },
    end: (): void => feed.end(),
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

function tailOf(file: string, bytes: number): { readonly size: number; readonly text: string } {
  const fd = openPlainFile(file);
  if (fd === undefined) return { size: 0, text: '' };
  try {
    const { size } = fstatSync(fd);
    const buffer = Buffer.alloc(Math.min(size, bytes));
    readSync(fd, buffer, 0, buffer.length, size - buffer.length);
    return { size, text: buffer.toString('utf8') };
  } finally {
    closeSync(fd);
  }
}

interface TaskMirror {
  /** Stores the list if it has changed. @throws {FencedError} */
  show(progress: WorkerProgress): void;
}

/**
 * Stores the task list of a worker, where its stream shows it, as hooks do for agents that have them.
 * So neither a compaction nor a crash loses it.
 */
export function taskMirror(
  it: Supervision,
  { name: agent }: Pick<WorkerAdapter, 'name'>,
): TaskMirror {
  const { store, now } = it.context;
  let shown: WorkerProgress['tasks'];
  return {
    show({ sessionId: session, tasks }) {
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
    },
  };
}
