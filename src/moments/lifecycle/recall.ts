/** Tells a prompt what is remembered and relevant to it. */
import { projectPlace } from '../../base/git/project.ts';
import { projectStore } from '../../store/projects.ts';
import { remembersAnything } from '../../store/recall.ts';
import { type Caller, orLogged } from './handler.ts';

/** The most lines for one prompt, notes before files. */
const MOST_TOLD = 3;
const PROMPT_TOKENS = 250;

/** Never throws: a prompt has to reach the agent. */
export async function recallForPrompt(
  { cwd, session, prompt }: { cwd: string; session: string; prompt: string },
  caller: Caller,
): Promise<string | undefined> {
  const { agent, now } = caller;
  return orLogged(caller, 'prompt-submit', undefined, async () => {
    const place = projectPlace(cwd);
    const store = await caller.store();
    const projectId = projectStore(store).find(place.identity);
    if (projectId === undefined || !remembersAnything(store, projectId)) return undefined;
    const [{ queryOf }, { relevant, searchItems }, { fileTellings }] = await Promise.all([
      import('../../recall/query.ts'),
      import('../../recall/search.ts'),
      import('../../recall/code/search-code.ts'),
    ]);
    const query = queryOf(prompt);
    if (query.terms.length === 0) return undefined;
    const wish = { projectId, query, now: now() };
    const found = relevant(searchItems(store, wish), query);
    const files = fileTellings(store, wish);
    if (found.length === 0 && files.length === 0) return undefined;
    const [{ itemTellings, tell }, { sessionTellings }, { listenerOf }] = await Promise.all([
      import('../../recall/told.ts'),
      import('../../recall/work.ts'),
      import('./listener.ts'),
    ]);
    const whom = { projectId, budget: PROMPT_TOKENS };
    const listener = listenerOf(place, { kind: 'prompt-submit', session }, whom, caller);
    const tellings = found.flatMap((match) => {
      const { item } = match;
      // The agent has the words of its own session, and reads its own memory itself; notes of other
      // agents are not for it.
      if (item.session === session || (item.path !== null && (item.agent ?? agent) !== agent))
        return [];
      if (item.source === 'file' && item.agent === agent) return [];
      const ofSession =
        item.kind === 'summary' ? sessionTellings(store, match, query.terms, listener) : undefined;
      return ofSession ?? itemTellings([item], listener);
    });
    return tell(store, [...tellings, ...files].slice(0, MOST_TOLD), listener);
  });
}
