import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { agentsWith } from '../../../agents/registry.ts';
import { EVENT_NAMES } from '../../../agents/types.ts';
import { ExplainedError } from '../../../base/errors.ts';
import { packageRoot } from '../../../base/files/package.ts';
import { PLUGIN_FLAG } from '../../../base/text/plugin-flag.ts';
import { command } from '../command.ts';

const AGENTS = agentsWith('hooks').map(({ name }) => name);

export const declareHook = command({
  name: 'hook',
  about: 'Answer one hook event of an agent: payload on stdin, answer on stdout',
  args: [['<event>', EVENT_NAMES.join(', ')]],
  options: [
    ['--agent <name>', AGENTS.join(', '), { required: true }],
    [PLUGIN_FLAG, 'a plugin of the agent has started this, and no settings'],
  ],
  examples: [
    [
      `lanehold hook before-tool --agent ${AGENTS[0]} < payload.json`,
      'what the installed hook does, without the way through the settings',
    ],
  ],
  /** Hands over to the hook program, which ends the process with its own exit code. */
  async run(_, event, { agent, plugin }) {
    const program = join(packageRoot(), 'hooks', 'lanehold-hook.cjs');
    if (!existsSync(program)) {
      throw new ExplainedError('the hook program is not built', { hint: 'run `npm run build`' });
    }
    const started = plugin ? [PLUGIN_FLAG] : [];
    process.argv = [process.execPath, program, event, '--agent', agent, ...started];
    await import(pathToFileURL(program).href);
    return Number(process.exitCode ?? 0);
  },
});
