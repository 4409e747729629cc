/** The connection of this machine to its team's board, in a file that only its owner may read. */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { attempt, ExplainedError, UsageError } from '../base/errors.ts';
import { type Home, privateFolder } from '../base/files/home.ts';
import { readJsonFile, writeJsonFile } from '../base/files/json-file.ts';
import { PRIVATE, replaceFile } from '../base/files/replace-file.ts';

export type Member = z.infer<typeof member>;

const member = z.object({
  /** `postgres://user:password@host/database#key`; the key of the team is 32 bytes in base64url. */
  url: z.string().check(z.refine((it) => URL.canParse(it))),
  /** Id of the board. */
  board: z.string(),
  /** The id of this machine, its secret, and its name in the team. */
  host: z.string(),
  token: z.string(),
  name: z.string(),
});

const fileIn = (home: Home): string => join(home.team, 'credentials');
/** The file with the members' address, on the machine that made the board. */
export const memberFile = (home: Home): string => join(home.team, 'member-url');

/** @throws {ExplainedError} if this machine is in no team. */
export function memberOn(home: Home): Member {
  const found = readMember(home);
  if (found !== undefined) return found;
  throw new ExplainedError('this machine is in no team', {
    code: 'NO_TEAM',
    hint: '`lanehold team connect < member-url`, with the file that `lanehold team init` wrote',
  });
}

export function readMember(home: Home): Member | undefined {
  const found = readJsonFile(fileIn(home), member);
  if (found !== 'unreadable') return found === 'none' ? undefined : found;
  const hint = `delete ${home.team}, then connect anew`;
  throw new ExplainedError(`${fileIn(home)} cannot be understood`, { hint });
}

export function writeMember(home: Home, value: Member): void {
  privateFolder(home.team);
  writeJsonFile(fileIn(home), value);
}

/** @returns the file. */
export function writeMemberUrl(home: Home, url: string): string {
  privateFolder(home.team);
  replaceFile(memberFile(home), `${url}\n`, { mode: PRIVATE });
  return memberFile(home);
}

export const keyOf = ({ url }: Pick<Member, 'url'>): Buffer =>
  Buffer.from(new URL(url).hash.slice(1), 'base64url');

/** Whether an address is one for members: with the key of a team. */
export const hasKey = (url: string): boolean => URL.canParse(url) && keyOf({ url }).length === 32;

/** Checks an address; no error shows it, because it contains a password. @throws {UsageError} */
export function checkedUrl(given: string, whose: 'owner' | 'member'): string {
  const url = given.trim();
  const { protocol = '', hostname = '' } = URL.canParse(url) ? new URL(url) : {};
  const isReadable = attempt(() => decodeURIComponent(url)) !== undefined;
  const isAddress = /^postgres(?:ql)?:$/.test(protocol) && hostname !== '' && isReadable;
  if (isAddress && (whose === 'owner' || hasKey(url))) return url;
  const fact = isAddress ? 'has no key of a team' : 'is no address of a PostgreSQL database';
  throw new UsageError(url === '' ? 'LANEHOLD_TEAM_URL is not set' : `what is given ${fact}`, {
    hint:
      whose === 'owner'
        ? "`export LANEHOLD_TEAM_URL='postgres://user:password@host/database'`; @ and % in a password are written %40 and %25"
        : 'set it to what `lanehold team init` wrote for members, or `lanehold team connect < member-url`',
  });
}
