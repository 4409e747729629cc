/** Starts `lanehold recall refresh` beside a session that begins, with every descriptor closed. */
import { join } from 'node:path';
import { captureOf, recallSettings } from '../../base/config/capture.ts';
import { homeOf, privateFolder } from '../../base/files/home.ts';
import { programFile } from '../../base/files/package.ts';
import type { ProjectPlace } from '../../base/git/project.ts';
import { shortHash } from '../../base/process/with-lock.ts';
import { isDue } from './activity.ts';
import { type Caller, orLogged } from './handler.ts';

/** Sessions that begin together need only one. */
const EVERY_MS = 60_000;

/** Never throws, and takes little time. */
export async function launchRefresh(place: ProjectPlace, caller: Caller): Promise<void> {
  const { env, now } = caller;
  if (env.LANEHOLD_BACKGROUND === 'off' || env.LANEHOLD_RECALL === 'off') return;
  // Processes with a worker's environment are ended with the worker.
  if (env.LANEHOLD_ATTEMPT) return;
  await orLogged(caller, 'session-start', undefined, async () => {
    const readsSessions = recallSettings(place.root, env).transcripts.value === 'on';
    if (!readsSessions && place.kind !== 'git') return;
    if ((await captureOf(place.root, env)).mode === 'off') return;
    const { startDetached } = await import('../../base/process/run.ts');
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
