import { ExitCode, UsageError } from '../../../base/errors.ts';
import { command, interruptible } from '../command.ts';

const NOTES = `

Tools: status, features, pending, verify, waive (asks a person), gate, lanes,
lane_answer, lane_ask; briefing, recall, timeline, notes, note_add, note_judge,
guard_add. What to write into the settings of agents: docs/mcp.md.`;

export const declareMcp = command({
  name: 'mcp',
  about: 'Serve an agent over MCP on stdin and stdout, until it is gone',
  examples: [
    ['lanehold mcp', 'what the settings of an agent start'],
    ['lanehold mcp --project ~/shop', 'for an agent that does not say where it works'],
  ],
  notes: NOTES,
  async run({ env, cwd, now, streams, invocation }) {
    const { stdin, stdout, stderr } = streams;
    if ('isTTY' in stdin && stdin.isTTY === true) {
      throw new UsageError('this is started by an agent, which speaks MCP on stdin', {
        hint: 'name `lanehold mcp` as a server in the settings of the agent; see docs/mcp.md',
      });
    }
    const { serve } = await import('../../mcp/serve.ts');
    const host = {
      ...{ env, now, cwd },
      // Given by `--project`: then the client is not asked where it works.
      isFixed: cwd !== invocation?.folder,
      program: invocation?.program ?? '',
      parents: () => invocation?.parents() ?? [],
      onDefect: (stack: string) => void stderr.write(`${stack}\n`),
    };
    await interruptible((signal) => serve(host, { stdin, stdout }, signal));
    return ExitCode.done;
  },
});
