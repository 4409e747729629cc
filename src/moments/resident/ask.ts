/** Asks the resident processes of a home for their state, or to end. */
import { readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import type { Home } from '../../base/files/home.ts';
import { probeLock } from '../../base/process/held-lock.ts';
import { parsedObject } from '../../base/text/json.ts';
import { type Address, RESIDENT, readAddress } from './address.ts';
import type { ResidentStatus } from './life.ts';

/** The time for which a hook waits. */
const WAIT_MS = 1_000;

/** A resident process; there is one for each installation. */
export interface Resident extends Pick<Address, 'pid' | 'port' | 'program'> {
  /** `null` if it does not answer: it is stopped, or hangs. */
  readonly status: ResidentStatus | null;
}

/** Asks all of them. One that does not answer a stop ends when it sees that its address file is gone. */
export async function askResidents(home: Home, what: 'status' | 'stop'): Promise<Resident[]> {
  const asked = (attempt(() => readdirSync(home.resident)) ?? []).map(async (name) => {
    const file = join(home.resident, name);
    const address = readAddress(file);
    // Hooks have given up processes with other names.
    if (address === undefined || name.includes('.')) return [];
    const { pid, port, program } = address;
    const status = (await statusAfter(address, what)) ?? null;
    if (status === null && probeLock(`${file}.lock`) !== 'held') return [];
    if (status === null && what === 'stop') rmSync(file, { force: true });
    return [{ pid, port, program, status }];
  });
  return (await Promise.all(asked)).flat();
}

function statusAfter({ port, hookSecret, ownSecret }: Address, what: string) {
  return new Promise<ResidentStatus | undefined>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const timer = setTimeout(() => socket.destroy(), WAIT_MS);
    let said = '';
    // The process is not trusted until it has sent its secret.
    const greeting = `${ownSecret}\n`;
    socket.setEncoding('utf8');
    socket.on('error', () => undefined);
    socket.on('data', (text: string) => {
      const before = said;
      said += text;
      if (!said.startsWith(greeting.slice(0, said.length))) socket.destroy();
      else if (before.length < greeting.length && said.length >= greeting.length)
        socket.write(['', '', 0, '/', 0, 2, RESIDENT, what, '', ''].join('\0'));
    });
    socket.on('close', () => {
      clearTimeout(timer);
      const answer = said.startsWith(greeting) ? /\{.*\}$/.exec(said)?.[0] : undefined;
      resolve(parsedObject(answer ?? '') as ResidentStatus | undefined);
    });
    socket.write(`${hookSecret}\n`);
  });
}
