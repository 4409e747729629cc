/** Judges tools of MCP servers: one that writes to a forge, a registry or a cloud is a boundary. */
import type { Reply, ToolCall } from '../../agents/types.ts';
import { commandOfTool, toolCallBoundary } from '../../commands/tool-call.ts';
import { beforeCommand, type CommandOrigin, gateReply } from './before-command.ts';
import type { Caller } from './handler.ts';
import { readingContext } from './reading-context.ts';
import { beforeServerEdit } from './server-edit.ts';

type ServerToolCall = ToolCall & { readonly tool: 'mcp' };

export async function beforeToolCall(
  call: ServerToolCall,
  origin: CommandOrigin,
  caller: Caller,
): Promise<Reply> {
  const reply = await judged(call, origin, caller);
  return reply.decision === 'none' ? beforeServerEdit(call, origin.cwd, caller) : reply;
}

function judged(call: ServerToolCall, origin: CommandOrigin, caller: Caller): Promise<Reply> {
  const command = commandOfTool(call);
  if (command !== undefined) {
    return beforeCommand({ tool: 'shell', command, edited: [] }, origin, caller);
  }
  const { boundaries } = readingContext(origin.cwd, caller.env);
  const boundary = toolCallBoundary(call, origin.cwd, boundaries?.(origin.cwd) ?? []);
  const findings = boundary === undefined ? [] : [boundary];
  const name = `mcp ${call.server} ${call.name}`;
  return gateReply({ findings, commands: [] }, name, origin, caller);
}
