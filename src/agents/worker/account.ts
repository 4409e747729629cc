/** Names the account whose limits a worker uses up, without giving away what opens it. */
import { createHash } from 'node:crypto';
import type { Environment } from '../../environment.ts';

export interface CredentialSources {
  /** Variables that hold a credential, the one that counts first. */
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
  // Enough to tell accounts apart, far too little to find a key by.
  return `${name}#${hash.digest('hex').slice(0, 8)}`;
}

/**
 * Whether the environment has chosen one of the two, and not the other: a key may be renewed, but where
 * there is none another login is used, or none at all.
 */
export function isOtherLogin(one: string, other: string): boolean {
  return one !== other && one.includes('#') !== other.includes('#');
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '';
