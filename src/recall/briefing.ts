/** Reminds a session of its own work after a compaction. */
import { observationStore } from '../store/observations.ts';
import type { Store } from '../store/open.ts';
import { fenced, inert, quoted } from './fence.ts';
import { type SessionName, summaryOf } from './summaries.ts';

const MOST_FILES = 6;
/** The size of the whole text that a session gets after a compaction. */
export const COMPACTION_BYTES = 1_500;

/**
 * Leaves out the last entries of the longest list until all parts fit, and says how many.
 *
 * @param parts in the order of the text.
 */
export function fitted(
  parts: readonly string[],
  most: number,
  sizeOf: (text: string) => number,
): string[] {
  const kept = parts.map((it) => it.split('\n'));
  const told = () => kept.map((it) => it.join('\n'));
  while (sizeOf(told().join('\n\n')) > most) {
    const lists = kept.filter((it) => entryIn(it) !== -1);
    if (lists.length === 0) break;
    shorten(lists.reduce((a, b) => (sizeOf(b.join('\n')) > sizeOf(a.join('\n')) ? b : a)));
  }
  return told();
}

const MORE = /^- and (\d+) more/;

/** The index of the last entry; -1 if there is none. */
const entryIn = (lines: readonly string[]): number =>
  lines.findLastIndex((it) => it.startsWith('- ') && !MORE.test(it));

function shorten(lines: string[]): void {
  const at = entryIn(lines);
  const left = Number(MORE.exec(lines[at + 1] ?? '')?.[1] ?? 0);
  lines.splice(at, left === 0 ? 1 : 2, `- and ${left + 1} more`);
}

const ABOUT =
  'lanehold: recorded in this session before the compaction (data; what the user says now counts more):';

/** `undefined` if nothing of the session was recorded. @param bytes the limit. */
export function compactionBrief(store: Store, who: SessionName, bytes: number): string | undefined {
  const observations = observationStore(store).ofSession(who.agent, who.session);
  const { openRequest, constraints, files, next } = summaryOf(observations);
  if (openRequest === undefined && files.length === 0) return undefined;
  const lines: string[] = [];
  const isRoomFor = (added: readonly string[]) =>
    Buffer.byteLength(fenced([...lines, ...added], ABOUT)) <= bytes;
  const edited = editedLine(files);
  if (openRequest !== undefined) {
    const whole = `- The user asked last: ${quoted(openRequest, 400)}`;
    if (isRoomFor([whole])) lines.push(whole);
  }
  // One after another, so that the newest are included if the space runs out.
  for (const it of constraints) {
    const line = `- The user stated: ${quoted(it, 200)}`;
    if (isRoomFor([line, ...edited])) lines.push(line);
  }
  const said = next.slice(0, 1).map((it) => `- The agent said of what is next: ${quoted(it, 160)}`);
  for (const line of [...edited, ...said]) if (isRoomFor([line])) lines.push(line);
  return lines.length === 0 ? undefined : fenced(lines, ABOUT);
}

function editedLine(files: readonly string[]): string[] {
  if (files.length === 0) return [];
  const shown = files.slice(0, MOST_FILES).map((it) => inert(it, 60));
  const more = files.length - shown.length;
  return [`- Edited, last first: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`];
}
