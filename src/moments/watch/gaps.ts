/** Finds hooks of agents that no longer do their work: since when, which moment, and how to repair it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENTS } from '../../agents/registry.ts';
import type { Environment } from '../../base/environment.ts';
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { plural } from '../../base/text/count.ts';
import { printableLine } from '../../base/text/printable.ts';
import { age } from '../../base/text/time.ts';
import type { Store } from '../../store/open.ts';
import { type UnseenCommand, unseenCommandStore } from '../../store/unseen-commands.ts';
import { type ExpectedAgent, expectedAgents } from './expected.ts';
import { type Session, tracesSince } from './trace.ts';

export interface HookGap {
  readonly agent: string;
  /**
   * `unseen`: commands ran that the hook was not asked about; `silent`: whole sessions; `gone`: the
   * settings have no entry any more; `off`: a switch in them turns the hooks off; `dropped`: the agent ignores
   * them, because of an entry that need not be ours.
   */
  readonly kind: 'unseen' | 'silent' | 'gone' | 'off' | 'dropped';
  /** The event that is missed; `null`: every one. */
  readonly moment: 'before-tool' | null;
  /** When it was first missed, where that is known. */
  readonly since: Date | null;
  /** How many commands or sessions; 0 where it is about settings. */
  readonly count: number;
  /** A sentence without full stop. */
  readonly fact: string;
  /** The command that repairs it, or shows the cause. */
  readonly repair: string;
}

interface Here {
  readonly env: Environment;
  readonly root: string;
  readonly now: Date;
  readonly program: string;
  /** The session that is to be told: that its hooks run repairs nothing that it has not been told. */
  readonly told?: Session;
}

const SHOWN_MS = 30 * 86_400_000;
const MOST_ROWS = 200;

/** Reads settings files and the store; starts nothing. @param store absent: there is no database. */
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
    return { ...gap, kind: 'gone', fact, repair: `${program} install --agent ${agent}` };
  }
  const script = join(homeOf(env).root, 'lanehold-hook.sh');
  const started = attempt(() => readFileSync(script, 'utf8'));
  if (text.includes(script) && started?.includes('lanehold_hook') !== true) {
    const fact = `${script}, which the hooks of ${title} start, is not lanehold’s any more: nothing that it does is held`;
    return { ...gap, kind: 'off', fact, repair: `${program} install --agent ${agent}` };
  }
  const guards = AGENTS.find(({ name }) => name === agent)?.guards;
  const problemsIn = await guards?.problems?.();
  const [problem] = problemsIn?.(text, file) ?? [];
  if (problem !== undefined) {
    const fact = `${title} ignores all of ${file}, with the hooks in it: ${problem}; nothing that it does is held`;
    return { ...gap, kind: 'dropped', fact: printableLine(fact, 400), repair: `${program} doctor` };
  }
  const off = guards?.settings?.find((key) => new RegExp(`"${key}"\\s*:\\s*true`).test(text));
  if (off === undefined) return undefined;
  const fact = `\`${off}\` in ${file} turns the hooks of ${title} off: nothing that it does is held`;
  return { ...gap, kind: 'off', fact, repair: `${program} doctor` };
}

/** A mention of lanehold need not be a hook: a plugin has its name in the same files, and a status line its program. */
export const hasEntries = (text: string): boolean =>
  /lanehold-hook(?!\.sh)(?![^"]* 'statusline' ')/.test(text);

/** @param rows of one agent and moment, the newest first. */
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
  const gap = { agent, since, count, repair: `${program} doctor` };
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

/**
 * Until when something that was missed counts as repaired: the hooks were installed anew, or a later session
 * shows that the hook runs again.
 */
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
