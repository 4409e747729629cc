/** Where Claude Code keeps its settings, and what lanehold writes there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { type JsonObject, objectOr, parsedObject } from '../../base/text/json.ts';
import type { InstalledPlugin, Place } from '../install.ts';
import { agentInstall, whole } from '../kit/agent-install.ts';
import { jsonText, PLUGIN, PLUGIN_ABOUT, pluginHooksText } from '../kit/client-plugin.ts';
import { scriptCommandLine } from '../kit/hook-shim.ts';
import { placed } from '../kit/places.ts';
import { statusLineFile } from '../kit/status-line.ts';
import { claudeCodeHooks, FOLDER } from './hooks.ts';

const MANIFEST = '.claude-plugin/plugin.json';
const PLUGIN_HOOKS = 'hooks/hooks.json';
const FOLDERS = { kept: 'the settings of Claude Code', user: FOLDER };

/**
 * A project's hooks are in the local settings of the main checkout, which the client reads in subfolders and in every
 * linked worktree. It reads `.claude/settings.json` only in the folder in which a session starts, and only on branches
 * that have it. That file is also shared, so paths of this machine do not belong there.
 */
const file = { user: '{user}/settings.json', project: '{main}/.claude/settings.local.json' };

export const claudeCodeInstall = agentInstall({
  agent: 'claude-code',
  hooks: claudeCodeHooks,
  ...FOLDERS,
  signs: { folders: ['{user}'], programs: ['claude'] },
  file,
  // A status line in a project would replace the one that the user has for all projects.
  others: (scope, place, start) =>
    scope === 'user' ? [statusLineFile(placed(file.user, place, FOLDERS), start)] : [],
  skills: { user: '{user}/skills', project: '{main}/.claude/skills' },
  // A switch in one of them turns off the hooks of all.
  inForce: [
    '/etc/claude-code/managed-settings.json',
    ...Object.values(file),
    '{root}/.claude/settings.local.json',
    '{root}/.claude/settings.json',
    '{cwd}/.claude/settings.json',
  ],
  // Other agents run these hooks as well, and one of them expands a `$` in a line itself.
  line: scriptCommandLine,
  matchers: ({ shell, edit, tasks = [] }) => ({
    // A matcher with other characters than these is a regular expression that may match a part.
    'before-tool': whole(...shell, ...edit, 'mcp__.*'),
    'after-tool': [...edit, ...tasks].join('|'),
    'after-tool-failure': [...shell, ...edit].join('|'),
  }),
  more: (event) => (event === 'before-tool' ? { onFailure: 'block' } : {}),
  offSwitches(path, text) {
    const settings = parsedObject(text) ?? {};
    // `allowManagedHooksOnly` counts in the managed settings only.
    const switches = ['disableAllHooks', ...(path.startsWith('/etc/') ? [MANAGED_ONLY] : [])];
    return switches.filter((key) => settings[key] === true);
  },
  tried: (cwd) => [
    { session_id: 'doctor', cwd },
    {
      'before-tool': { tool_name: 'Bash', tool_input: { command: 'git status' } },
      'session-start': { source: 'startup' },
    },
    { CLAUDE_PROJECT_DIR: cwd },
  ],
  plugin: {
    id: `${PLUGIN}@${PLUGIN}`,
    files: pluginFiles,
    hooks: PLUGIN_HOOKS,
    commands: {
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
});

const MANAGED_ONLY = 'allowManagedHooksOnly';

// This package as a plugin. One from the marketplace of a folder is run from that folder, whatever the client keeps
// as a copy; one from a repository is run from its copy.

/** @see https://code.claude.com/docs/en/plugins-reference */
function pluginFiles(version: string): Record<string, string> {
  const { wanted } = claudeCodeInstall;
  const about = { name: PLUGIN, description: PLUGIN_ABOUT };
  return {
    [MANIFEST]: jsonText({ ...about, version, author: { name: PLUGIN }, license: 'MIT' }),
    '.claude-plugin/marketplace.json': jsonText({
      ...about,
      owner: { name: PLUGIN },
      // The path is relative, so that it works wherever the client has this file from.
      plugins: [{ ...about, source: './' }],
    }),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the client or the shell puts its folder there.
    [PLUGIN_HOOKS]: pluginHooksText(wanted, '${CLAUDE_PLUGIN_ROOT}', 'claude-code'),
  };
}

/** The installed plugins: local settings override those of the project, and these the user's. */
function installedPlugins(place: Place): readonly InstalledPlugin[] {
  const folder = placed('{user}/plugins', place, FOLDERS);
  const said = claudeCodeInstall
    .settingsFilesInForce(place)
    .toSorted((one, other) => rankOf(one) - rankOf(other))
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
