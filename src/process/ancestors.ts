/** The processes that led to this one. */
import type { Environment } from '../environment.ts';
import { readProc } from './process-entry.ts';

/** More than a command of an agent has above it. */
const MOST = 64;

/** What each was started with, the nearest first; empty where the system does not tell. */
export function ancestorEnvironments(pid = process.ppid): Environment[] {
  const found: Environment[] = [];
  for (let at = pid; at > 1 && found.length < MOST; at = parentOf(at)) {
    const text = readProc(`/proc/${at}/environ`)?.toString('utf8');
    if (text !== undefined) found.push(variablesIn(text));
  }
  return found;
}

function parentOf(pid: number): number {
  const status = readProc(`/proc/${pid}/status`)?.toString('latin1') ?? '';
  return Number(/^PPid:\s*(\d+)$/m.exec(status)?.[1] ?? 0);
}

function variablesIn(text: string): Environment {
  const pairs = text.split('\0').filter((it) => it.includes('='));
  return Object.fromEntries(
    pairs.map((it) => [it.slice(0, it.indexOf('=')), it.slice(it.indexOf('=') + 1)]),
  );
}
