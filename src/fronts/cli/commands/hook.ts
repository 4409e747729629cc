import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { agentsWith } from '../../../agents/registry.ts';
import { EVENT_NAMES } from '../../../agents/types.ts';
import { ExplainedError } from '../../../base/errors.ts';
import { packageRoot } from '../../../base/files/package.ts';
import { runAttached } from '../../../base/process/run.ts';
import { PLUGIN_FLAG } from '../../../base/text/plugin-flag.ts';
import { hookProgram } from '../../../install/targets.ts';
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
  /** Starts what installed hooks start, on the streams of this process. */
  async run({ cwd, env }, event, { agent, plugin }) {
    const script = join(packageRoot(), 'dist', 'lanehold-hook.sh');
    if (!existsSync(script)) {
      throw new ExplainedError('the hook program is not built', { hint: 'run `npm run build`' });
    }
    const words = [script, process.execPath, hookProgram(), `the settings of ${agent}`];
    const started = plugin ? [PLUGIN_FLAG] : [];
    return runAttached('/bin/sh', [...words, event, '--agent', agent, ...started], { cwd, env });
  },
});
