/** Finds hooks of agents that no longer work: since when, at which event, and how to repair them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENTS } from '../../agents/registry.ts';
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { plural, printableLine } from '../../base/text/printable.ts';
import { age } from '../../base/text/time.ts';
import type { Store } from '../../store/open.ts';
import { type UnseenCommand, unseenCommandStore } from '../../store/unseen-commands.ts';
import { type ExpectedAgent, expectedAgents } from './expected.ts';
import { type Session, tracesSince } from './trace.ts';

export interface HookGap {
  readonly agent: string;
  /**
   * `unseen`: commands ran without the hook; `silent`: whole sessions did; `gone`: the settings have no entry any more;
   * `off`: a switch in them turns the hooks off; `dropped`: the agent ignores them, because of an entry that need not
   * be lanehold's.
   */
  readonly kind: 'unseen' | 'silent' | 'gone' | 'off' | 'dropped';
  /** The event that is missed; `null`: every one. */
  readonly moment: 'before-tool' | null;
  /** The first time that it was missed, if that is known. */
  readonly since: Date | null;
  /** The number of commands or sessions; 0 if it is about settings. */
  readonly count: number;
  /** A sentence without full stop. */
  readonly fact: string;
  /** The command that repairs it, or shows the cause. */
  readonly repair: string;
}

interface Here {
  readonly env: NodeJS.ProcessEnv;
  readonly root: string;
  readonly now: Date;
  /** How lanehold is started; asked only where there is a gap. */
  readonly program: () => string;
  /** The session that has to learn it: its running hooks do not change what it was not told. */
  readonly told?: Session;
}

const SHOWN_MS = 30 * 86_400_000;
const MOST_ROWS = 200;

/** Reads settings files and the store; starts nothing. @param store absent without a database. */
export async function hookGaps(here: Here, store: Store | undefined): Promise<HookGap[]> {
  const expected = expectedAgents(here.env, here.root);
  const found = await Promise.all(expected.map((it) => settingsGap(it, here)));
  const inSettings = found.filter((it) => it !== undefined);
  const since = new Date(here.now.getTime() - SHOWN_MS);
  const rows = store === undefined ? [] : unseenCommandStore(store).latest(since, MOST_ROWS);
  const missed = [...Map.groupBy(rows, ({ agent, moment }) => `${agent} ${moment}`).values()];
  return [...inSettings, ...missed.flatMap((it) => missedGap(it, expected, here) ?? [])];
}

async function settingsGap(
  { agent, title, file }: ExpectedAgent,
  { env, program }: Here,
): Promise<HookGap | undefined> {
  if (file === undefined) return undefined;
  const text = attempt(() => readFileSync(file, 'utf8')) ?? '';
  const gap = { agent, moment: null, since: null, count: 0 };
  if (!hasEntries(text)) {
    const fact = `the hooks of ${title} are gone from ${file}: nothing that it does is held`;
    return { ...gap, kind: 'gone', fact, repair: `${program()} install --agent ${agent}` };
  }
  const script = join(homeOf(env).root, 'lanehold-hook.sh');
  const started = attempt(() => readFileSync(script, 'utf8'));
  if (text.includes(script) && started?.includes('lanehold_hook') !== true) {
    const fact = `${script}, which the hooks of ${title} start, is not lanehold’s any more: nothing that it does is held`;
    return { ...gap, kind: 'off', fact, repair: `${program()} install --agent ${agent}` };
  }
  const guards = AGENTS.find(({ name }) => name === agent)?.guards;
  const problemsIn = await guards?.problems?.();
  const [problem] = problemsIn?.(text, file) ?? [];
  if (problem !== undefined) {
    const fact = `${title} ignores all of ${file}, with the hooks in it: ${problem}; nothing that it does is held`;
    return {
      ...gap,
      kind: 'dropped',
      fact: printableLine(fact, 400),
      repair: `${program()} doctor`,
    };
  }
  const off = guards?.settings?.find((key) => new RegExp(`"${key}"\\s*:\\s*true`).test(text));
  if (off === undefined) return undefined;
  const fact = `\`${off}\` in ${file} turns the hooks of ${title} off: nothing that it does is held`;
  return { ...gap, kind: 'off', fact, repair: `${program()} doctor` };
}

/** Whether a text has entries. The name lanehold alone proves none: a plugin and a status line have it too. */
export const hasEntries = (text: string): boolean =>
  /lanehold-hook(?!\.sh)(?![^"]* 'statusline' ')/.test(text);

/** @param rows those of one agent and event, the newest first. */
function missedGap(
  rows: readonly UnseenCommand[],
  expected: readonly ExpectedAgent[],
  here: Here,
): HookGap | undefined {
  const { now, program } = here;
  const [newest] = rows;
  const known = expected.find(({ agent }) => agent === newest?.agent);
  if (newest === undefined || known === undefined) return undefined;
  const { agent, moment } = newest;
  const runsSince = lastRun(here, known, moment, rows.at(-1)?.at ?? now);
  const missed = rows.filter(({ at }) => at > runsSince);
  const since = missed.at(-1)?.at;
  if (since === undefined) return undefined;
  const { length: count } = missed;
  const when = age(since, now);
  const gap = { agent, since, count, repair: `${program()} doctor` };
  if (moment === 'session-start') {
    const fact = `no hook of ${known.title} ran in ${plural(count, 'session')}, the first ${when}`;
    return { ...gap, kind: 'silent', moment: null, fact };
  }
  const last = printableLine(newest.command, 80);
  const which = `\`${last}\`, found by ${FINDERS[newest.foundBy]}`;
  const fact =
    count === 1
      ? `${known.title} did not start its hook before a command, ${when}: ${which}`
      : `${known.title} did not start its hook before ${count} commands, the first ${when}; the last was ${which}`;
  return { ...gap, kind: 'unseen', moment, fact };
}

const FINDERS: Readonly<Record<UnseenCommand['foundBy'], string>> = {
  git: 'git’s own hook',
  transcript: 'its transcript',
  'after-tool': 'its hook after the command',
};

/** The time until which gaps count as repaired: the hooks were installed again, or a later session has run them. */
function lastRun(
  { env, told }: Here,
  { agent, installedAt }: ExpectedAgent,
  moment: UnseenCommand['moment'],
  oldest: Date,
): Date {
  const sessions = tracesSince(env, agent, oldest, told).filter(
    (it) => moment === 'session-start' || it.some((trace) => trace.moment === moment),
  );
  const began = sessions.map(([first]) => first?.at.getTime() ?? 0);
  return new Date(Math.max(installedAt?.getTime() || 0, ...began));
}

/** A gap for a model or a person: the fact, then the repair. */
export function gapText({ fact, repair }: HookGap): string {
  return `lanehold: ${fact}. To mend it: ${repair}`;
}
