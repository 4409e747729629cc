/**
 * The environment of all processes of an attempt: the user's, without the variables of the agent
 * session that runs lanehold, and with those that mark the processes.
 */
import { createHash } from 'node:crypto';
import { definedOnly } from '../../base/environment.ts';
import { ANY_AGENT } from '../actor.ts';
import type { CredentialSources } from '../definition.ts';
import { AGENTS } from '../registry.ts';

/** `home` is LANEHOLD_HOME. */
export interface AttemptPlace
  extends Readonly<Record<'attempt' | 'lane' | 'run' | 'worktree' | 'home', string>> {
  readonly stage: 'worker' | 'setup' | 'validate';
  readonly ports: readonly number[];
}

export function workerEnvironment(
  env: NodeJS.ProcessEnv,
  place: AttemptPlace,
): Record<string, string> {
  return definedOnly({
    ...withoutSession(env),
    LANEHOLD_ATTEMPT: place.attempt,
    LANEHOLD_STAGE: place.stage,
    LANEHOLD_LANE: place.lane,
    LANEHOLD_RUN: place.run,
    LANEHOLD_WORKTREE: place.worktree,
    LANEHOLD_HOME: place.home,
    // The inherited value is the coordinator's folder, and some programs rely on it.
    PWD: place.worktree,
    ...Object.fromEntries(place.ports.map((port, n) => [`LANEHOLD_PORT_${n}`, String(port)])),
  });
}

/** The part of lanehold's own environment that a worker gets. */
export function withoutSession(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isSessionVariable(name)));
}

/** Variables that belong to one session of an agent; credentials and settings do not. */
const SESSION_MARKS = new Set([
  ...AGENTS.flatMap(({ marks: { present, session, others = [] } }) => [
    ...present,
    ...(session === undefined ? [] : [session]),
    ...others,
  ]),
  ...ANY_AGENT,
  'PLUGIN_DATA',
  'PLUGIN_ROOT',
  // Folders of the coordinator.
  'OLDPWD',
  'INIT_CWD',
]);

/** Variables of git that stay: how to reach remotes, who commits, and where settings are. */
const GIT_KEPT =
  /^GIT_(?:ASKPASS|(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|CEILING_DIRECTORIES|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH|HTTP_\w+|PROXY_COMMAND|SSH(?:_COMMAND|_VARIANT)?|SSL_\w+|TERMINAL_PROMPT)$/;

function isSessionVariable(name: string): boolean {
  if (SESSION_MARKS.has(name)) return true;
  // How the board of a team is reached.
  if (name.startsWith('LANEHOLD_TEAM_')) return true;
  // `npm` and `npx` describe the package that they run.
  if (/^npm_(?:lifecycle|package)_/.test(name)) return true;
  if (name.startsWith('GIT_')) return !GIT_KEPT.test(name);
  // They belong to another attempt, or to the run of lanehold that starts this one.
  return name.startsWith('LANEHOLD_');
}

/** Names the account whose limits a worker uses: `name#1f9a30c2` if the environment chooses one. */
export function accountOf(
  name: string,
  env: NodeJS.ProcessEnv,
  { keys, places = [] }: CredentialSources,
): string {
  const key = keys.find((it) => isSet(env[it]));
  const chosen = [...(key === undefined ? [] : [key]), ...places.filter((it) => isSet(env[it]))];
  if (chosen.length === 0) return name;
  const hash = createHash('sha256');
  for (const variable of chosen) hash.update(`${variable}=${env[variable]}\0`);
  // Eight digits distinguish accounts, and are too few to guess a key from.
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
