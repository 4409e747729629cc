/** Keeps the summary of a session up to date, and suggests notes from what it said. */
import { captureOf } from '../../base/config/capture.ts';
import { projectPlace } from '../../base/git/project.ts';
import { type Caller, orLogged } from './handler.ts';

/** Never throws. */
export async function sumUp(
  { kind, session, cwd }: { readonly kind: string; readonly session: string; readonly cwd: string },
  caller: Caller,
): Promise<void> {
  const { agent, env, now } = caller;
  const who = { agent, session };
  await orLogged(caller, kind, undefined, async () => {
    const [{ summarise }, { suggestFromSession }, store] = await Promise.all([
      import('../../recall/summaries.ts'),
      import('../../recall/suggestions.ts'),
      caller.store(),
    ]);
    const { mode } = await captureOf(projectPlace(cwd).root, env);
    summarise(store, who);
    if (mode !== 'off') suggestFromSession(store, who, { now: now(), mode });
  });
}
