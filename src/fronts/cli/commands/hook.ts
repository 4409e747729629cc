import { agentsWith } from '../../../agents/registry.ts';
import { EVENT_NAMES } from '../../../agents/types.ts';
import { runAttached } from '../../../base/process/run.ts';
import { PLUGIN_FLAG } from '../../../base/text/plugin-flag.ts';
import { hookStart } from '../../../install/targets.ts';
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
    const started = plugin ? [PLUGIN_FLAG] : [];
    const words = hookStart(`the settings of ${agent}`, [event, '--agent', agent, ...started]);
    return runAttached('/bin/sh', words, { cwd, env });
  },
});
