import type { Command } from 'commander';
import type { GatePolicy, PolicySettings } from '../../config/policy.ts';
import { ExitCode, UsageError } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import type { Context } from '../context.ts';
import { isOfLanes, laneValues } from '../lane-values.ts';
import { examples } from '../render/examples.ts';
import { openFeatures } from '../workspace.ts';

export function declareConfig(parent: Command, context: () => Context): void {
  const config = parent
    .command('config')
    .description('Read and change your own settings, which hold in every project')
    .addHelpText(
      'after',
      examples(
        ['lanehold config list', 'every setting, and who says so'],
        ['lanehold config set gate.kinds.deploy ask', 'be asked before a deployment'],
        ['lanehold config set gate.always \'["package-lock.json"]\'', 'lists are JSON'],
        ['lanehold config set lanes.agent opposite', 'let the other agent work in lanes'],
        ['lanehold config unset gate.kinds.deploy', 'back to what projects say'],
      ),
    );
  config
    .command('get')
    .argument('<key>')
    .description('Print what you have set, or the default')
    .addHelpText('after', examples(['lanehold config get gate.opaque', 'one value']))
    .action(async (key: string) => {
      process.exitCode = await runConfigGet(context(), key);
    });
  config
    .command('set')
    .argument('<key>')
    .argument('<value>')
    .description('Set a value; a list is JSON')
    .addHelpText(
      'after',
      examples(['lanehold config set gate.kinds.deploy ask', 'be asked before a deployment']),
    )
    .action(async (key: string, value: string) => {
      process.exitCode = await runConfigSet(context(), key, value);
    });
  config
    .command('unset')
    .argument('<key>')
    .description('Leave a setting to projects and to the default')
    .addHelpText('after', examples(['lanehold config unset gate.kinds.deploy', 'as it was']))
    .action(async (key: string) => {
      process.exitCode = await runConfigSet(context(), key, undefined);
    });
  config
    .command('list')
    .argument('[key]', 'this one and those below it')
    .description('Show every setting as it holds in this project')
    .addHelpText('after', examples(['lanehold config list gate.kinds', 'one answer per kind']))
    .action(async (key: string | undefined) => {
      process.exitCode = await runConfigList(context(), key);
    });
}

async function runConfigGet(context: Context, written: string): Promise<ExitCode> {
  const [{ settingNamed, shown }, { policyOf }] = await settingsModules();
  const setting = await knownSetting(written);
  const own = await ownSettings(context);
  const value = isOfLanes(setting)
    ? (await laneValues(context, {})).value(setting)
    : settingNamed(setting, policyOf(own), own);
  context.print({ key: setting, value }, shown(value));
  return ExitCode.done;
}

async function runConfigSet(
  context: Context,
  written: string,
  text: string | undefined,
): Promise<ExitCode> {
  const setting = await knownSetting(written);
  const [{ editUserConfig }, { userConfigText }, { homeOf, privateFolder }, { replaceFile }] =
    await Promise.all([
      import('../../config/user-config-file.ts'),
      import('../../config/user-config.ts'),
      import('../../store/home.ts'),
      import('../../files/replace-file.ts'),
    ]);
  const home = homeOf(context.env);
  const [first = '', ...rest] = setting.split('.');
  const value = text === undefined ? undefined : parsedValue(text, setting);
  const before = userConfigText(home.config);
  const after = editUserConfig(before, [first, ...rest], value, home.config);
  privateFolder(home.root);
  if (after !== before) replaceFile(home.config, after);
  const done = text === undefined ? `${setting} is left to projects` : `${setting} is ${text}`;
  context.print({ key: setting, value: value ?? null }, done);
  return ExitCode.done;
}

async function runConfigList(context: Context, written: string | undefined): Promise<ExitCode> {
  const [{ settingNamed, shown }, { policyOf }] = await settingsModules();
  const { renderTable } = await import('../render/table.ts');
  const names = (await settingNames()).filter(
    (name) => written === undefined || name === written || name.startsWith(`${written}.`),
  );
  if (names.length === 0) await knownSetting(written ?? '');
  const own = await ownSettings(context);
  const { registry } = await openFeatures(context);
  const alone = policyOf(own);
  const defaults = policyOf({});
  const ofLanes = await laneValues(context, registry.lanes);
  const rows = names.map((name) => {
    if (isOfLanes(name)) {
      return { key: name, value: ofLanes.value(name), source: ofLanes.source(name) };
    }
    const value = settingNamed(name, registry.policy, own);
    const same = (policy: GatePolicy, settings: PolicySettings = {}) =>
      shown(settingNamed(name, policy, settings)) === shown(value);
    const source = same(defaults) ? 'default' : same(alone, own) ? 'you' : 'lanehold.json';
    return { key: name, value, source };
  });
  context.print(
    { settings: rows },
    renderTable(rows.map(({ key, value, source }) => [key, shown(value), source])),
  );
  return ExitCode.done;
}

function settingsModules() {
  return Promise.all([import('../../config/policy-file.ts'), import('../../config/policy.ts')]);
}

async function settingNames(): Promise<readonly string[]> {
  const [{ SETTING_NAMES }, { LANE_SETTING_NAMES }] = await Promise.all([
    import('../../config/policy-file.ts'),
    import('../../lanes/setting-names.ts'),
  ]);
  return [...SETTING_NAMES, ...LANE_SETTING_NAMES];
}

async function ownSettings({ env }: Context): Promise<PolicySettings> {
  const [{ parseUserConfig }, { userConfigText }, { homeOf }] = await Promise.all([
    import('../../config/user-config-file.ts'),
    import('../../config/user-config.ts'),
    import('../../store/home.ts'),
  ]);
  const { config } = homeOf(env);
  const text = userConfigText(config);
  return text === undefined ? {} : parseUserConfig(text, config);
}

async function knownSetting(written: string): Promise<string> {
  const [names, { isLaneSetting }] = await Promise.all([
    settingNames(),
    import('../../lanes/setting-names.ts'),
  ]);
  if (names.includes(written) || isLaneSetting(written)) return written;
  const meant = nearest(written, names) ?? names.find((name) => name.endsWith(`.${written}`));
  throw new UsageError(`there is no setting \`${written}\``, {
    hint: meant === undefined ? 'see `lanehold config list`' : `did you mean \`${meant}\`?`,
  });
}

/** `ask` is a word, `["a"]` a list; of lanes some settings are numbers. */
function parsedValue(text: string, setting: string): unknown {
  if (isOfLanes(setting) && /^\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (!/^\s*[[{"]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UsageError('the value is no JSON', {
      hint: 'quote it for the shell: \'["a", "b"]\'',
    });
  }
}
