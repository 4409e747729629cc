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

/** Changed whenever the format of the connection changes. */
export const PROTOCOL = '2';

export interface Address {
  readonly port: number;
  /** The first word of a hook, without which nothing else is read. */
  readonly hookSecret: string;
  /** The answer to it, without which a hook sends nothing. */
  readonly ownSecret: string;
  readonly pid: number;
  readonly program: string;
}

/** The name is limited because file systems allow 255 bytes. */
const MOST_KEY_BYTES = 100;

/** @param program absolute path of the hook program; the entry script derives the same name. */
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

/** Identifies a file while somebody has it open; `undefined` if there is none. */
export function whichFile(file: string): string | undefined {
  const stats = statsOf(file);
  return stats && `${stats.dev} ${stats.ino}`;
}

/** The identity with the time of the last write. */
export function stateOfFile(file: string): string | undefined {
  const stats = statsOf(file);
  return stats && `${stats.dev} ${stats.ino} ${stats.ctimeNs}`;
}

const statsOf = (file: string) =>
  attempt(() => statSync(file, { bigint: true, throwIfNoEntry: false }));
