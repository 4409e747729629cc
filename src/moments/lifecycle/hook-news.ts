/** Tells a session which hooks no longer work, each once a day. */
import { findHookAgent } from '../../agents/registry.ts';
import type { EventName } from '../../agents/types.ts';
import { projectPlace } from '../../base/git/project.ts';
import { sessionStore } from '../../store/sessions.ts';
import { gapText, hookGaps } from '../watch/gaps.ts';
import { type Caller, orLogged, programFor } from './handler.ts';

const DAY_MS = 86_400_000;

/** Never throws: the session still has to get the rest. */
export async function hookNews(
  { moment, cwd, session }: Record<'cwd' | 'session', string> & { readonly moment: EventName },
  caller: Caller,
): Promise<string | undefined> {
  const { agent, env, now } = caller;
  // If the model does not see this answer, another event or agent has to tell the session.
  if (!findHookAgent(agent)?.hooks.capabilities.takesContext.includes(moment)) return undefined;
  return orLogged(caller, 'hook-news', undefined, async () => {
    const store = await caller.store();
    const { root } = projectPlace(cwd);
    const told = { agent, session };
    const gaps = await hookGaps(
      { env, root, now: now(), program: () => programFor(caller), told },
      store,
    );
    if (gaps.length === 0) return undefined;
    const sessions = sessionStore(store);
    const due = store.write(() =>
      gaps.filter(({ agent: of, kind, count }) =>
        sessions.dueShowing(`hooks of ${of}`, `${kind} ${count}`, DAY_MS, now()),
      ),
    );
    return due.length === 0 ? undefined : due.map(gapText).join('\n');
  });
}
