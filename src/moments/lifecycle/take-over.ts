/** Takes what a session did over into the database, and keeps its summary up to date. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { homeOf } from '../../base/files/home.ts';
import { projectPlace } from '../../base/git/project.ts';
import { spoolName } from '../../recall/spool.ts';
import { type Caller, orLogged } from './handler.ts';

/** Never throws. Without anything new no database is opened. */
export async function takeOver(
  { kind, session, cwd }: { readonly kind: string; readonly session: string; readonly cwd: string },
  caller: Caller,
): Promise<void> {
  const { agent, env, now } = caller;
  const who = { agent, session };
  await orLogged(caller, kind, undefined, async () => {
    if (!existsSync(join(homeOf(env).spool, spoolName(who)))) return;
    const [{ foldSpool }, { summarise }, { suggestFromSession }, { captureOf }, store] =
      await Promise.all([
        import('../../recall/fold.ts'),
        import('../../recall/summaries.ts'),
        import('../../recall/suggestions.ts'),
        import('../../base/config/capture.ts'),
        caller.store(),
      ]);
    const { mode } = await captureOf(projectPlace(cwd).root, env);
    // Lines that are not taken over now stay in the spool.
    foldSpool(store, now(), who);
    summarise(store, who);
    if (mode !== 'off') suggestFromSession(store, who, { now: now(), mode });
  });
}
