/** Follows what a worker prints to its files: from the start, so that a takeover reads the same. */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { openPlainFile } from '../../process/plain-file.ts';
import { lineFeed } from '../workers/line-feed.ts';
import type { WorkerAdapter, WorkerReader } from '../workers/worker.ts';

export interface WorkerStream {
  readonly reader: WorkerReader;
  /** Reads what is new; true if there was something. */
  read(): boolean;
  /** Takes the last line even without its end. */
  end(): void;
  stderrTail(): string;
}

const CHUNK = 256 * 1024;
const STDERR_TAIL = 16 * 1024;

export function followWorker(dir: string, adapter: WorkerAdapter): WorkerStream {
  const reader = adapter.reader();
  const lines = lineReader(join(dir, 'stdout.log'), (line) => reader.line(line));
  let stderrBytes = 0;
  return {
    reader,
    read() {
      const { size } = tailOf(join(dir, 'stderr.log'), 0);
      const louder = size > stderrBytes;
      stderrBytes = size;
      return lines.read() || louder;
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
      offset = readFrom(file, offset, (chunk) => feed.push(chunk));
      return offset > before;
    },
    end: (): void => feed.end(),
  };
}

function readFrom(file: string, start: number, onChunk: (chunk: Buffer) => void): number {
  const fd = openPlainFile(file);
  if (fd === undefined) return start;
  let offset = start;
  try {
    const buffer = Buffer.allocUnsafe(CHUNK);
    for (;;) {
      const bytes = readSync(fd, buffer, 0, CHUNK, offset);
      if (bytes === 0) return offset;
      offset += bytes;
      onChunk(Buffer.from(buffer.subarray(0, bytes)));
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
