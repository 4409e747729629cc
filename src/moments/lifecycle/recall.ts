/** Adds relevant notes and sessions to a prompt. */
import { projectPlace } from '../../base/git/project.ts';
import { projectStore } from '../../store/projects.ts';
import { isFor, type RecallItem, remembersAnything } from '../../store/recall.ts';
import { type Caller, orLogged } from './handler.ts';

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
    const [{ queryOf }, { MOST_TOLD, searchItems }, code] = await Promise.all([
      import('../../recall/query.ts'),
      import('../../recall/search.ts'),
      import('../../recall/code/search-code.ts'),
    ]);
    const query = queryOf(prompt);
    if (query.terms.length === 0) return undefined;
    const wish = { projectId, query, now: now() };
    const files = code.searchFiles(store, { ...wish, limit: 1 });
    const found = code.worthTelling(searchItems(store, wish), files, query);
    if (found.length === 0) return undefined;
    const [{ itemTellings, tell }, { sessionTellings }, { listenerOf }] = await Promise.all([
      import('../../recall/told.ts'),
      import('../../recall/work.ts'),
      import('./listener.ts'),
    ]);
    const whom = { projectId, budget: PROMPT_TOKENS };
    const listener = listenerOf(place, { kind: 'prompt-submit', session }, whom, caller);
    // The agent knows its own session and its own memory; notes of other agents are not for it.
    const isForIt = (item: RecallItem) =>
      item.session !== session &&
      (item.path === null || isFor(item, agent)) &&
      (item.source !== 'file' || item.agent !== agent);
    const tellings = found.flatMap((match) => {
      if (!('item' in match)) return code.fileTellings(place.root, match, query);
      const { item } = match;
      if (!isForIt(item)) return [];
      const ofSession =
        item.kind === 'summary' && sessionTellings(store, match, query.terms, listener);
      return ofSession || itemTellings([item], listener);
    });
    return tell(store, tellings.slice(0, MOST_TOLD), listener);
  });
}
