/** Starts what goes on beside a session or a command, with every descriptor closed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { captureOf, recallSettings } from '../../base/config/capture.ts';
import { homeOf, privateFolder } from '../../base/files/home.ts';
import { programFile } from '../../base/files/package.ts';
import type { ProjectPlace } from '../../base/git/project.ts';
import { startDetached } from '../../base/process/run.ts';
import { shortHash } from '../../base/process/with-lock.ts';
import { isDue } from './activity.ts';
import { type Caller, orLogged } from './handler.ts';

/** Sessions that begin together need only one. */
const EVERY_MS = 60_000;

/** Callers within a time need one exchange. After a command it begins when that is over: it says what all have changed. */
const EXCHANGES = {
  session: { everyMs: EVERY_MS, after: [] },
  command: { everyMs: 2_000, after: ['--after', '2s'] },
} as const;

/** Reads what agents have recorded, beside a session that begins. Never throws, and takes little time. */
export async function launchRefresh(place: ProjectPlace, caller: Caller): Promise<void> {
  const { env, now } = caller;
  if (env.LANEHOLD_BACKGROUND === 'off' || env.LANEHOLD_RECALL === 'off') return;
  // Processes with a worker's environment are ended with the worker.
  if (env.LANEHOLD_ATTEMPT) return;
  await orLogged(caller, 'session-start', undefined, async () => {
    const readsSessions = recallSettings(place.root, env).transcripts.value === 'on';
    if (!readsSessions && place.kind !== 'git') return;
    if ((await captureOf(place.root, env)).mode === 'off') return;
    const home = homeOf(env);
    caller.afterwards(() => {
      if (!isDue(join(home.root, 'refreshed', shortHash(place.identity)), EVERY_MS, now())) return;
      startDetached(process.execPath, [programFile(), 'recall', 'refresh', '--quiet'], {
        cwd: place.root,
        env: { ...env, LANEHOLD_HOME: home.root, LANEHOLD_PROJECT: place.root },
        logFile: join(privateFolder(home.logs), 'refresh.log'),
      });
    });
  });
}

/**
 * Exchanges with the team what it and this machine have to say of a project, where it is in one. The process does
 * that alone: the caller loads nothing of a team, and never waits for the network.
 */
export function launchTeamSync(
  { root, identity }: Pick<ProjectPlace, 'root' | 'identity'>,
  { env, now }: Pick<Caller, 'env' | 'now'>,
  moment: keyof typeof EXCHANGES,
): void {
  const { everyMs, after } = EXCHANGES[moment];
  if (env.LANEHOLD_BACKGROUND === 'off' || env.LANEHOLD_ATTEMPT) return;
  const home = homeOf(env);
  const mark = shortHash(identity);
  if (!existsSync(join(home.team, mark))) return;
  if (!isDue(join(home.root, 'refreshed', `team-${mark}`), everyMs, now())) return;
  startDetached(process.execPath, [programFile(), 'team', 'sync', '--quiet', ...after], {
    cwd: root,
    env: { ...env, LANEHOLD_HOME: home.root, LANEHOLD_PROJECT: root },
    logFile: join(privateFolder(home.logs), 'team.log'),
  });
}
