/** Judges tools of MCP servers: one that writes to a forge, a registry or a cloud is a boundary. */
import { resolve } from 'node:path';
import { findHookAgent } from '../../agents/registry.ts';
import type { Reply, ToolCall } from '../../agents/types.ts';
import type { Finding, Waiver } from '../../commands/finding.ts';
import { commandOfTool, toolCallBoundary, waiverOfTool } from '../../commands/tool-call.ts';
import { beforeCommand, type CommandOrigin, gateReply } from './before-command.ts';
import type { Caller } from './handler.ts';
import { readingContext } from './reading-context.ts';

type ServerToolCall = ToolCall & { readonly tool: 'mcp' };

export function beforeToolCall(
  call: ServerToolCall,
  origin: CommandOrigin,
  caller: Caller,
): Promise<Reply> {
  const command = commandOfTool(call);
  if (command !== undefined) {
    return beforeCommand({ tool: 'shell', command, edited: [] }, origin, caller);
  }
  const { boundaries } = readingContext(origin.cwd, caller.env);
  const boundary = toolCallBoundary(call, origin.cwd, boundaries?.(origin.cwd) ?? []);
  const findings: Finding[] = [boundary, waiverIn(call, origin, caller)].filter(
    (it) => it !== undefined,
  );
  const name = `mcp ${call.server} ${call.name}`;
  return gateReply({ findings, commands: [] }, name, origin, caller);
}

/** An agent's own question is the best one; where it has none, lanehold's server asks, or refuses. */
function waiverIn(
  call: ServerToolCall,
  { cwd }: CommandOrigin,
  { agent }: Caller,
): Waiver | undefined {
  const argv = waiverOfTool(call);
  const asks = findHookAgent(agent)?.hooks.capabilities.asks.includes('before-tool');
  if (argv === undefined || !asks) return undefined;
  const { cwd: folder } = call.input;
  const directory = typeof folder === 'string' ? resolve(cwd, folder) : cwd;
  return { verdict: 'waiver', argv, directory, path: [] };
}
