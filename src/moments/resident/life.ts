/** The life of the resident process: the files that it depends on, and its end. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { residentSetting } from '../../base/config/resident.ts';
import type { Home } from '../../base/files/home.ts';
import { packageVersion } from '../../base/files/package.ts';
import { PRIVATE } from '../../base/files/replace-file.ts';
import { type Address, addressFile, addressText, stateOfFile, whichFile } from './address.ts';

const IDLE_MS = 20 * 60_000;
/** The time between checks whether it is still needed, besides those before each event. */
const LOOK_MS = 5_000;
const MOST_BYTES = 400_000_000;
/** The longest wait at the end, because a stopped hook keeps its connection open. */
const LEAVE_MS = 30_000;

export interface ResidentStatus {
  readonly pid: number;
  readonly version: string;
  readonly startedAt: string;
  readonly idleSince: string;
  readonly events: number;
  readonly memoryBytes: number;
}

/** @param idleMs the time without an event after which it ends. */
export function lifeOf(home: Home, program: string, idleMs = IDLE_MS) {
  const addressed = addressFile(home, program);
  const code = [program, join(import.meta.dirname, 'lanehold-hook-main.cjs')];
  const codeNow = (): string => code.map(stateOfFile).join();
  const ownCode = codeNow();
  // The version is read now, because the package may be replaced.
  const version = packageVersion();
  const startedAt = new Date();
  let database = whichFile(home.database);
  let own: { readonly server: Server; readonly state: string | undefined } | undefined;
  let isEnding = false;
  let idleSince = startedAt;
  let quietFrom = performance.now();
  let events = 0;
  let running = 0;

  function isInPlace(): boolean {
    database ??= whichFile(home.database);
    const isFound = own === undefined || stateOfFile(addressed) === own.state;
    const isSame = whichFile(home.database) === database && codeNow() === ownCode;
    return isFound && isSame && residentSetting(home) === 'on';
  }

  /** Ends: hooks no longer find the process, and those that wait are answered. */
  function end(): void {
    if (isEnding) return;
    isEnding = true;
    if (own !== undefined && stateOfFile(addressed) === own.state)
      rmSync(addressed, { force: true });
    own?.server.close(() => process.exit(0));
    setTimeout(() => process.exit(0), LEAVE_MS);
  }

  function isWanted(): boolean {
    if (!isEnding && !isInPlace()) end();
    return !isEnding;
  }

  return {
    end,
    isWanted,
    /** Lets hooks find the process, and starts its checks. */
    publish(server: Server, address: Omit<Address, 'pid' | 'program'>): void {
      const draft = `${addressed}.${process.pid}.tmp`;
      const text = addressText({ ...address, pid: process.pid, program });
      writeFileSync(draft, text, { mode: PRIVATE });
      renameSync(draft, addressed);
      own = { server, state: stateOfFile(addressed) };
      setInterval(
        () => {
          if (running > 0 || !isWanted()) return;
          const isIdle = performance.now() - quietFrom > idleMs;
          if (isIdle || process.memoryUsage.rss() > MOST_BYTES) end();
        },
        Math.min(LOOK_MS, idleMs / 2),
      );
    },
    async during<T>(work: () => Promise<T>): Promise<T> {
      running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
        events += 1;
        idleSince = new Date();
        quietFrom = performance.now();
        // This event may have made the database.
        database ??= whichFile(home.database);
      }
    },
    status: (): ResidentStatus => ({
      pid: process.pid,
      version,
      startedAt: startedAt.toISOString(),
      idleSince: idleSince.toISOString(),
      events,
      memoryBytes: process.memoryUsage.rss(),
    }),
  };
}
