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
  if (reply.decision !== 'none' || !['edit', 'shell'].includes(event.call.tool)) return reply;
  const { takesContext = [] } = findHookAgent(caller.agent)?.hooks.capabilities ?? {};
  // Agents that take no text before a tool get it after the first one. An edit also asks whether a note still holds.
  const isTold = takesContext.includes(event.kind);
  const tells = isTold && (event.kind === 'before-tool' || !takesContext.includes('before-tool'));
  const asks = isTold && event.call.tool === 'edit';
  if (event.kind === 'after-tool' && !tells && !asks) return reply;
  const { recallForTool } = await import('./recall-tool.ts');
  return recallForTool(event, reply, { caller, tells, asks });
}
