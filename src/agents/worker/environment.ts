/**
 * The environment of everything that an attempt starts: the user's own, without what tells a program
 * that it runs inside of another agent's session, and with what finds its processes again.
 */
import { definedOnly, type Environment } from '../../environment.ts';
import { ANY_AGENT } from '../actor.ts';
import { AGENTS } from '../registry.ts';

export interface AttemptPlace {
  readonly attempt: string;
  readonly stage: 'worker' | 'setup' | 'validate';
  readonly lane: string;
  readonly run: string;
  readonly worktree: string;
  /** LANEHOLD_HOME. */
  readonly home: string;
  readonly ports: readonly number[];
}

export function workerEnvironment(env: Environment, place: AttemptPlace): Record<string, string> {
  const inherited = Object.entries(env).filter(([name]) => !isMark(name));
  return definedOnly({
    ...Object.fromEntries(inherited),
    LANEHOLD_ATTEMPT: place.attempt,
    LANEHOLD_STAGE: place.stage,
    LANEHOLD_LANE: place.lane,
    LANEHOLD_RUN: place.run,
    LANEHOLD_WORKTREE: place.worktree,
    LANEHOLD_HOME: place.home,
    // What some shells set and programs believe: the coordinator's folder is another one.
    PWD: place.worktree,
    ...Object.fromEntries(place.ports.map((port, n) => [`LANEHOLD_PORT_${n}`, String(port)])),
  });
}

/** What programs are told of the session that they run in; credentials and settings are not among it. */
const SESSION_MARKS = new Set([
  ...AGENTS.flatMap(({ marks: { present, session, others = [] } }) => [
    ...present,
    ...(session === undefined ? [] : [session]),
    ...others,
  ]),
  ...ANY_AGENT,
  'PLUGIN_DATA',
  'PLUGIN_ROOT',
  // The coordinator's folders.
  'OLDPWD',
  'INIT_CWD',
]);

/** Of git's variables those that say how to reach remotes, who commits, and where settings lie. */
const GIT_KEPT =
  /^GIT_(?:ASKPASS|(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|CEILING_DIRECTORIES|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH|HTTP_\w+|PROXY_COMMAND|SSH(?:_COMMAND|_VARIANT)?|SSL_\w+|TERMINAL_PROMPT)$/;

function isMark(name: string): boolean {
  if (SESSION_MARKS.has(name)) return true;
  // What `npm` and `npx` tell their children of the package that they run here.
  if (/^npm_(?:lifecycle|package)_/.test(name)) return true;
  if (name.startsWith('GIT_')) return !GIT_KEPT.test(name);
  // Those of another attempt, or of another user's run of lanehold.
  return name.startsWith('LANEHOLD_');
}
