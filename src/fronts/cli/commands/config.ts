import * as settings from '../../../app/setup/settings.ts';
import { shown } from '../../../base/config/policy-file.ts';
import { UsageError } from '../../../base/errors.ts';
import { renderTable } from '../../words/table.ts';
import { type Context, command, group } from '../command.ts';

const get = command({
  name: 'get',
  about: 'Print what you have set, or the default',
  args: [['<key>']],
  examples: [['lanehold config get gate.opaque', 'one value']],
  run: async (context, key) =>
    context.print(await settings.readSetting(context, key), (it) => shown(it.value)),
});

const set = command({
  name: 'set',
  about: 'Set a value, or several at once; a list is JSON',
  args: [['<key>'], ['<value...>', 'its value; then further keys, each with its value']],
  examples: [
    ['lanehold config set gate.kinds.deploy ask', 'be asked before a deployment'],
    ['lanehold config set lanes.agent opposite lanes.parallel 2', 'both, or none of them'],
  ],
  run(context, key, values) {
    const words = [key, ...values];
    if (words.length % 2 === 1)
      throw new UsageError(`\`${words.at(-1)}\` has no value`, {
        hint: 'write each key with its value; quote a value that has spaces',
      });
    return change(
      context,
      words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1]] as const] : [])),
    );
  },
});

const unset = command({
  name: 'unset',
  about: 'Leave a setting to projects and to the default',
  args: [['<key>']],
  examples: [['lanehold config unset gate.kinds.deploy', 'as it was']],
  run: (context, key) => change(context, [[key, undefined]]),
});

async function change(
  context: Context,
  changes: readonly settings.SettingChange[],
): Promise<number> {
  const changed = await settings.changeSettings(context, changes);
  const lines = changed.map(({ key }, at) => {
    const value = changes[at]?.[1];
    return `${key} ${value === undefined ? 'is no longer set by you' : `is ${value}`}`;
  });
  for (const { key, missing } of changed)
    if (missing !== undefined)
      context.progress(`${key}: \`${missing}\` is not installed here, or not on your PATH`);
  const [only, ...others] = changed;
  return context.print(others.length === 0 ? only : { settings: changed }, lines.join('\n'));
}

const list = command({
  name: 'list',
  about: 'Show every setting as it holds in this project',
  args: [['[key]', 'this one and those below it']],
  examples: [['lanehold config list gate.kinds', 'one answer per kind']],
  async run(context, key) {
    const listed = await settings.listSettings(context, key);
    const rows = listed.settings.map((it) => [it.key, it.source, shown(it.value)]);
    return context.print(listed, renderTable(rows));
  },
});

export const declareConfig = group({
  name: 'config',
  about: 'Read and change your settings for every project',
  examples: [
    ['lanehold config list', 'every setting, and where it is set'],
    ['lanehold config set gate.kinds.deploy ask', 'be asked before a deployment'],
    ['lanehold config set gate.always \'["package-lock.json"]\'', 'lists are JSON'],
    ['lanehold config set lanes.agent opposite', 'let the other agent work in lanes'],
    ['lanehold config unset gate.kinds.deploy', 'back to what projects say'],
  ],
  commands: [get, set, unset, list],
});
