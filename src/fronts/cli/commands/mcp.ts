import { ExitCode, UsageError } from '../../../base/errors.ts';
import { command, interruptible } from '../command.ts';

const NOTES = `

Tools: status, gate, verify, recall, note, lanes. What to write into settings of
agents: docs/mcp.md.`;

export const declareMcp = command({
  name: 'mcp',
  about: 'Serve an agent over MCP on stdin and stdout',
  examples: [
    ['lanehold mcp', 'what the settings of an agent start'],
    ['lanehold mcp --project ~/shop', 'for an agent that does not say where it works'],
  ],
  notes: NOTES,
  async run(context) {
    const { stdin } = context.streams;
    if (stdin.isTTY === true) {
      throw new UsageError('this is started by an agent, which speaks MCP on stdin', {
        hint: 'name `lanehold mcp` as a server in the settings of the agent; see docs/mcp.md',
      });
    }
    const { serve } = await import('../../mcp/server.ts');
    const { env, cwd, now, streams, invocation } = context;
    const host = {
      ...{ env, now, cwd },
      // A folder that `--project` gave is not replaced by the client's.
      isFixed: cwd !== invocation?.folder,
      parents: () => invocation?.parents() ?? [],
      onDefect: (stack: string) => void streams.stderr.write(`${stack}\n`),
    };
    await interruptible((signal) => serve(host, streams, signal));
    return ExitCode.done;
  },
});
