/**
 * Traces that hooks leave behind, so that another layer can see whether they still run: small files, which work without
 * a database. `traces/<agent>/<session>` has a line for each event; the time of `<session>.commands` is that of the
 * last shell command about which the hook was asked.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { EventName } from '../../agents/types.ts';
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { leaveFile, sessionFileName } from '../../base/files/left-file.ts';
import { sha256 } from '../../base/text/sha256.ts';

export interface Session {
  readonly agent: string;
  /** Empty if it is not known. */
  readonly session: string;
}

export interface Trace {
  readonly at: Date;
  /** `read`: the position up to which a transcript was read, `<bytes> <file>`. */
  readonly moment: EventName | 'read';
  /** The answer and the digest of the command for `before-tool` at a boundary; or `BY_PLUGIN`. */
  readonly detail: string;
}

/** The detail of a `session-start` whose hook is that of a plugin. */
export const BY_PLUGIN = 'plugin';

const COMMANDS = '.commands';
const COMPACTED = '.compacted';
const KEPT_MS = 30 * 86_400_000;

export function leaveTrace(
  env: NodeJS.ProcessEnv,
  who: Session,
  { at, moment, detail }: Trace,
): void {
  const line = `${at.getTime()} ${moment} ${detail.replaceAll('\n', ' ')}\n`;
  leaveFile(fileOf(env, who), line);
}

/** Leaves a trace only if it is the session's first, because such events are frequent. */
export function leaveFirstTrace(env: NodeJS.ProcessEnv, who: Session, trace: Trace): void {
  if (!existsSync(fileOf(env, who))) leaveTrace(env, who, trace);
}

export function noteAsked(env: NodeJS.ProcessEnv, who: Session): void {
  leaveFile(`${fileOf(env, who)}${COMMANDS}`, '', 'w');
}

/** Notes a compaction; the next event that can give the session its text removes the note. */
export function noteCompaction(env: NodeJS.ProcessEnv, who: Session): void {
  leaveFile(`${fileOf(env, who)}${COMPACTED}`, '', 'w');
}

/** Whether the session was compacted, and has not got its text since. */
export const isCompacted = (env: NodeJS.ProcessEnv, who: Session): boolean =>
  existsSync(`${fileOf(env, who)}${COMPACTED}`);

export function forgetCompaction(env: NodeJS.ProcessEnv, who: Session): void {
  attempt(() => rmSync(`${fileOf(env, who)}${COMPACTED}`, { force: true }));
}

/** The traces in their order; empty if no hook has run in the session. */
export function tracesOf(env: NodeJS.ProcessEnv, who: Session): Trace[] {
  return readTraces(fileOf(env, who));
}

function readTraces(file: string): Trace[] {
  const text = attempt(() => readFileSync(file, 'utf8')) ?? '';
  return text.split('\n').flatMap((line) => {
    const [, at, moment, detail = ''] = /^(\d+) (\S+) (.*)$/.exec(line) ?? [];
    if (at === undefined) return [];
    return { at: new Date(Number(at)), moment: moment as Trace['moment'], detail };
  });
}

export const hasTrace = (env: NodeJS.ProcessEnv, who: Session): boolean =>
  existsSync(fileOf(env, who));

/** The last time the hook was asked about a shell command: in the session, or in any of the agent's if unknown. */
export function lastAsked(env: NodeJS.ProcessEnv, { agent, session }: Session): Date | undefined {
  const own = `${nameOf(session)}${COMMANDS}`;
  const names = session === '' ? namesOf(env, agent).filter((it) => it.endsWith(COMMANDS)) : [own];
  return newest(names.map((it) => join(folderOf(env, agent), it)));
}

export const hasTraces = (env: NodeJS.ProcessEnv, agent: string): boolean =>
  namesOf(env, agent).length > 0;

/** The time of the agent's last hook that left a trace. */
export function lastEvent(env: NodeJS.ProcessEnv, agent: string): Date | undefined {
  return newest(namesOf(env, agent).map((it) => join(folderOf(env, agent), it)));
}

/** The traces of all other sessions with newer ones. */
export function tracesSince(
  env: NodeJS.ProcessEnv,
  agent: string,
  since: Date,
  apart: Session | undefined,
): Trace[][] {
  const left = apart?.agent === agent ? nameOf(apart.session) : undefined;
  return namesOf(env, agent)
    .filter((it) => !it.includes('.') && it !== left)
    .map((it) => join(folderOf(env, agent), it))
    .filter((file) => changedAt(file) >= since.getTime())
    .map(readTraces);
}

/** Removes the traces of an agent whose hooks were removed on purpose. */
export function forgetTraces(env: NodeJS.ProcessEnv, agent: string): void {
  rmSync(folderOf(env, agent), { recursive: true, force: true });
}

export function dropOldTraces(env: NodeJS.ProcessEnv, agent: string, now: Date): void {
  for (const name of namesOf(env, agent)) {
    const file = join(folderOf(env, agent), name);
    if (now.getTime() - changedAt(file) > KEPT_MS) rmSync(file, { force: true });
  }
}

function newest(files: readonly string[]): Date | undefined {
  const at = Math.max(0, ...files.map(changedAt));
  return at === 0 ? undefined : new Date(at);
}

const changedAt = (file: string): number =>
  attempt(() => statSync(file, { throwIfNoEntry: false }))?.mtimeMs ?? 0;

const namesOf = (env: NodeJS.ProcessEnv, agent: string): string[] =>
  attempt(() => readdirSync(folderOf(env, agent))) ?? [];

const folderOf = (env: NodeJS.ProcessEnv, agent: string): string =>
  join(homeOf(env).root, 'traces', agent);

const fileOf = (env: NodeJS.ProcessEnv, { agent, session }: Session): string =>
  join(folderOf(env, agent), nameOf(session));

const nameOf = (session: string): string => sessionFileName(session) || 'unknown';

// The trace of a judged boundary, with which a command that ran is recognised.

/** The tolerance for two clocks, and for the time between a call and a client's record of it. */
const TOLERANCE_MS = 5_000;

interface Look {
  readonly command: string;
  readonly answer: string;
  readonly at: Date;
}

export function leaveLook(
  env: NodeJS.ProcessEnv,
  who: Session,
  { command, answer, at }: Look,
): void {
  leaveTrace(env, who, { at, moment: 'before-tool', detail: `${answer} ${digestOf(command)}` });
}

/** Leaves the trace of a judged boundary, unless another process has left it. */
export function leaveMissingLook(env: NodeJS.ProcessEnv, who: Session, look: Look): void {
  const { command, at } = look;
  if (!wasLookedAt(command, tracesOf(env, who), { from: at, to: at })) leaveLook(env, who, look);
}

/** Whether one of the traces is for exactly this command in that time. */
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
      // An unreadable time excludes nothing.
      !(at.getTime() < from.getTime() - TOLERANCE_MS) &&
      !(at.getTime() > to.getTime() + TOLERANCE_MS),
  );
}

const digestOf = (command: string): string => sha256(command).slice(0, 24);
