/**
 * Where lanehold's hooks for Gemini CLI are written.
 *
 * For the user they are an extension, because hooks of an extension run in every folder. Hooks of
 * the user's settings do not run in a folder without trust; hooks of a project's settings do not
 * run there either, nor in subfolders, nor with `--skip-trust`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse as parseJsonc } from 'jsonc-parser';
import { attempt } from '../../base/errors.ts';
import { isJsonObject, objectOr, parsedObject } from '../../base/text/json.ts';
import type { InstalledPlugin, Place } from '../install.ts';
import { agentInstall, whole } from '../kit/agent-install.ts';
import { jsonText, PLUGIN_ABOUT, pluginHooksText } from '../kit/client-plugin.ts';
import { OWN_FILE_MARK, ownFile } from '../kit/own-file.ts';
import { placed } from '../kit/places.ts';
import { geminiCliHooks } from './hooks.ts';

const EXTENSION = 'lanehold';
const PLUGIN_EXTENSION = 'lanehold-plugin';
const PLUGIN_HOOKS = 'hooks/hooks.json';

/** The variable replaces the home folder. */
const FOLDERS = {
  kept: 'the hooks of Gemini CLI',
  home: ({ env, cwd }: Place) => resolve(cwd, env.GEMINI_CLI_HOME || env.HOME || homedir()),
};

const own = agentInstall({
  agent: 'gemini-cli',
  hooks: geminiCliHooks,
  ...FOLDERS,
  signs: { folders: ['~/.gemini'], programs: ['gemini'] },
  file: {
    user: `~/.gemini/extensions/${EXTENSION}/hooks/hooks.json`,
    project: '{root}/.gemini/settings.json',
  },
  others(scope, place) {
    if (scope === 'project') return [];
    const file = placed(`~/.gemini/extensions/${EXTENSION}/gemini-extension.json`, place, FOLDERS);
    return [{ file, what: 'extension', editor: ownFile(jsonText(MANIFEST)) }];
  },
  skills: { user: `~/.gemini/extensions/${EXTENSION}/skills` },
  comments: true,
  // Time limits are milliseconds: an entry in seconds would end every hook at once.
  timeouts: { 'before-tool': 60_000, stop: 30_000, other: 15_000 },
  timeUnitMs: 1,
  // Matchers of tools also match a part of a name, unless they are anchored.
  matchers: ({ shell, edit, tasks = [] }) => ({
    'before-tool': whole(...shell, ...edit, 'mcp_.*'),
    'after-tool': whole(...edit, ...tasks),
    // The automatic event comes before every request to the model, whether or not anything is compressed.
    'before-compact': 'manual',
  }),
  // The name is shown in `/hooks`.
  more: (event) => ({ name: `lanehold ${event}` }),
  offSwitches,
  afterwards: (scope, place) =>
    scope === 'user'
      ? []
      : [`start \`gemini\` in ${placed('{root}', place, FOLDERS)} itself, and trust that folder`],
  tried: (cwd) => [
    { session_id: 'doctor', cwd },
    {
      'before-tool': { tool_name: 'run_shell_command', tool_input: { command: 'git status' } },
      'session-start': { source: 'startup' },
    },
    { GEMINI_PROJECT_DIR: cwd },
  ],
  client: { program: 'gemini' },
  plugin: {
    id: PLUGIN_EXTENSION,
    folder: 'gemini-extension',
    files: pluginFiles,
    hooks: PLUGIN_HOOKS,
    commands: {
      install: 'gemini extensions install',
      enable: 'gemini extensions enable',
      remove: 'gemini extensions uninstall',
    },
    installed: installedPlugins,
  },
  // A switch in one of them turns off the hooks of all.
  inForce: [
    '~/.gemini/settings.json',
    '~/.gemini/extensions/extension-enablement.json',
    '{root}/.gemini/settings.json',
    '{cwd}/.gemini/settings.json',
  ],
});

export const geminiCliInstall = {
  ...own,
  settingsFilesInForce: (place: Place) => [
    place.env.GEMINI_CLI_SYSTEM_SETTINGS_PATH || '/etc/gemini-cli/settings.json',
    place.env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH || '/etc/gemini-cli/system-defaults.json',
    ...own.settingsFilesInForce(place),
  ],
};

const MANIFEST = {
  name: EXTENSION,
  version: '1.0.0',
  description: `${OWN_FILE_MARK}, removed by \`lanehold uninstall\`: holds pushes until what they touch is verified`,
};

function offSwitches(_file: string, text: string): readonly string[] {
  const settings: unknown = parseJsonc(text, [], { allowTrailingComma: true });
  if (!isJsonObject(settings)) return [];
  const { enabled, disabled } = objectOr(settings.hooksConfig) ?? {};
  const { allowedExtensions } = objectOr(settings.security) ?? {};
  return [
    ...(enabled === false ? ['hooksConfig.enabled'] : []),
    ...(textsOf(disabled).some((it) => it.includes('lanehold')) ? ['hooksConfig.disabled'] : []),
    // An extension that was written here, and not downloaded, is on no such list.
    ...(textsOf(allowedExtensions).length > 0 ? ['security.allowedExtensions'] : []),
    ...(isSwitchedOff(settings, EXTENSION) ? [`${EXTENSION}.overrides`] : []),
  ];
}

/** @param enablement the client's list of extensions. */
function isSwitchedOff(enablement: unknown, extension: string): boolean {
  if (!isJsonObject(enablement)) return false;
  const { overrides } = objectOr(enablement[extension]) ?? {};
  return textsOf(overrides).some((it) => it.startsWith('!'));
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((it) => typeof it === 'string') : [];
}

// A folder of this package as an extension that the client's own command installs. The package itself cannot be the
// extension: the client reads `hooks/hooks.json` of an extension, and that file is for other clients.

function pluginFiles(version: string): Record<string, string> {
  const about = { name: PLUGIN_EXTENSION, version, description: PLUGIN_ABOUT };
  return {
    'gemini-extension.json': jsonText(about),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the client puts the folder there.
    [PLUGIN_HOOKS]: pluginHooksText(own.wanted, '${extensionPath}', 'gemini-cli'),
  };
}

function installedPlugins(place: Place): readonly InstalledPlugin[] {
  const extensions = placed('~/.gemini/extensions', place, FOLDERS);
  const folder = join(extensions, PLUGIN_EXTENSION);
  if (!existsSync(folder)) return [];
  const file = join(extensions, 'extension-enablement.json');
  const enablement = attempt(() => readFileSync(file, 'utf8')) ?? '{}';
  const root = linked(folder) ?? folder;
  return [
    {
      id: PLUGIN_EXTENSION,
      enabled: !isSwitchedOff(parseJsonc(enablement), PLUGIN_EXTENSION),
      file,
      root,
      // The client replaces this variable itself in its commands.
      env: { extensionPath: root },
    },
  ];
}

/** The folder that an extension was linked from; `undefined` for a copy. */
function linked(folder: string): string | undefined {
  const text = attempt(() => readFileSync(join(folder, '.gemini-extension-install.json'), 'utf8'));
  const { type, source } = parsedObject(text ?? '{}') ?? {};
  return type === 'link' && typeof source === 'string' ? source : undefined;
}
