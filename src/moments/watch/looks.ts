/** The trace of each look of a hook at a boundary, by which a command that ran is known again. */
import type { Environment } from '../../base/environment.ts';
import { sha256 } from '../../base/text/sha256.ts';
import { leaveTrace, type Session, type Trace, tracesOf } from './trace.ts';

/** Clocks of two processes, and the time a client takes between a call and its record. */
const TOLERANCE_MS = 5_000;

interface Look {
  readonly command: string;
  readonly answer: string;
  readonly at: Date;
}

export function leaveLook(env: Environment, who: Session, { command, answer, at }: Look): void {
  leaveTrace(env, who, { at, moment: 'before-tool', detail: `${answer} ${digestOf(command)}` });
}

/** Where another process may have left it. */
export function leaveMissingLook(env: Environment, who: Session, look: Look): void {
  const { command, at } = look;
  if (!wasLookedAt(command, tracesOf(env, who), { from: at, to: at })) leaveLook(env, who, look);
}

/** Whether one of the traces is a look at exactly this command in that time. */
export function wasLookedAt(
  command: string,
  traces: readonly Trace[],
  { from, to }: { readonly from: Date; readonly to: Date },
): boolean {
  const digest = digestOf(command);
  return traces.some(
    ({ at, moment, detail }) =>
      moment === 'before-tool' &&
      detail.endsWith(digest) &&
      // A time that could not be read excludes nothing.
      !(at.getTime() < from.getTime() - TOLERANCE_MS) &&
      !(at.getTime() > to.getTime() + TOLERANCE_MS),
  );
}

const digestOf = (command: string): string => sha256(command).slice(0, 24);
