/** Prepares titles of an agent's own tasks for the store: without secrets, not too long. */
import { redact } from './redact/redact.ts';

/** Titles are cut before secrets are searched for, because that takes time. */
const MOST_READ = 4_000;

export function storableTitle(title: string): string {
  return redact(title.slice(0, MOST_READ)).trim();
}
