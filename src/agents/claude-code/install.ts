/** Where Claude Code keeps its settings, and what lanehold puts there. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { type JsonObject, objectOr, parsedObject } from '../../base/text/json.ts';
import type { AgentInstall, InstalledPlugin, Place, Sample } from '../install.ts';
import { jsonText, PLUGIN, PLUGIN_ABOUT, pluginHooksText } from '../kit/client-plugin.ts';
import { settingsHooks } from '../kit/entries.ts';
import { scriptCommandLine } from '../kit/hook-shim.ts';
import { mainCheckout, projectRoot, userFolder } from '../kit/places.ts';
import { skillFiles } from '../kit/skills.ts';
import { statusLineFile } from '../kit/status-line.ts';
import { claudeCodeHooks, FOLDER } from './hooks.ts';

const { shell: SHELL_TOOLS, edit: EDIT_TOOLS, tasks: TASK_TOOLS = [] } = claudeCodeHooks.tools;

const MANIFEST = '.claude-plugin/plugin.json';
const PLUGIN_HOOKS = 'hooks/hooks.json';

const hooks = settingsHooks({
  agent: 'claude-code',
  hooks: claudeCodeHooks,
  // Other agents run these hooks as well, and one of them reads a `$` in a line itself.
  line: scriptCommandLine,
  matchers: {
    // A matcher with other characters than these is a regular expression that may match a part.
    'before-tool': `^(${[...SHELL_TOOLS, ...EDIT_TOOLS, 'mcp__.*'].join('|')})$`,
    'after-tool': [...EDIT_TOOLS, ...TASK_TOOLS].join('|'),
    'after-tool-failure': [...SHELL_TOOLS, ...EDIT_TOOLS].join('|'),
  },
  more: (event) => (event === 'before-tool' ? { onFailure: 'block' } : {}),
});

export const claudeCodeInstall: AgentInstall = {
  signs: (place) => ({ folders: [settingsFolder(place)], programs: ['claude'] }),
  files(scope, place, start) {
    const file =
      scope === 'user' ? join(settingsFolder(place), 'settings.json') : localSettings(place);
    return [
      hooks.row(file, start),
      ...skillFiles(join(dirname(file), 'skills')),
      // A line in a project would take the place of the one that the user has for all of them.
      ...(scope === 'user' ? [statusLineFile(file, start)] : []),
    ];
  },
  settingsFilesInForce,
  offSwitches,
  samples,
  plugin: {
    id: `${PLUGIN}@${PLUGIN}`,
    files: pluginFiles,
    hooks: PLUGIN_HOOKS,
    commands: {
      addFolder: 'claude plugin marketplace add',
      install: 'claude plugin install',
      enable: 'claude plugin enable',
      remove: 'claude plugin uninstall',
    },
    installed: installedPlugins,
  },
  client: {
    program: 'claude',
    minimum: {
      // The first version that knows `onFailure`.
      version: '2.1.295',
      weakness: 'lets a command run if its hook fails',
      update: 'claude update',
    },
  },
};

/** A switch in one of them turns off the hooks of all. */
function settingsFilesInForce(place: Place): string[] {
  const root = projectRoot(place);
  const files = [
    '/etc/claude-code/managed-settings.json',
    join(settingsFolder(place), 'settings.json'),
    localSettings(place),
    join(root, '.claude', 'settings.local.json'),
    join(root, '.claude', 'settings.json'),
    join(place.cwd, '.claude', 'settings.json'),
  ];
  return [...new Set(files)];
}

function settingsFolder(place: Place): string {
  return userFolder(place, FOLDER, 'the settings of Claude Code');
}

/**
 * The local settings of the main checkout. The client reads them in subfolders and in every linked
 * worktree. `.claude/settings.json` counts only in the folder in which a session starts, and only
 * on branches that have it; and it is shared, so that paths of this machine do not belong there.
 */
const localSettings = (place: Place): string =>
  join(mainCheckout(place), '.claude', 'settings.local.json');

/** `allowManagedHooksOnly` counts in the managed settings only. */
function offSwitches(file: string, text: string): string[] {
  const settings = parsedObject(text) ?? {};
  return ['disableAllHooks', 'allowManagedHooksOnly'].filter(
    (key) => settings[key] === true && (key === 'disableAllHooks' || file.startsWith('/etc/')),
  );
}

function samples(cwd: string): readonly Sample[] {
  return hooks.samples(
    { session_id: 'doctor', cwd },
    {
      'before-tool': { tool_name: 'Bash', tool_input: { command: 'git status' } },
      'session-start': { source: 'startup' },
    },
    { CLAUDE_PROJECT_DIR: cwd },
  );
}

// This package as a plugin. One from the marketplace of a folder is run from that folder, whatever the client keeps
// as a copy; one from a repository is run from its copy.

/** @see https://code.claude.com/docs/en/plugins-reference */
function pluginFiles(version: string): Record<string, string> {
  const about = { name: PLUGIN, description: PLUGIN_ABOUT };
  return {
    [MANIFEST]: jsonText({ ...about, version, author: { name: PLUGIN }, license: 'MIT' }),
    '.claude-plugin/marketplace.json': jsonText({
      ...about,
      owner: { name: PLUGIN },
      // Relative: it is taken from wherever the client has this file from.
      plugins: [{ ...about, source: './' }],
    }),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the client or the shell puts its folder there.
    [PLUGIN_HOOKS]: pluginHooksText(hooks.wanted, '${CLAUDE_PLUGIN_ROOT}', 'claude-code'),
  };
}

/** The local settings outdo those of the project, and these the user's. */
function installedPlugins(place: Place): readonly InstalledPlugin[] {
  const folder = join(settingsFolder(place), 'plugins');
  const said = settingsFilesInForce(place)
    .sort((one, other) => rankOf(one) - rankOf(other))
    .flatMap(pluginsIn);
  const lastSaid = new Map(said.map((it) => [it.id, it]));
  return [...lastSaid.values()].map((it) => {
    const root = rootOf(it.id, folder);
    return { ...it, root, env: root === undefined ? {} : { CLAUDE_PLUGIN_ROOT: root } };
  });
}

function pluginsIn(file: string): Pick<InstalledPlugin, 'id' | 'enabled' | 'file'>[] {
  return Object.entries(objectOr(read(file)?.enabledPlugins) ?? {}).flatMap(([id, enabled]) =>
    id.startsWith(`${PLUGIN}@`) && typeof enabled === 'boolean' ? [{ id, enabled, file }] : [],
  );
}

function rankOf(file: string): number {
  if (file.startsWith('/etc/')) return 3;
  return file.endsWith('.local.json') ? 2 : 1;
}

function rootOf(id: string, folder: string): string | undefined {
  const [, marketplace = ''] = id.split('@');
  const known = objectOr(read(join(folder, 'known_marketplaces.json'))?.[marketplace]);
  const source = objectOr(known?.source);
  const from = source?.source === 'directory' ? source.path : undefined;
  if (typeof from === 'string' && read(join(from, MANIFEST))?.name === PLUGIN) return from;
  const copies = objectOr(read(join(folder, 'installed_plugins.json'))?.plugins)?.[id];
  const [copy] = Array.isArray(copies) ? copies : [];
  const path = objectOr(copy)?.installPath;
  return typeof path === 'string' ? path : undefined;
}

function read(file: string): JsonObject | undefined {
  if (!existsSync(file)) return undefined;
  return parsedObject(attempt(() => readFileSync(file, 'utf8')) ?? '');
}
