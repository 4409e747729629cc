/** Whether anything is remembered that a tool call could bring; most of them load nothing for it. */
import { existsSync, statSync } from 'node:fs';
import { findHookAgent } from '../../agents/registry.ts';
import type { Reply } from '../../agents/types.ts';
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import type { Edits } from './edits-by-project.ts';
import type { Caller, ToolEvent } from './handler.ts';

/** Whether no rule, note or companion of the file will be told before its next edit. */
export async function nothingIsRecalledFor(
  edit: Edits,
  event: ToolEvent,
  caller: Caller,
): Promise<boolean> {
  if (attempt(() => existsSync(homeOf(caller.env).recallProjects)) !== true) return true;
  const { isRecalled } = await import('./recall-tool.ts');
  return !(await isRecalled(edit, event, caller));
}

/** Adds to the reply what is to be known of the files or the command; a rule may refuse the edit. */
export async function withToolRecall(
  event: ToolEvent,
  reply: Reply,
  caller: Caller,
): Promise<Reply> {
  if (reply.decision !== 'none' || !['edit', 'shell'].includes(event.call.tool)) return reply;
  if (attempt(() => mayRecall(event, caller)) !== true) return reply;
  const { takesContext = [] } = findHookAgent(caller.agent)?.hooks.capabilities ?? {};
  // Agents that take no text before a tool get it after the first one.
  const tellsBefore = takesContext.includes('before-tool');
  const tells = event.kind === 'before-tool' ? tellsBefore : !tellsBefore;
  if (event.kind === 'after-tool' && !(tells && takesContext.includes('after-tool'))) return reply;
  const { recallForTool } = await import('./recall-tool.ts');
  return recallForTool(event, reply, { caller, tells });
}

/** Only notes that name a command are told before it. */
function mayRecall({ call }: ToolEvent, { env }: Caller): boolean {
  const { recallCommands, recallProjects } = homeOf(env);
  if (call.tool !== 'shell') return existsSync(recallProjects);
  return (statSync(recallCommands, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
