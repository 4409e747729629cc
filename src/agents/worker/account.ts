/** Names the account whose limits a worker uses up, without its credentials. */
import { createHash } from 'node:crypto';
import type { Environment } from '../../environment.ts';

export interface CredentialSources {
  /** Variables that hold a credential, in the order in which the agent tries them. */
  readonly keys: readonly string[];
  /** Variables that choose another login or another service. */
  readonly places?: readonly string[];
}

/** The agent's name, or `name#1f9a30c2` where the environment chooses one of several. */
export function accountOf(
  name: string,
  env: Environment,
  { keys, places = [] }: CredentialSources,
): string {
  const key = keys.find((it) => isSet(env[it]));
  const chosen = [...(key === undefined ? [] : [key]), ...places.filter((it) => isSet(env[it]))];
  if (chosen.length === 0) return name;
  const hash = createHash('sha256');
  for (const variable of chosen) hash.update(`${variable}=${env[variable]}\0`);
  // Enough to tell accounts apart, and too short to guess a key from.
  return `${name}#${hash.digest('hex').slice(0, 8)}`;
}

/**
 * True if the environment chooses only one of the two accounts. Two chosen accounts may be the same
 * login with a renewed key; without a key another login is used, or none.
 */
export function isOtherLogin(one: string, other: string): boolean {
  return one !== other && one.includes('#') !== other.includes('#');
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '';
