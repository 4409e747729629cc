/** The process of `team host`: one for a home, in the background or not, and how others find and stop it. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { ExplainedError } from '../../base/errors.ts';
import { type Home, privateFolder } from '../../base/files/home.ts';
import { readJsonFile, writeJsonFile } from '../../base/files/json-file.ts';
import { readPlainFile } from '../../base/files/plain-file.ts';
import { probeLock, takeLock } from '../../base/process/held-lock.ts';
import { identityOf, isAlive, signalProcess } from '../../base/process/process-entry.ts';
import { sendSignal, startDetached } from '../../base/process/run.ts';
import { printableLine } from '../../base/text/printable.ts';
import { installed } from '../../lanes/settings/registry.ts';
import { SAVE_MEMORY } from '../../lanes/start/launch.ts';
import { memberOn } from '../credentials.ts';
import { teamSettings } from '../settings.ts';
import type { Host } from './host.ts';
import { type Leaving, lend } from './loop.ts';
import { worksFor } from './offer.ts';

const lockOf = (home: Home): string => join(home.team, 'host.lock');
const stateOf = (home: Home): string => join(home.team, 'host.json');
export const logOf = (home: Home): string => join(home.team, 'host.log');

/** `boots` counts the starts; `lent`: the board knows of it. */
const State = z.object({ pid: z.int(), boots: z.int(), lent: z.boolean() });

function readState(home: Home): z.infer<typeof State> {
  const state = readJsonFile(stateOf(home), State);
  return typeof state === 'string' ? { pid: 0, boots: 0, lent: false } : state;
}

export const isLending = (home: Home): boolean => probeLock(lockOf(home)) === 'held';

export interface LendWish {
  readonly slots?: number | undefined;
  readonly forMs?: number | undefined;
  readonly idleMs?: number | undefined;
}

/**
 * Lends this machine until it is told to stop.
 *
 * @throws {ExplainedError} if another process does, or the board refuses.
 */
export async function lendHere(
  context: Host['context'],
  { slots: wished, forMs, idleMs }: LendWish,
  say: (line: string) => void,
): Promise<void> {
  const { home } = context.store;
  const member = memberOn(home);
  const lock = takeLock(lockOf(home));
  if (lock === undefined) {
    const hint = '`lanehold team host stop`, then start it again';
    throw new ExplainedError('this machine is lent already', { hint });
  }
  const settings = teamSettings(home);
  const slots = wished ?? settings.slots;
  // Stored first: of two processes of one identity the board believes the one with more starts.
  const boots = readState(home).boots + 1;
  const keep = (lent: boolean) => writeJsonFile(stateOf(home), { pid: process.pid, boots, lent });
  keep(false);
  const log = (line: string): void => {
    const text = `${new Date().toISOString()} ${printableLine(line, 2_000)}\n`;
    appendFileSync(logOf(home), text, { mode: 0o600 });
    say(line);
  };
  const agents = installed(context.env).map((it) => `agent:${it}`);
  const caps = [process.platform, process.arch, ...agents, ...settings.caps];
  const host = { context, member, settings, log };
  const lending = lend(host, { boots, slots, caps, idleMs, onLent: () => keep(true) });
  const leave = (how: Leaving) => (): void => {
    log(how === 'now' ? 'giving back what is held' : 'finishing what is held');
    lending.leave(how);
  };
  const signals = { SIGTERM: leave('now'), SIGINT: leave('now'), SIGUSR2: leave('drain') };
  for (const [name, act] of Object.entries(signals)) process.on(name, act);
  const timer = forMs === undefined ? undefined : setTimeout(leave('now'), forMs);
  try {
    log(`lends ${slots} slots as ${member.name}, for what ${await worksFor(host)} has signed`);
    await lending.run();
    log('lent no more');
  } finally {
    clearTimeout(timer);
    for (const [name, act] of Object.entries(signals)) process.off(name, act);
    lock.release();
  }
}

const START_MS = 30_000;

/** @param words the command that lends in the foreground. @returns its pid, once the board knows. */
export async function startLending(
  home: Home,
  env: NodeJS.ProcessEnv,
  program: string,
  words: readonly string[],
): Promise<number> {
  privateFolder(home.team);
  const logFile = logOf(home);
  const begun = readPlainFile(logFile)?.length ?? 0;
  const args = [...SAVE_MEMORY, program, ...words];
  const pid = startDetached(process.execPath, args, { cwd: home.root, env, logFile });
  for (const end = performance.now() + START_MS; performance.now() < end; await pause(50)) {
    const state = readState(home);
    if (state.pid === pid && state.lent) return pid;
    if (identityOf(pid) === undefined) break;
  }
  sendSignal(pid, 'SIGTERM');
  const said = readPlainFile(logFile)?.slice(begun) ?? '';
  const [fact, hint] = [/^error: (.+)/m, /^hint: (.+)/m].map((it) => it.exec(said)?.[1]);
  throw new ExplainedError(fact ?? 'this machine could not be lent', {
    hint: hint ?? `${logFile} says more`,
  });
}

/** Tells the process to stop, and waits until it has. @returns false if there is none. */
export async function stopLending(home: Home, how: Leaving): Promise<boolean> {
  const process = identityOf(readState(home).pid);
  if (!isLending(home) || process === undefined) return false;
  signalProcess(process, how === 'now' ? 'SIGTERM' : 'SIGUSR2');
  while (isLending(home) && isAlive(process)) await pause(100);
  return true;
}
