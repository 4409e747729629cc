/** Titles of the tasks that agents keep for themselves, as they may be stored. */
import { redact } from './redact/redact.ts';

/** Longer titles are cut once stored: only so much has to be looked through for secrets. */
const MOST_READ = 4_000;

export function storableTitle(title: string): string {
  return redact(title.slice(0, MOST_READ)).trim();
}
