import { agentsWith } from '../../../agents/registry.ts';
import { EVENT_NAMES } from '../../../agents/types.ts';
import { UsageError } from '../../../base/errors.ts';
import { runAttached } from '../../../base/process/run.ts';
import { PLUGIN_FLAG } from '../../../base/text/plugin-flag.ts';
import { hookStart } from '../../../install/targets.ts';
import { OPEN_INPUT_MS, readInTime } from '../../../moments/hook/read-in-time.ts';
import { outputOf, statusLine } from '../../../moments/lifecycle/status-line.ts';
import { type Context, command } from '../command.ts';

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
  /** Starts the program of installed hooks, on the streams of this process. */
  async run({ cwd, env }, event, { agent, plugin }) {
    // An unknown event of a newer plugin is not refused here.
    if (event === undefined || agent === undefined) {
      const [what, all] = event === undefined ? ['event', EVENT_NAMES] : ['agent', AGENTS];
      throw new UsageError(`no ${what} is named`, { hint: `one of ${all.join(', ')}` });
    }
    const started = plugin ? [PLUGIN_FLAG] : [];
    const words = hookStart(`the settings of ${agent}`, [event, '--agent', agent, ...started]);
    return runAttached('/bin/sh', words, { cwd, env });
  },
});

export const declareStatusline = command({
  name: 'statusline',
  about: 'Print in one line what is to be verified, without git',
  options: [
    ['--stdin', 'take the folder from the JSON that an agent gives its status line'],
    ['--wrap <command>', 'the same, and print first what this command of yours prints'],
  ],
  examples: [
    ['lanehold statusline', 'for the status bar of an agent, or a shell prompt'],
    ["lanehold statusline --wrap '~/bin/line.sh'", 'below your own status line'],
  ],
  async run(context, { stdin, wrap }) {
    const input = stdin || wrap !== undefined ? await said(context) : '';
    const theirs = wrap === undefined ? undefined : outputOf(wrap, context, input);
    const { noted, text } = await statusLine(context, input, theirs);
    return context.print(noted, text);
  },
});

/** One JSON value of stdin, which may stay open after it. Empty for a terminal, or if it cannot be read. */
async function said({ streams: { stdin } }: Context): Promise<string> {
  if (stdin.isTTY === true) return '';
  const read = readInTime(stdin, OPEN_INPUT_MS).then(String, () => '');
  // An open stdin would keep the program from ending.
  return read.finally(() => stdin.destroy());
}
