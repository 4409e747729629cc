import { type Context, command, group } from '../command.ts';

const settings = () => import('../../app/settings.ts');
const names = () => import('../../config/policy-file.ts');

const get = command({
  name: 'get',
  about: 'Print what you have set, or the default',
  args: [['<key>']],
  examples: [['lanehold config get gate.opaque', 'one value']],
  async run(context, key) {
    const [{ readSetting }, { shown }] = await Promise.all([settings(), names()]);
    const setting = await readSetting(context, key);
    return context.print(setting, shown(setting.value));
  },
});

const set = command({
  name: 'set',
  about: 'Set a value; a list is JSON',
  args: [['<key>'], ['<value>']],
  examples: [['lanehold config set gate.kinds.deploy ask', 'be asked before a deployment']],
  run: (context, key, value) => change(context, key, value),
});

const unset = command({
  name: 'unset',
  about: 'Leave a setting to projects and to the default',
  args: [['<key>']],
  examples: [['lanehold config unset gate.kinds.deploy', 'as it was']],
  run: (context, key) => change(context, key),
});

async function change(context: Context, key: string, value?: string): Promise<number> {
  const { changeSetting } = await settings();
  const setting = await changeSetting(context, key, value);
  const is = value === undefined ? 'is left to projects' : `is ${value}`;
  return context.print(setting, `${setting.key} ${is}`);
}

const list = command({
  name: 'list',
  about: 'Show every setting as it holds in this project',
  args: [['[key]', 'this one and those below it']],
  examples: [['lanehold config list gate.kinds', 'one answer per kind']],
  async run(context, key) {
    const [{ listSettings }, { shown }, { renderTable }] = await Promise.all([
      settings(),
      names(),
      import('../render/table.ts'),
    ]);
    const listed = await listSettings(context, key);
    const rows = listed.settings.map((it) => [it.key, shown(it.value), it.source]);
    return context.print(listed, renderTable(rows));
  },
});

export const declareConfig = group({
  name: 'config',
  about: 'Read and change your own settings, which hold in every project',
  examples: [
    ['lanehold config list', 'every setting, and where it is set'],
    ['lanehold config set gate.kinds.deploy ask', 'be asked before a deployment'],
    ['lanehold config set gate.always \'["package-lock.json"]\'', 'lists are JSON'],
    ['lanehold config set lanes.agent opposite', 'let the other agent work in lanes'],
    ['lanehold config unset gate.kinds.deploy', 'back to what projects say'],
  ],
  commands: [get, set, unset, list],
});
