/**
 * Leases ports to workers and validations. Each port has a lock file, shared by all projects of one
 * LANEHOLD_HOME, and is leased to one attempt at a time. Other programs are only checked for: the port
 * was free on this machine when it was leased.
 */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ExplainedError } from '../errors.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import { type HeldLock, probeLock, takeLock } from './held-lock.ts';

export interface PortLease {
  readonly ports: readonly number[];
  release(): void;
}

/** The range is below that of client ports (from 32768 on Linux), which may be taken at any moment. */
const FIRST_PORT = 20_000;
const LAST_PORT = 29_999;
const PORTS = LAST_PORT - FIRST_PORT + 1;

/**
 * Leases a number of ports on which nothing listens.
 *
 * @param locks the folder `locks` of LANEHOLD_HOME.
 * @param first where the search begins: at random, so that two processes seldom try the same one.
 * @throws {ExplainedError} if there are not enough free ones.
 */
export async function leasePorts(
  locks: string,
  count: number,
  first = FIRST_PORT + randomInt(PORTS),
): Promise<PortLease> {
  const leased = new Map<number, HeldLock>();
  const release = () => releaseAll(leased.values());
  try {
    for (let port = first; leased.size < count; port += 1) {
      if (port === first + PORTS) {
        throw new ExplainedError(`no port between ${FIRST_PORT} and ${LAST_PORT} is free`, {
          hint: 'end what listens there, or lower `ports` in lanehold.json',
        });
      }
      const one = port > LAST_PORT ? port - PORTS : port;
      const lock = await leaseOne(lockFile(locks, one), one);
      if (lock !== undefined) leased.set(one, lock);
    }
  } catch (error) {
    release();
    throw error;
  }
  return { ports: [...leased.keys()], release };
}

/**
 * Takes over the ports of a worker that runs. It may listen there, so they are not checked. A port
 * that was leased to another attempt meanwhile is returned as well: the worker was told to use it.
 */
export function keepPorts(locks: string, ports: readonly number[]): PortLease {
  const leased = ports.flatMap((port) => takeLock(lockFile(locks, port)) ?? []);
  return { ports, release: () => releaseAll(leased) };
}

function lockFile(locks: string, port: number): string {
  makePrivateFolder(join(locks, 'ports'));
  return join(locks, 'ports', `${port}.lock`);
}

function releaseAll(leased: Iterable<HeldLock>): void {
  for (const lock of leased) lock.discard();
}

async function leaseOne(file: string, port: number): Promise<HeldLock | undefined> {
  if (probeLock(file) === 'held') return undefined;
  const lock = takeLock(file);
  if (lock === undefined || (await isFree(port))) return lock;
  lock.discard();
  return undefined;
}

/** Checks both loopback addresses: servers listen on one of them, clients try both. */
async function isFree(port: number): Promise<boolean> {
  return (await canListen('127.0.0.1', port)) && (await canListen('::1', port));
}

function canListen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', (error: NodeJS.ErrnoException) => {
      // The machine has no IPv6.
      resolve(error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT');
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
