/** Adds notes on the files or the command of a tool call. Few calls have any, so what reads notes is loaded last. */
import { findHookAgent } from '../../agents/registry.ts';
import type { Reply } from '../../agents/types.ts';
import { projectPlace } from '../../base/git/project.ts';
import { projectStore } from '../../store/projects.ts';
import { isFor, type RecallItem, recallStore } from '../../store/recall.ts';
import { doubtsAt } from './doubted-notes.ts';
import { type Caller, orLogged, type ToolEvent, withText } from './handler.ts';

/** A rule may refuse an edit. Never throws: if the store fails, the tool runs. */
export async function withToolRecall(
  event: ToolEvent,
  reply: Reply,
  caller: Caller,
): Promise<Reply> {
  const { call } = event;
  const { takesContext = [] } = findHookAgent(caller.agent)?.hooks.capabilities ?? {};
  // Agents that take no text before a tool get it after the first one. An edit also asks whether a note still holds.
  const isTold = takesContext.includes(event.kind);
  const tells = isTold && (event.kind === 'before-tool' || !takesContext.includes('before-tool'));
  if (call.tool === 'shell') {
    // After a denial there is no later moment.
    const notes = async () =>
      tells || 'reason' in reply ? notesOn(call.command, event, caller) : undefined;
    const told = await orLogged(caller, event.kind, undefined, notes);
    const doubts = event.kind === 'after-tool' ? await doubtsAt(event, caller) : undefined;
    return withText(withText(reply, told), doubts);
  }
  if (call.tool !== 'edit' || reply.decision !== 'none' || (event.kind === 'after-tool' && !isTold))
    return reply;
  const { recallForEdit } = await import('./recall-edit.ts');
  return recallForEdit(call.paths, event, reply, { caller, tells });
}

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
  const isForIt = (it: RecallItem) => isFor(it, caller.agent);
  const named = recall.withCommands(projectId).filter(isForIt);
  const conditional = recall.withConditions(projectId).filter(isForIt);
  if (named.length + conditional.length === 0) return undefined;
  const [before, { isCommandOf, isMet }, { formsIn, queryOf }, { tellItems }, to] =
    await Promise.all([
      import('./before-command.ts'),
      import('../../recall/occasions.ts'),
      import('../../recall/query.ts'),
      import('../../recall/told.ts'),
      import('./listener.ts'),
    ]);
  const parts = () => before.commandLines(command, event.cwd, caller);
  const lines = named.length === 0 ? [] : [command, ...parts()];
  const { text, paths } = queryOf(command);
  const asked = { words: formsIn(text), paths };
  const notes = [
    ...named.filter(({ commands }) => commands.some((it) => isCommandOf(it, lines))),
    ...conditional.filter(({ conditions }) => isMet(conditions, asked)),
  ];
  const listener = to.listenerOf(place, event, { projectId, budget: to.TOOL_TOKENS }, caller);
  return tellItems(store, notes, listener);
}
