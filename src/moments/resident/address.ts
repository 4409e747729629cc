/**
 * Where hooks find the resident process: a file in `LANEHOLD_HOME/resident` for each installation. Its
 * first line is `2 <port> <secret of hooks> <secret of the process> <pid>`, its second the hook program.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import type { Home } from '../../base/files/home.ts';

/** The word after the hook program that makes it the resident process. */
export const RESIDENT = 'resident';

/** Raised whenever what goes over the connection changes. */
export const PROTOCOL = '2';

export interface Address {
  readonly port: number;
  /** A hook shows this one first: without it nothing else is read. */
  readonly hookSecret: string;
  /** The answer to it: without this one a hook sends nothing. */
  readonly ownSecret: string;
  readonly pid: number;
  readonly program: string;
}

/** The longest name of a file that every file system takes is 255 bytes. */
const MOST_KEY_BYTES = 100;

/** @param program absolute path of the hook program. The entry script makes the same name of it. */
export function addressFile(home: Home, program: string): string {
  const bytes = Buffer.from(program).toString('latin1');
  return join(home.resident, bytes.replaceAll(/[^A-Za-z0-9]/g, '_').slice(-MOST_KEY_BYTES));
}

export function addressText({ port, hookSecret, ownSecret, pid, program }: Address): string {
  return `${PROTOCOL} ${port} ${hookSecret} ${ownSecret} ${pid}\n${program}\n`;
}

/** `undefined` if there is none, or one of another version. */
export function readAddress(file: string): Address | undefined {
  const text = attempt(() => readFileSync(file, 'utf8')) ?? '';
  const [, port, hookSecret = '', ownSecret = '', pid, program = ''] = ADDRESS.exec(text) ?? [];
  if (port === undefined) return undefined;
  return { port: Number(port), hookSecret, ownSecret, pid: Number(pid), program };
}

const ADDRESS = new RegExp(
  `^${PROTOCOL} (\\d{1,5}) ([0-9a-f]{32}) ([0-9a-f]{32}) (\\d{1,10})\\n(.+)\\n$`,
);

/** Names a file for as long as somebody has it open; `undefined` if there is none. */
export function whichFile(file: string): string | undefined {
  const stats = statsOf(file);
  return stats && `${stats.dev} ${stats.ino}`;
}

/** Differs also once it is written to. */
export function stateOfFile(file: string): string | undefined {
  const stats = statsOf(file);
  return stats && `${stats.dev} ${stats.ino} ${stats.ctimeNs}`;
}

const statsOf = (file: string) =>
  attempt(() => statSync(file, { bigint: true, throwIfNoEntry: false }));
