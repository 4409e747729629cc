/**
 * The resident process: it answers the hooks of one installation and one `LANEHOLD_HOME`, each as the hook
 * program would in a process of its own. Nothing depends on it, so it ends at the least doubt.
 */
import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HookOutput } from '../../agents/types.ts';
import { residentSetting } from '../../base/config/resident.ts';
import { attempt } from '../../base/errors.ts';
import { homeOf, privateFolder } from '../../base/files/home.ts';
import { packageVersion } from '../../base/files/package.ts';
import { PRIVATE } from '../../base/files/replace-file.ts';
import { takeLock } from '../../base/process/held-lock.ts';
import { parentCommands } from '../../base/process/parents.ts';
import { GIT_PRE_PUSH } from '../../base/text/git-hook.ts';
import { StoreTooNewError } from '../../store/errors.ts';
import { type EventStore, openEventStore } from '../../store/event-store.ts';
import { logFailure } from '../lifecycle/failure-log.ts';
import { addressFile, addressText, RESIDENT, residentFolder, whichFile } from './address.ts';
import type { Request } from './request.ts';
import { listen } from './server.ts';

const IDLE_MS = 20 * 60_000;
/** How often it looks whether it is still wanted, besides before each event. */
const LOOK_MS = 5_000;
const MOST_BYTES = 400_000_000;
/** A hook that is stopped keeps its connection open. */
const LEAVE_MS = 30_000;

/** What an event is answered with; none of it is of the resident process itself. */
interface ResidentCall {
  readonly args: Request['args'];
  readonly env: Request['env'];
  readonly id: string;
  input(): Buffer;
  cwd(): string;
  now(): Date;
  store(): Promise<EventStore>;
  onTerminal(): boolean;
  parents(): Promise<readonly (readonly string[])[]>;
  isAwaited(): Promise<boolean>;
}

export interface ResidentOptions {
  readonly answerCall: (call: ResidentCall) => Promise<HookOutput>;
  /** Absolute path of the hook program, as the entry script has it. */
  readonly program: string;
  readonly idleMs?: number | undefined;
}

/** What it says of itself. */
export interface ResidentStatus {
  readonly pid: number;
  readonly version: string;
  readonly startedAt: string;
  /** `null` before the first event. */
  readonly lastEventAt: string | null;
  readonly events: number;
  readonly memoryBytes: number;
}

/** Serves until it has to end, and then exits; at once if there is such a process already. */
export async function serveHooks(options: ResidentOptions): Promise<void> {
  const home = homeOf(process.env);
  // What a hook has no HOME for is looked up for the account, as in a process of its own.
  delete process.env.HOME;
  process.chdir('/');
  const file = addressFile(home, options.program);
  privateFolder(residentFolder(home));
  const lock = takeLock(`${file}.lock`);
  if (lock === undefined) process.exit(0);

  const code = [options.program, join(import.meta.dirname, 'lanehold-hook-main.cjs')];
  const codeNow = (): string => code.map(whichFile).join();
  const ownCode = codeNow();
  const startedAt = new Date();
  let database = whichFile(home.database);
  let ownAddress: string | undefined;
  let lastEventAt: Date | undefined;
  let since = performance.now();
  let events = 0;
  let running = 0;
  let isEnding = false;

  const isWanted = (): boolean => {
    const nowDatabase = whichFile(home.database);
    // The first event makes it.
    database ??= nowDatabase;
    return (
      whichFile(file) === ownAddress &&
      codeNow() === ownCode &&
      nowDatabase === database &&
      residentSetting(home) === 'on'
    );
  };
  const end = (): void => {
    if (isEnding) return;
    isEnding = true;
    if (ownAddress !== undefined && whichFile(file) === ownAddress) rmSync(file, { force: true });
    server.close(() => process.exit(0));
    setTimeout(() => process.exit(0), LEAVE_MS);
  };
  const isOpen = (): boolean => {
    if (!isEnding && !isWanted()) end();
    return !isEnding;
  };
  const look = (): void => {
    const isIdle = running === 0 && performance.now() - since > (options.idleMs ?? IDLE_MS);
    if (isOpen() && isIdle) end();
  };

  const inOrder = ordered();
  const status = (): ResidentStatus => ({
    ...{ pid: process.pid, version: packageVersion(), startedAt: startedAt.toISOString() },
    lastEventAt: lastEventAt?.toISOString() ?? null,
    ...{ events, memoryBytes: process.memoryUsage.rss() },
  });
  const answer = async (request: Request, isAwaited: () => Promise<boolean>) => {
    if (request.args[0] === RESIDENT) {
      if (request.args[1] === 'stop') setImmediate(end);
      return { stdout: JSON.stringify(status()), stderr: '', exitCode: 0 };
    }
    running += 1;
    try {
      if (!isAnswerable(request, home.root)) return undefined;
      return await inOrder(orderOf(request), async () => {
        // A hook may have been ended while it waited for the one before.
        if (!(await isAwaited())) return undefined;
        const output = await answerOne(options.answerCall, { request, isAwaited });
        if (output === undefined) end();
        return output;
      });
    } catch (error) {
      logFailure(
        error,
        { agent: RESIDENT, event: request.args[0] ?? '' },
        ownEnvironment,
        new Date(),
      );
      return undefined;
    } finally {
      running -= 1;
      events += 1;
      lastEventAt = new Date();
      since = performance.now();
      if (running === 0 && process.memoryUsage.rss() > MOST_BYTES) end();
    }
  };

  const ownEnvironment = { LANEHOLD_HOME: home.root };
  process.on('uncaughtException', (error) => {
    logFailure(error, { agent: RESIDENT, event: '' }, ownEnvironment, new Date());
    end();
    process.exit(1);
  });
  process.once('SIGTERM', end);
  const [hookSecret = '', ownSecret = ''] = [0, 1].map(() => randomBytes(16).toString('hex'));
  const { server, port } = await listen({ hookSecret, ownSecret, isOpen, answer });
  const { pid } = process;
  const draft = `${file}.${pid}.tmp`;
  const address = { port, hookSecret, ownSecret, pid, program: options.program };
  writeFileSync(draft, addressText(address), { mode: PRIVATE });
  ownAddress = whichFile(draft);
  renameSync(draft, file);
  setInterval(look, Math.min(LOOK_MS, (options.idleMs ?? IDLE_MS) / 2));
}

/** `undefined` if the database is of a newer lanehold: another program has to answer, and from now on. */
async function answerOne(
  answerCall: ResidentOptions['answerCall'],
  { request, isAwaited }: { request: Request; isAwaited: () => Promise<boolean> },
): Promise<HookOutput | undefined> {
  const { args, env, id, input, folder, parent } = request;
  let store: Promise<EventStore> | undefined;
  let isTooNew = false;
  try {
    const output = await answerCall({
      ...{ args, env, id, isAwaited },
      input: () => input,
      cwd() {
        // Throws where it has been deleted.
        statSync(folder);
        return folder;
      },
      now: () => new Date(),
      store() {
        store ??= openEventStore(homeOf(env)).catch((error: unknown) => {
          // One that is locked is tried again.
          store = undefined;
          isTooNew = error instanceof StoreTooNewError;
          throw error;
        });
        return store;
      },
      onTerminal: () => false,
      parents: async () => parentCommands(parent),
    });
    return isTooNew ? undefined : output;
  } finally {
    (await store?.catch(() => undefined))?.close();
  }
}

/** Runs what has the same key one after another, in the order of the calls, and all else at once. */
function ordered() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(key: string | undefined, work: () => Promise<T>): Promise<T> => {
    if (key === undefined) return work();
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(work);
    const ended = mine.catch(() => undefined);
    last.set(key, ended);
    try {
      return await mine;
    } finally {
      if (last.get(key) === ended) last.delete(key);
    }
  };
}

/** The agent and the session; git's hook runs while an agent's session waits for it. */
function orderOf({ args, input }: Request): string | undefined {
  if (args[0] === GIT_PRE_PUSH) return undefined;
  const [, session = ''] = SESSION.exec(input.toString('latin1', 0, SESSION_BYTES)) ?? [];
  return `${args[2]} ${session}`;
}

/** The names that agents have for it; events in which it stands later count as of one session. */
const SESSION = /"(?:session|conversation|trajectory)_?id"\s*:\s*"((?:[^"\\]|\\.)*)"/i;
const SESSION_BYTES = 65_536;

/** The hook that was there before git's own is started by the entry: its output goes to the terminal. */
function isAnswerable({ args: [event, previous], env }: Request, root: string): boolean {
  if (event === GIT_PRE_PUSH && previous !== '') return false;
  const named = attempt(() => homeOf(env).root);
  // A home can have several paths.
  return named !== undefined && whichFile(named) === whichFile(root);
}
