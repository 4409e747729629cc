/**
 * What the hooks of agents leave behind each time, so that another layer can tell whether they still run:
 * small files, which are there where no database can be opened, too. `traces/<agent>/<session>` has a line for
 * each moment; the time of `<session>.commands` is when the hook was last asked about a shell command.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { EventName } from '../../agents/types.ts';
import type { Environment } from '../../base/environment.ts';
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
  /** `read`: how far a transcript was read, `<bytes> <file>`. */
  readonly moment: EventName | 'read';
  /** The answer and the digest of the command for `before-tool` at a boundary; or `BY_PLUGIN`. */
  readonly detail: string;
}

/** The detail of a `session-start` whose hook is that of a plugin. */
export const BY_PLUGIN = 'plugin';

const COMMANDS = '.commands';
const COMPACTED = '.compacted';
const KEPT_MS = 30 * 86_400_000;

export function leaveTrace(env: Environment, who: Session, { at, moment, detail }: Trace): void {
  const line = `${at.getTime()} ${moment} ${detail.replaceAll('\n', ' ')}\n`;
  leaveFile(fileOf(env, who), line);
}

/** Leaves a trace only if it is the first of the session: such moments come too often. */
export function leaveFirstTrace(env: Environment, who: Session, trace: Trace): void {
  if (!existsSync(fileOf(env, who))) leaveTrace(env, who, trace);
}

export function noteAsked(env: Environment, who: Session): void {
  leaveFile(`${fileOf(env, who)}${COMMANDS}`, '', 'w');
}

/** The session forgets what it was told; the next moment at which it can be told takes the note away. */
export function noteCompaction(env: Environment, who: Session): void {
  leaveFile(`${fileOf(env, who)}${COMPACTED}`, '', 'w');
}

/** Whether the session was compacted, and has not been told what it forgot. */
export const isCompacted = (env: Environment, who: Session): boolean =>
  existsSync(`${fileOf(env, who)}${COMPACTED}`);

export function forgetCompaction(env: Environment, who: Session): void {
  attempt(() => rmSync(`${fileOf(env, who)}${COMPACTED}`, { force: true }));
}

/** The traces in the order in which they were left; empty if no hook has run in the session. */
export function tracesOf(env: Environment, who: Session): Trace[] {
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

export const hasTrace = (env: Environment, who: Session): boolean => existsSync(fileOf(env, who));

/**
 * When the hook was last asked about a shell command: in the session, or in any of the agent's where it
 * is not known.
 */
export function lastAsked(env: Environment, { agent, session }: Session): Date | undefined {
  const own = `${nameOf(session)}${COMMANDS}`;
  const names = session === '' ? namesOf(env, agent).filter((it) => it.endsWith(COMMANDS)) : [own];
  return newest(names.map((it) => join(folderOf(env, agent), it)));
}

export const hasTraces = (env: Environment, agent: string): boolean =>
  namesOf(env, agent).length > 0;

/** The last moment at which a hook of the agent ran, as far as it left a trace. */
export function lastEvent(env: Environment, agent: string): Date | undefined {
  return newest(namesOf(env, agent).map((it) => join(folderOf(env, agent), it)));
}

/** The traces of each session but one of which something was left since then. */
export function tracesSince(
  env: Environment,
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

/** Its hooks were taken out on purpose: nothing is expected of it any more. */
export function forgetTraces(env: Environment, agent: string): void {
  rmSync(folderOf(env, agent), { recursive: true, force: true });
}

export function dropOldTraces(env: Environment, agent: string, now: Date): void {
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

const namesOf = (env: Environment, agent: string): string[] =>
  attempt(() => readdirSync(folderOf(env, agent))) ?? [];

const folderOf = (env: Environment, agent: string): string =>
  join(homeOf(env).root, 'traces', agent);

const fileOf = (env: Environment, { agent, session }: Session): string =>
  join(folderOf(env, agent), nameOf(session));

const nameOf = (session: string): string => sessionFileName(session) || 'unknown';

// The trace of a look at a boundary, by which a command that ran is known again.

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

/** Leaves the trace of a look, unless another process has left it. */
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
