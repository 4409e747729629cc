/**
 * Ports for what workers and validations start. A port is lent to one attempt at a time: a lock file
 * for each, shared by all projects of one LANEHOLD_HOME. Against everybody else there is only a look:
 * it was free on this machine when it was lent.
 */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ExplainedError } from '../errors.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import { type HeldLock, probeLock, takeLock } from '../store/held-lock.ts';

export interface PortLease {
  readonly ports: readonly number[];
  release(): void;
}

/** Below what systems hand out to clients (from 32768 on Linux): those come and go at any moment. */
const FIRST_PORT = 20_000;
const LAST_PORT = 29_999;

/**
 * Lends so many ports. The wanted ones keep their places, if nobody has them and nothing listens
 * there; others take the places of those that are gone.
 *
 * @param locks the folder `locks` of LANEHOLD_HOME.
 * @throws {ExplainedError} if there are not so many.
 */
export async function leasePorts(
  locks: string,
  count: number,
  wanted: readonly number[],
): Promise<PortLease> {
  const folder = portFolder(locks);
  const leased = new Map<number, HeldLock>();
  try {
    for (let at = 0; at < count; at += 1) {
      const [port, lock] = await leaseOne(folder, wanted[at]);
      leased.set(port, lock);
    }
  } catch (error) {
    release(leased);
    throw error;
  }
  return { ports: [...leased.keys()], release: () => release(leased) };
}

/**
 * Holds on to the ports of a worker that runs and may listen there: nobody looks whether they are
 * free. One that somebody else was lent in between is among them all the same, for the worker has
 * been told so.
 */
export function keepPorts(locks: string, ports: readonly number[]): PortLease {
  const folder = portFolder(locks);
  const leased = new Map<number, HeldLock>();
  for (const port of ports) {
    const lock = takeLock(lockFile(folder, port));
    if (lock !== undefined) leased.set(port, lock);
  }
  return { ports, release: () => release(leased) };
}

function portFolder(locks: string): string {
  const folder = join(locks, 'ports');
  makePrivateFolder(folder);
  return folder;
}

function lockFile(folder: string, port: number): string {
  return join(folder, `${port}.lock`);
}

function release(leased: ReadonlyMap<number, HeldLock>): void {
  for (const lock of leased.values()) lock.discard();
}

async function leaseOne(folder: string, wish: number | undefined): Promise<[number, HeldLock]> {
  if (wish !== undefined && isPort(wish)) {
    const lock = await lease(folder, wish);
    if (lock !== undefined) return [wish, lock];
  }
  const ports = LAST_PORT - FIRST_PORT + 1;
  const start = randomInt(ports);
  for (let turn = 0; turn < ports; turn += 1) {
    const port = FIRST_PORT + ((start + turn) % ports);
    const lock = await lease(folder, port);
    if (lock !== undefined) return [port, lock];
  }
  throw new ExplainedError(`no port between ${FIRST_PORT} and ${LAST_PORT} is free`, {
    hint: 'end what listens there, or lower `ports` in lanehold.json',
  });
}

function isPort(it: number): boolean {
  return Number.isInteger(it) && it > 0 && it < 65_536;
}

async function lease(folder: string, port: number): Promise<HeldLock | undefined> {
  const file = lockFile(folder, port);
  if (probeLock(file) === 'held') return undefined;
  const lock = takeLock(file);
  if (lock === undefined || (await isFree(port))) return lock;
  lock.discard();
  return undefined;
}

/** Both loopbacks: some servers take the one, some the other, and clients try both. */
async function isFree(port: number): Promise<boolean> {
  return (await canListen('127.0.0.1', port)) && (await canListen('::1', port));
}

function canListen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', (error: NodeJS.ErrnoException) => {
      // A machine without IPv6.
      resolve(error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT');
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
