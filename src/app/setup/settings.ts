/** The user's own settings, which hold in every project: read and changed by name. */

import { recallSettings } from '../../base/config/capture.ts';
import {
  editUserConfig,
  keptFromTeam,
  parseUserConfig,
  parseUserFile,
  SettingsFileError,
  userFile,
} from '../../base/config/files.ts';
import { valueAt } from '../../base/config/json-problems.ts';
import { OWN_RECALL, ownRecall } from '../../base/config/own-recall.ts';
import { type GatePolicy, type PolicySettings, policyOf } from '../../base/config/policy.ts';
import { settingNamed, shown } from '../../base/config/policy-file.ts';
import { residentSetting } from '../../base/config/resident.ts';
import { isSetting, SETTING_NAMES, takes } from '../../base/config/schema.ts';
import type { WrittenLanes } from '../../base/config/schema-lanes.ts';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { homeOf, privateFolder } from '../../base/files/home.ts';
import { PRIVATE, replaceUserFile } from '../../base/files/replace-file.ts';
import { textIfThere } from '../../base/files/text-if-there.ts';
import { parsedJson } from '../../base/text/json.ts';
import { nearest } from '../../base/text/nearest.ts';
import { firstProgram, hasProgram } from '../../checkout/setup.ts';
import { effectiveLanes } from '../../lanes/settings/settings.ts';
import { teamSettings } from '../../team/settings.ts';
import { type AppContext, openFeatures } from '../context.ts';

export interface Setting {
  readonly key: string;
  readonly value: unknown;
}

interface Sourced {
  readonly value: unknown;
  readonly source: 'default' | 'you' | 'lanehold.json';
}

/** The value that the user has set, or the default. */
export async function readSetting({ env }: AppContext, written: string): Promise<Setting> {
  const key = knownSetting(written);
  if (isOfLanes(key)) return { key, value: (await laneSettings(env, {})).value(key) };
  const other = otherSetting(key, '/', env);
  if (other !== undefined) return { key, value: other.value };
  const own = ownSettings(env);
  return { key, value: settingNamed(key, policyOf(own), own) };
}

export function hasGateSetting({ env }: AppContext, name: keyof PolicySettings): boolean {
  return Object.hasOwn(ownSettings(env), name);
}

/** A setting and its new value, a list as JSON; `undefined` leaves it to projects and to the default. */
export type SettingChange = readonly [key: string, text: string | undefined];

/** Makes all changes, or none if one is not valid. */
export async function changeSettings({ env }: AppContext, changes: readonly SettingChange[]) {
  const home = homeOf(env);
  const before = textIfThere(home.config);
  if (before?.trim()) parseUserConfig(before, home.config);
  const { after, changed } = asTyped(() => withChanges(before, changes, home.config));
  privateFolder(home.root);
  if (after !== undefined && after !== before)
    replaceUserFile(home.config, after, { hint: 'make the folder writable', mode: PRIVATE });
  return await Promise.all(
    changed.map(async (it): Promise<Setting & { readonly missing?: string }> => {
      const [first] = NAMES_PROGRAM.test(it.key) ? [it.value].flat() : [];
      const program = typeof first === 'string' ? firstProgram(first) : '';
      if (program === '' || (await hasProgram(program, env))) return it;
      return { ...it, missing: program };
    }),
  );
}

/** Settings of a command: `lanes.setup`, `lanes.notify.command`, `lanes.workers.local.program`. */
const NAMES_PROGRAM = /\.(?:setup|validate|command|program)$/;

function withChanges(before: string | undefined, changes: readonly SettingChange[], file: string) {
  let after = before;
  const changed = changes.map(([written, text]) => {
    const key = knownSetting(written);
    const value = text === undefined ? undefined : parsedValue(text, key);
    const [first = '', ...rest] = key.split('.');
    after = editUserConfig(after, [first, ...rest], value, file);
    return { key, value: value ?? null };
  });
  // This throws if a worker is to use an unknown agent.
  if (after !== undefined) effectiveLanes({}, parseUserFile(after, file).lanes ?? {});
  return { after, changed };
}

/** Reports a mistake in a typed value without a position, since no file has been written. */
function asTyped<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error;
    const { message } = error instanceof SettingsFileError ? error.problem : error;
    throw new UsageError(message.replace(/^config\.json: /, ''), {
      hint: error.hint,
      cause: error,
    });
  }
}

/** @param prefix selects this setting, or those below it. */
export async function listSettings(context: AppContext, prefix: string | undefined) {
  const names = SETTING_NAMES.filter(
    (name) => prefix === undefined || name === prefix || name.startsWith(`${prefix}.`),
  );
  if (names.length === 0) knownSetting(prefix ?? '');
  const own = ownSettings(context.env);
  const { registry, workspace } = await openFeatures(context);
  const ofLanes = await laneSettings(context.env, registry.lanes);
  const alone = policyOf(own);
  const defaults = policyOf({});
  const settings = names.map((key): Setting & Sourced => {
    if (isOfLanes(key)) return { key, value: ofLanes.value(key), source: ofLanes.source(key) };
    const other = otherSetting(key, workspace.place.root, context.env);
    if (other !== undefined) return { key, ...other };
    const value = settingNamed(key, registry.policy, own);
    const same = (policy: GatePolicy, settings: PolicySettings = {}) =>
      shown(settingNamed(key, policy, settings)) === shown(value);
    const source = same(defaults) ? 'default' : same(alone, own) ? 'you' : 'lanehold.json';
    return { key, value, source };
  });
  return { settings };
}

const isOfLanes = (setting: string): boolean => setting.startsWith('lanes.');

/** `undefined` for settings of the gate and of lanes. */
function otherSetting(key: string, root: string, env: NodeJS.ProcessEnv): Sourced | undefined {
  const name = OWN_RECALL.find((it) => `recall.${it}` === key);
  if (name !== undefined) {
    const { value, isSet } = ownRecall(env, name);
    return { value, source: isSet ? 'you' : 'default' };
  }
  if (key === 'hooks.resident') {
    const value = residentSetting(homeOf(env));
    return { value, source: value === 'off' ? 'you' : 'default' };
  }
  if (key.startsWith('team.')) {
    const home = homeOf(env);
    const named = (team: object) => valueAt({ team }, key.split('.')) ?? null;
    const kept = named({ share: keptFromTeam(root) });
    if (kept !== null) return { value: kept, source: 'lanehold.json' };
    const isSet = named(userFile(home).team ?? {}) !== null;
    return { value: named(teamSettings(home)), source: isSet ? 'you' : 'default' };
  }
  if (!key.startsWith('recall.')) return undefined;
  const ofProject: Readonly<Record<string, Sourced>> = recallSettings(root, env);
  return ofProject[key.slice('recall.'.length)];
}

function ownSettings(env: NodeJS.ProcessEnv): PolicySettings {
  const { config } = homeOf(env);
  const text = textIfThere(config);
  return text === undefined ? {} : parseUserConfig(text, config);
}

/** The values of lane settings in a project, and where each is set. */
async function laneSettings(env: NodeJS.ProcessEnv, repository: WrittenLanes) {
  const own = userFile(homeOf(env)).lanes ?? {};
  const effective = effectiveLanes(repository, own);
  const named = (lanes: object, name: string) => valueAt({ lanes }, name.split('.')) ?? null;
  return {
    value: (name: string): unknown => named(effective, name),
    source(name: string): Sourced['source'] {
      if (named(own, name) !== null) return 'you';
      return named(repository, name) === null ? 'default' : 'lanehold.json';
    },
  };
}

function knownSetting(written: string): string {
  if (isSetting(written)) return written;
  const meant =
    nearest(written, SETTING_NAMES) ?? SETTING_NAMES.find((name) => name.endsWith(`.${written}`));
  throw new UsageError(`there is no setting \`${written}\``, {
    hint: meant === undefined ? 'see `lanehold config list`' : `did you mean \`${meant}\`?`,
  });
}

/** The value of a typed text: `ask` is a word, `["a"]` a list; `2` and `true` stay text if the setting is one. */
function parsedValue(text: string, setting: string): unknown {
  if (/^\d+(?:\.\d+)?$/.test(text) && takes(setting, 'number')) return Number(text);
  if (/^(?:true|false)$/.test(text) && takes(setting, 'boolean')) return text === 'true';
  if (text === 'null') {
    throw new UsageError('`null` is no value', { hint: `lanehold config unset ${setting}` });
  }
  if (!/^\s*[[{"]/.test(text)) return text;
  const value = parsedJson(text);
  if (value !== undefined) return value;
  throw new UsageError('the value is no JSON', {
    hint: 'quote it for the shell: \'["a", "b"]\'',
  });
}
