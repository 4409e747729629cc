/** Beside each slot's lock, which nobody may open: who holds it. Believed only while it is held. */
import { rmSync } from 'node:fs';
import * as z from 'zod/mini';
import { readJsonFile, writeJsonFile } from '../files/json-file.ts';
import { identityOf, isAlive, isStopped } from './process-identity.ts';

export interface NotedHolder {
  readonly owner: string;
  /** 0, and an unknown owner, in the moment between taking it and saying so. */
  readonly pid: number;
  readonly stopped: boolean;
}

const Note = z.object({ owner: z.string(), pid: z.int(), start: z.string(), bootId: z.string() });

export function noteHolder(file: string, owner: string): void {
  writeJsonFile(file, { owner, ...identityOf(process.pid) });
}

export function notedHolder(file: string): NotedHolder {
  const note = readJsonFile(file, Note);
  // That of an earlier holder, which was killed.
  if (typeof note === 'string' || !isAlive(note))
    return { owner: 'unknown', pid: 0, stopped: false };
  return { owner: note.owner, pid: note.pid, stopped: isStopped(note) };
}

export function removeNote(file: string): void {
  rmSync(file, { force: true });
}
