/** Tells notes on a command before it runs. Few commands have any, so what reads notes is loaded last. */
import type { Reply } from '../../agents/types.ts';
import { projectPlace } from '../../base/git/project.ts';
import { projectStore } from '../../store/projects.ts';
import { type RecallItem, recallStore } from '../../store/recall.ts';
import { type Caller, orLogged, type ToolEvent, withContext } from './handler.ts';

/** Never throws: if the store fails, the tool runs. */
export const recallForCommand = (
  command: string,
  event: ToolEvent,
  reply: Reply & { readonly decision: 'none' },
  caller: Caller,
): Promise<Reply> =>
  orLogged(caller, event.kind, reply, async () =>
    withContext(reply, [await notesOn(command, event, caller)]),
  );

async function notesOn(
  command: string,
  event: ToolEvent,
  caller: Caller,
): Promise<string | undefined> {
  const place = projectPlace(event.cwd);
  const store = await caller.store();
  const projectId = projectStore(store).find(place.identity);
  if (projectId === undefined) return undefined;
  const recall = recallStore(store);
  const isForIt = (it: RecallItem) => (it.agent ?? caller.agent) === caller.agent;
  const named = recall.withCommands(projectId).filter(isForIt);
  const conditional = recall.withConditions(projectId).filter(isForIt);
  if (named.length + conditional.length === 0) return undefined;
  const [before, { isCommandOf, isMet }, { queryOf }, { tellItems }, to] = await Promise.all([
    import('./before-command.ts'),
    import('../../recall/occasions.ts'),
    import('../../recall/query.ts'),
    import('../../recall/told.ts'),
    import('./listener.ts'),
  ]);
  const parts = () => before.commandLines(command, event.cwd, caller);
  const lines = named.length === 0 ? [] : [command, ...parts()];
  const { terms, paths } = queryOf(command);
  const asked = { words: new Set(terms), paths };
  const notes = [
    ...named.filter(({ commands }) => commands.some((it) => isCommandOf(it, lines))),
    ...conditional.filter(({ conditions }) => isMet(conditions, asked)),
  ];
  const listener = to.listenerOf(place, event, { projectId, budget: to.TOOL_TOKENS }, caller);
  return tellItems(store, notes, listener);
}
