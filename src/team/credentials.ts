/** How this machine reaches its team's board: address, key and its own token, in a file that only its owner may read. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Environment } from '../base/environment.ts';
import { ExplainedError, UsageError } from '../base/errors.ts';
import { type Home, privateFolder } from '../base/files/home.ts';
import { readJsonFile, writeJsonFile } from '../base/files/json-file.ts';
import { readPlainFile } from '../base/files/plain-file.ts';
import { PRIVATE, replaceFile } from '../base/files/replace-file.ts';

/** What a member is given. */
export interface Invitation {
  /** `postgres://user:password@host/database` */
  readonly url: string;
  /** Of the team: 32 bytes in base64url. */
  readonly key: string;
  /** Certificates (PEM) of a private authority that signs for the server. */
  readonly ca?: string | undefined;
}

export type Credentials = z.infer<typeof credentials>;

const credentials = z.object({
  url: z.string(),
  key: z.string(),
  ca: z.optional(z.string()),
  /** Id of the board. */
  board: z.string(),
  /** Id of this machine, and what proves it. */
  host: z.string(),
  token: z.string(),
  name: z.string(),
});

const fileIn = (home: Home): string => join(home.team, 'credentials');
export const invitationFile = (home: Home): string => join(home.team, 'member.env');

export class NoTeamError extends ExplainedError {
  override readonly code = 'NO_TEAM';
}

/** @throws {ExplainedError} if they cannot be read. */
export function readCredentials(home: Home): Credentials | undefined {
  const file = fileIn(home);
  const found = readJsonFile(file, credentials);
  if (found === 'none') return undefined;
  if (found !== 'unreadable') return found;
  throw new ExplainedError(`${file} cannot be understood`, {
    hint: '`lanehold team disconnect`, then connect anew',
  });
}

export function writeCredentials(home: Home, value: Credentials): void {
  privateFolder(home.team);
  writeJsonFile(fileIn(home), value);
}

/** Also what was written for members: who wants to keep that has copied it. */
export const forgetCredentials = (home: Home): void =>
  rmSync(home.team, { recursive: true, force: true });

export const keyOf = ({ key }: Pick<Invitation, 'key'>): Buffer => Buffer.from(key, 'base64url');

const VARIABLES = {
  url: 'LANEHOLD_TEAM_URL',
  key: 'LANEHOLD_TEAM_KEY',
  ca: 'LANEHOLD_TEAM_CA',
} as const;

const SETTING = /^\s*(?:export\s+)?(LANEHOLD_TEAM_\w+)=(?:'([^']*)'|"([^"]*)"|(\S*))\s*$/gm;

/** The environment, with what a text sets as a shell would read it: `NAME=value`, which may be quoted and exported. */
export function withSettings(env: Environment, text: string): Environment {
  const found = Array.from(text.matchAll(SETTING), ([, name, ...values]) => [
    name,
    values.find((it) => it !== undefined),
  ]);
  return { ...env, ...Object.fromEntries(found) };
}

/** The address as it is given. @throws {UsageError} if there is none, or it is none. */
export function givenUrl(env: Environment): string {
  const url = env[VARIABLES.url];
  if (url === undefined || url === '') {
    throw new UsageError(`${VARIABLES.url} is not set`, {
      hint: "`export LANEHOLD_TEAM_URL='postgres://user:password@host/database'`",
    });
  }
  // The address itself is not shown: it has a password.
  const isAddress = URL.canParse(url) && /^postgres(?:ql)?:$/.test(new URL(url).protocol);
  if (isAddress && new URL(url).hostname !== '') return url;
  throw new UsageError(`${VARIABLES.url} is no address of a PostgreSQL database`, {
    hint: 'postgres://user:password@host:5432/database; signs such as @ and # in a password are written %40, %23',
  });
}

/** @throws {UsageError} if something is missing or not as it should be. */
export function givenInvitation(env: Environment): Invitation {
  const url = givenUrl(env);
  const key = env[VARIABLES.key] ?? '';
  if (Buffer.from(key, 'base64url').length !== 32) {
    const fact = key === '' ? 'is not set' : 'is no key of a team';
    throw new UsageError(`${VARIABLES.key} ${fact}`, {
      hint: '`lanehold team init` wrote it to a file beside the address, for the members',
    });
  }
  return { url, key, ca: givenCertificates(env) };
}

/** Certificates themselves, or the name of a file with them. @throws {UsageError} */
export function givenCertificates(env: Environment): string | undefined {
  const ca = env[VARIABLES.ca];
  if (ca === undefined || ca === '' || ca.includes(BEGIN)) return ca || undefined;
  const text = readPlainFile(ca);
  if (text?.includes(BEGIN)) return text;
  throw new UsageError(`${VARIABLES.ca} is neither a certificate nor a file with one`);
}

const BEGIN = '-----BEGIN CERTIFICATE-----';

/** Writes down what members need. @returns the file. */
export function writeInvitation(home: Home, { url, key, ca }: Invitation): string {
  privateFolder(home.team);
  const file = invitationFile(home);
  const values = { url, key, ...(ca === undefined ? {} : { ca }) };
  const lines = Object.entries(values).map(
    ([field, value]) => `${VARIABLES[field as keyof typeof VARIABLES]}='${value}'`,
  );
  replaceFile(file, `${lines.join('\n')}\n`, { mode: PRIVATE });
  return file;
}
