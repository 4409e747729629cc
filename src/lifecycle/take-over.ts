/** Takes what a session did over into the database, and keeps its summary up to date. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { spoolName } from '../recall/spool.ts';
import { homeOf } from '../store/home.ts';
import type { Caller } from './handler.ts';

/** Never throws. Without anything new no database is opened. */
export async function takeOver(
  { kind, session }: { readonly kind: string; readonly session: string },
  caller: Caller,
): Promise<void> {
  const { agent, env, now } = caller;
  const who = { agent, session };
  try {
    if (!existsSync(join(homeOf(env).spool, spoolName(who)))) return;
    const [{ foldSpool }, { summarise }, store] = await Promise.all([
      import('../recall/fold.ts'),
      import('../recall/summaries.ts'),
      caller.store(),
    ]);
    foldSpool(store, now(), who);
    summarise(store, who);
  } catch (error) {
    const { logFailure } = await import('./failure-log.ts');
    logFailure(error, { agent, event: kind }, env, now());
  }
}
