/**
 * Where lanehold's hooks for Gemini CLI are written.
 *
 * For the user they are an extension of its own, because hooks of an extension run in every folder.
 * Those of the user's settings do not in a folder without trust, and those of a project's settings not
 * below the folder that has them either, nor with `--skip-trust`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse as parseJsonc } from 'jsonc-parser';
import { attempt } from '../../base/errors.ts';
import { isJsonObject, objectOr, parsedObject } from '../../base/text/json.ts';
import type {
  AgentInstall,
  InstalledPlugin,
  InstallFile,
  Place,
  Sample,
  Scope,
} from '../install.ts';
import { jsonText, PLUGIN_ABOUT, pluginHooksText } from '../kit/client-plugin.ts';
import { settingsHooks } from '../kit/entries.ts';
import type { HookStart } from '../kit/hook-shim.ts';
import { OWN_FILE_MARK, ownFile } from '../kit/own-file.ts';
import { projectRoot } from '../kit/places.ts';
import { sharedSkillFiles, skillFiles } from '../kit/skills.ts';
import { geminiCliHooks } from './hooks.ts';

const {
  shell: [SHELL_TOOL],
  edit: EDIT_TOOLS,
  tasks: [TASK_TOOL = ''] = [],
} = geminiCliHooks.tools;

const EXTENSION = 'lanehold';
const PLUGIN_EXTENSION = 'lanehold-plugin';
const PLUGIN_HOOKS = 'hooks/hooks.json';

const hooks = settingsHooks({
  agent: 'gemini-cli',
  hooks: geminiCliHooks,
  comments: true,
  // Time limits are milliseconds.
  timeouts: { 'before-tool': 60_000, stop: 30_000, other: 15_000 },
  // Matchers of tools match a part of a name as well, unless they are anchored.
  matchers: {
    'before-tool': `^(${[SHELL_TOOL, ...EDIT_TOOLS, 'mcp_.*'].join('|')})$`,
    'after-tool': `^(${[...EDIT_TOOLS, TASK_TOOL].join('|')})$`,
    // The automatic one comes before every request to the model, whether or not anything is compressed.
    'before-compact': 'manual',
  },
  // A person sees the name in `/hooks`.
  more: (event) => ({ name: `lanehold ${event}` }),
});

export const geminiCliInstall: AgentInstall = {
  signs: (place) => ({ folders: [userFolder(place)], programs: ['gemini'] }),
  files,
  settingsFilesInForce,
  offSwitches,
  afterwards: (scope, place) =>
    scope === 'user'
      ? []
      : [`start \`gemini\` in ${projectRoot(place)} itself, and trust that folder`],
  // An entry in seconds would end every hook at once.
  timeUnitMs: 1,
  samples,
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
};

/** The variable takes the place of the home folder. */
function userFolder({ env, cwd }: Place): string {
  return join(resolve(cwd, env.GEMINI_CLI_HOME || env.HOME || homedir()), '.gemini');
}

const extensionFolder = (place: Place) => join(userFolder(place), 'extensions', EXTENSION);

/** Absolute. */
export function hooksFile(scope: Scope, place: Place): string {
  if (scope === 'user') return join(extensionFolder(place), 'hooks/hooks.json');
  return join(projectRoot(place), '.gemini/settings.json');
}

function files(scope: Scope, place: Place, start: HookStart): readonly InstallFile[] {
  const own = hooks.row(hooksFile(scope, place), start);
  if (scope === 'project') return [own, ...sharedSkillFiles(projectRoot(place))];
  const folder = extensionFolder(place);
  return [
    own,
    {
      file: join(folder, 'gemini-extension.json'),
      what: 'extension',
      editor: ownFile(jsonText(MANIFEST)),
    },
    ...skillFiles(join(folder, 'skills')),
  ];
}

const MANIFEST = {
  name: EXTENSION,
  version: '1.0.0',
  description: `${OWN_FILE_MARK}, removed by \`lanehold uninstall\`: holds pushes until what they touch is verified`,
};

/** A switch in one of them turns off the hooks of all. */
function settingsFilesInForce(place: Place): readonly string[] {
  const { env, cwd } = place;
  const system = '/etc/gemini-cli';
  return [
    env.GEMINI_CLI_SYSTEM_SETTINGS_PATH || join(system, 'settings.json'),
    env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH || join(system, 'system-defaults.json'),
    join(userFolder(place), 'settings.json'),
    join(userFolder(place), 'extensions/extension-enablement.json'),
    ...new Set([join(projectRoot({ cwd }), '.gemini/settings.json')]).add(
      join(cwd, '.gemini/settings.json'),
    ),
  ];
}

function offSwitches(_file: string, text: string): readonly string[] {
  const settings: unknown = parseJsonc(text, [], { allowTrailingComma: true });
  if (!isJsonObject(settings)) return [];
  const { enabled, disabled } = objectOr(settings.hooksConfig) ?? {};
  const { allowedExtensions } = objectOr(settings.security) ?? {};
  return [
    ...(enabled === false ? ['hooksConfig.enabled'] : []),
    ...(textsOf(disabled).some((it) => it.includes('lanehold')) ? ['hooksConfig.disabled'] : []),
    // An extension that was written here and not downloaded is not on any list.
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

function samples(cwd: string): readonly Sample[] {
  return hooks.samples(
    { session_id: 'doctor', cwd },
    {
      'before-tool': { tool_name: SHELL_TOOL, tool_input: { command: 'git status' } },
      'session-start': { source: 'startup' },
    },
    { GEMINI_PROJECT_DIR: cwd },
  );
}

// A folder of this package as an extension that the client's own command installs. It cannot be the package itself:
// the client reads `hooks/hooks.json` of an extension, which there is for other clients.

function pluginFiles(version: string): Record<string, string> {
  const about = { name: PLUGIN_EXTENSION, version, description: PLUGIN_ABOUT };
  return {
    'gemini-extension.json': jsonText(about),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the client puts the folder there.
    [PLUGIN_HOOKS]: pluginHooksText(hooks.wanted, '${extensionPath}', 'gemini-cli'),
  };
}

function installedPlugins(place: Place): readonly InstalledPlugin[] {
  const extensions = join(userFolder(place), 'extensions');
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
      // The client replaces this itself in its commands.
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
