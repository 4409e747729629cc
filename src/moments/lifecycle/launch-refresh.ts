/** Starts what goes on beside a session or a command, with every descriptor closed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { captureOf } from '../../base/config/capture.ts';
import { homeOf, privateFolder } from '../../base/files/home.ts';
import { programFile } from '../../base/files/package.ts';
import type { ProjectPlace } from '../../base/git/project.ts';
import { startDetached } from '../../base/process/run.ts';
import { shortHash } from '../../base/process/with-lock.ts';
import { isDue } from './activity.ts';
import { type Caller, orLogged } from './handler.ts';

/** Callers within a time need one process. After a command an exchange begins when that is over, to say what all changed. */
const LAUNCHES = {
  session: { everyMs: 60_000, after: [] },
  command: { everyMs: 2_000, after: ['--after', '2s'] },
} as const;

interface Launch {
  /** The words after the program. */
  readonly args: readonly string[];
  /** The file whose time says when the last one was started. */
  readonly stamp: string;
  /** Callers within this time need only one. */
  readonly everyMs: number;
  /** The name of its log. */
  readonly log: string;
}

/** Starts lanehold beside a session or a command, which does not wait for it. */
export function launchBeside(
  root: string,
  { env, now }: Pick<Caller, 'env' | 'now'>,
  { args, stamp, everyMs, log }: Launch,
): void {
  // Processes with a worker's environment are ended with the worker.
  if (env.LANEHOLD_BACKGROUND === 'off' || env.LANEHOLD_ATTEMPT) return;
  if (!isDue(stamp, everyMs, now())) return;
  const home = homeOf(env);
  startDetached(process.execPath, [programFile(), ...args, '--quiet'], {
    cwd: root,
    env: { ...env, LANEHOLD_HOME: home.root, LANEHOLD_PROJECT: root },
    logFile: join(privateFolder(home.logs), log),
  });
}

/** Reads what agents have recorded, and lets notes follow moved files. Never throws, and takes little time. */
export async function launchRefresh(
  place: ProjectPlace,
  caller: Caller,
  moment: keyof typeof LAUNCHES,
): Promise<void> {
  const { env } = caller;
  if (env.LANEHOLD_RECALL === 'off') return;
  await orLogged(caller, 'session-start', undefined, async () => {
    if ((await captureOf(place.root, env)).mode === 'off') return;
    const { everyMs } = LAUNCHES[moment];
    const stamp = join(homeOf(env).root, 'refreshed', `${moment}-${shortHash(place.identity)}`);
    const refresh = { args: ['recall', 'refresh'], stamp, everyMs, log: 'refresh.log' };
    caller.afterwards(() => launchBeside(place.root, caller, refresh));
  });
}

/**
 * Exchanges with the team what it and this machine have to say of a project, where it is in one. The process does
 * that alone: the caller loads nothing of a team, and never waits for the network.
 */
export function launchTeamSync(
  { root, identity }: Pick<ProjectPlace, 'root' | 'identity'>,
  caller: Pick<Caller, 'env' | 'now'>,
  moment: keyof typeof LAUNCHES,
): void {
  const { everyMs, after } = LAUNCHES[moment];
  const home = homeOf(caller.env);
  const mark = shortHash(identity);
  if (!existsSync(join(home.team, mark))) return;
  const stamp = join(home.root, 'refreshed', `team-${mark}`);
  launchBeside(root, caller, { args: ['team', 'sync', ...after], stamp, everyMs, log: 'team.log' });
}
