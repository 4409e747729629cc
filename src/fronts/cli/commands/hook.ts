import { agentsWith } from '../../../agents/registry.ts';
import { EVENT_NAMES } from '../../../agents/types.ts';
import { UsageError } from '../../../base/errors.ts';
import { runAttached } from '../../../base/process/run.ts';
import { PLUGIN_FLAG } from '../../../base/text/plugin-flag.ts';
import { hookStart } from '../../../install/targets.ts';
import { command } from '../command.ts';

const AGENTS = agentsWith('hooks').map(({ name }) => name);

export const declareHook = command({
  name: 'hook',
  about: 'Answer one event of an agent: payload in, answer out',
  args: [['[event]', EVENT_NAMES.join(', ')]],
  options: [
    ['--agent <name>', AGENTS.join(', ')],
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
    // An event that only a newer plugin knows is answered where it is known: nothing is refused here.
    if (event === undefined || agent === undefined) {
      const [what, all] = event === undefined ? ['event', EVENT_NAMES] : ['agent', AGENTS];
      throw new UsageError(`no ${what} is named`, { hint: `one of ${all.join(', ')}` });
    }
    const started = plugin ? [PLUGIN_FLAG] : [];
    const words = hookStart(`the settings of ${agent}`, [event, '--agent', agent, ...started]);
    return runAttached('/bin/sh', words, { cwd, env });
  },
});
