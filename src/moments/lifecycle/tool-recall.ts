/** Whether a tool call could bring a note; for most calls nothing has to be loaded. */
import { findHookAgent } from '../../agents/registry.ts';
import type { Reply } from '../../agents/types.ts';
import type { Caller, ToolEvent } from './handler.ts';

/** Adds notes on the files or the command to the reply; a rule may refuse the edit. */
export async function withToolRecall(
  event: ToolEvent,
  reply: Reply,
  caller: Caller,
): Promise<Reply> {
  const { call } = event;
  if (reply.decision !== 'none' || !['edit', 'shell'].includes(call.tool)) return reply;
  const { takesContext = [] } = findHookAgent(caller.agent)?.hooks.capabilities ?? {};
  // Agents that take no text before a tool get it after the first one. An edit also asks whether a note still holds.
  const isTold = takesContext.includes(event.kind);
  const tells = isTold && (event.kind === 'before-tool' || !takesContext.includes('before-tool'));
  if (call.tool === 'shell' && tells) {
    const { recallForCommand } = await import('./recall-command.ts');
    return recallForCommand(call.command, event, reply, caller);
  }
  if (call.tool !== 'edit' || (event.kind === 'after-tool' && !isTold)) return reply;
  const { recallForEdit } = await import('./recall-edit.ts');
  return recallForEdit(call.paths, event, reply, { caller, tells, asks: isTold });
}
