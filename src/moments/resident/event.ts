/** One event in the resident process: its answer, its order, and its connection. */
import { readlinkSync, statSync } from 'node:fs';
import { type HookOutput, STATUS_LINE } from '../../agents/types.ts';
import { attempt } from '../../base/errors.ts';
import { type Home, homeOf } from '../../base/files/home.ts';
import { parentCommands } from '../../base/process/parents.ts';
import { GIT_PRE_PUSH } from '../../base/text/git-hook.ts';
import { CURRENT_SCHEMA } from '../../store/connect.ts';
import { StoreTooNewError } from '../../store/errors.ts';
import { type EventStore, openEventStore } from '../../store/event-store.ts';
import type { AnswerCall } from '../lifecycle/hook-call.ts';
import { whichFile } from './address.ts';
import type { Request } from './request.ts';

/** The most connections: opening one takes longer than most events. */
const MOST_CONNECTIONS = 8;

/** Keeps connections open between events; each running event has one of its own. */
export function connectionsTo(home: Home) {
  const free: EventStore[] = [];
  const waiting: (() => void)[] = [];
  let used = 0;
  const release = (): void => {
    used -= 1;
    waiting.shift()?.();
  };
  return {
    async take(): Promise<EventStore> {
      while (used >= MOST_CONNECTIONS) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      used += 1;
      try {
        const store = free.pop() ?? (await openEventStore(home));
        const version = store.schemaVersion();
        if (version === CURRENT_SCHEMA.version) return store;
        store.close();
        throw new StoreTooNewError(home.database, version, CURRENT_SCHEMA.version);
      } catch (error) {
        release();
        throw error;
      }
    },
    give(store: EventStore): void {
      store.rollBack();
      free.push(store);
      release();
      setImmediate(() => store.shortenJournal());
    },
  };
}

export type Connections = ReturnType<typeof connectionsTo>;

/** @returns `undefined` if a newer lanehold has changed the database: that one has to answer. */
export async function answerEvent(
  { args, env, id, input, folder, parent }: Request,
  isAwaited: () => Promise<boolean>,
  { answerCall, connections }: { answerCall: AnswerCall; connections: Connections },
): Promise<HookOutput | undefined> {
  let store: Promise<EventStore> | undefined;
  let isTooNew = false;
  try {
    const output = await answerCall({
      args,
      env,
      isAwaited,
      isResident: true,
      id: id === '' ? undefined : id,
      input: () => input,
      cwd() {
        // This throws if the folder has been deleted.
        statSync(folder);
        return folder;
      },
      now: () => new Date(),
      store() {
        store ??= connections.take().catch((error: unknown) => {
          // A locked database is tried again.
          store = undefined;
          isTooNew = error instanceof StoreTooNewError;
          throw error;
        });
        return store;
      },
      // This is git's own stderr, which its hook has as well.
      onTerminal: () => TERMINAL.test(attempt(() => readlinkSync(`/proc/${parent}/fd/2`)) ?? ''),
      parents: async () => parentCommands(parent),
    });
    return isTooNew ? undefined : output;
  } finally {
    const taken = await store?.catch(() => undefined);
    if (taken !== undefined) connections.give(taken);
  }
}

const TERMINAL = /^\/dev\/(?:pts\/\d|tty|console)/;

/** Runs work with the same key one after another, in the order of the calls, and other work at once. */
export function ordered() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(key: string | undefined, work: () => Promise<T>): Promise<T> => {
    if (key === undefined) return work();
    const mine = (last.get(key) ?? Promise.resolve()).then(work);
    const forget = (): void => {
      if (last.get(key) === ended) last.delete(key);
    };
    const ended = mine.then(forget, forget);
    last.set(key, ended);
    return mine;
  };
}

/** The key of an event: its agent and session. git's hook, which a session waits for, and a status line have none. */
export function orderOf({ args, input }: Request): string | undefined {
  if (args[0] === GIT_PRE_PUSH || args[0] === STATUS_LINE) return undefined;
  const [, session = ''] = SESSION.exec(input.toString('latin1', 0, SESSION_BYTES)) ?? [];
  return `${args[2]} ${session}`;
}

/** The names that agents have for the session; events with another name count as of one session. */
const SESSION = /"(?:session|conversation|trajectory)_?id"\s*:\s*"((?:[^"\\]|\\.)*)"/i;
const SESSION_BYTES = 65_536;

/** The time zone at the start: Node has one for the whole process. */
const TIME_ZONE = process.env.TZ;

/** Whether the process can answer. The entry starts git's earlier hook, whose output goes to the terminal. */
export function isAnswerable({ args: [event, previous], env }: Request, home: Home): boolean {
  if ((event === GIT_PRE_PUSH && previous !== '') || env.TZ !== TIME_ZONE) return false;
  const named = attempt(() => homeOf(env).root);
  // A home can have several paths.
  return named !== undefined && whichFile(named) === whichFile(home.root);
}
