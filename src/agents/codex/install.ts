/** Where Codex keeps its settings, and what lanehold writes there. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { attempt } from '../../base/errors.ts';
import { objectOr } from '../../base/text/json.ts';
import type { FileEditor, InstalledPlugin, InstallFile, Place, Scope, Trust } from '../install.ts';
import { agentInstall, whole } from '../kit/agent-install.ts';
import { jsonText, PLUGIN, PLUGIN_ABOUT, pluginHooksText } from '../kit/client-plugin.ts';
import { shimInLine } from '../kit/hook-shim.ts';
import { markedBlock } from '../kit/own-file.ts';
import { mainCheckout, userFolder } from '../kit/places.ts';
import { codexHooks, FOLDER } from './hooks.ts';
import { hookKeys, type TrustedHook, trustOf } from './trust.ts';

const HOW_TO_TRUST = 'start `codex`, type `/hooks`, and trust each hook of lanehold';

const HOW_TO_TRUST_FOLDER =
  'start `codex` in this project, trust the folder, type `/hooks`, and trust each hook of lanehold';

const KEPT = 'the settings of Codex';

/** The manifest names this file, because `hooks/hooks.json` is for other clients. */
const PLUGIN_HOOKS = 'hooks/codex-hooks.json';

export const codexInstall = agentInstall({
  agent: 'codex',
  hooks: codexHooks,
  kept: KEPT,
  user: FOLDER,
  signs: { folders: ['{user}'], programs: ['codex'] },
  // A linked worktree uses the hooks of the main checkout.
  file: { user: '{user}/hooks.json', project: '{main}/.codex/hooks.json' },
  skills: { project: '{main}/.agents/skills' },
  inForce: [
    ...['{user}', '{main}/.codex', '{root}/.codex'].flatMap((it) => [
      `${it}/hooks.json`,
      `${it}/config.toml`,
    ]),
    '/etc/codex/requirements.toml',
  ],
  // The client ends a hook of a session's end after 3 s.
  timeouts: { 'before-tool': 60, stop: 30, 'session-end': 3, other: 15 },
  // Other characters than these make a regular expression that may match a part.
  matchers: ({ shell, patch = [] }) => ({
    'before-tool': whole(...shell, ...patch, 'mcp__.*'),
    'after-tool': patch.join('|'),
  }),
  offSwitches,
  afterwards: () => [
    'start `codex` and trust the hooks of lanehold where it asks, or type `/hooks` there: until then it runs none of them',
  ],
  trust,
  trusting,
  leftBehind(place) {
    const config = configIn(place);
    const isLeft = (['user', 'project'] as const)
      .map((scope) => JSON.stringify(codexInstall.hooksFile(scope, place)).slice(0, -1))
      .some((it) => config.includes(`[hooks.state.${it}:`));
    return isLeft ? [`the trust of hooks in ${configFile(place)}, which a person confirmed`] : [];
  },
  tried: (cwd) => [
    { session_id: 'doctor', cwd, model: 'none', permission_mode: 'default' },
    {
      'before-tool': { tool_name: 'Bash', tool_input: { command: 'git status' } },
      'session-start': { source: 'startup' },
    },
  ],
  client: { program: 'codex' },
  plugin: {
    id: `${PLUGIN}@${PLUGIN}`,
    files: pluginFiles,
    hooks: PLUGIN_HOOKS,
    commands: {
      install: 'codex plugin add',
      remove: 'codex plugin remove',
    },
    installed: installedPlugins,
    trust({ id, root = '' }, place) {
      const text = textOf(join(root, PLUGIN_HOOKS)) ?? '{}';
      const keys = hookKeys(`${id}:${PLUGIN_HOOKS}`, text);
      return { state: trustOf(configIn(place), keys), skips: true, how: HOW_TO_TRUST };
    },
  },
});

const configFile = (place: Place): string => join(userFolder(place, FOLDER, KEPT), 'config.toml');

const configIn = (place: Place): string => textOf(configFile(place)) ?? '';

async function trust(scope: Scope, place: Place): Promise<Trust> {
  const config = configIn(place);
  const state = trustOf(config, ownHooks(scope, place));
  const isFolderTrusted = scope === 'user' || trustsFolder(config, mainCheckout(place));
  const option = scope === 'user' ? '' : ' --project';
  const byPerson = isFolderTrusted ? HOW_TO_TRUST : HOW_TO_TRUST_FOLDER;
  const how = `${byPerson}; \`lanehold install --agent codex${option} --trust\` confirms them as well`;
  return {
    state: state === 'trusted' && !isFolderTrusted ? 'untrusted' : state,
    skips: true,
    // An entry of the client's own can only be renewed there.
    how: state === 'modified' ? byPerson : how,
  };
}

/** Switches in the settings of a person, a project, or the administrator. */
function offSwitches(file: string, text: string): string[] {
  if (!file.endsWith('.toml')) return [];
  const settings = objectOr(attempt(() => parse(text)));
  const isOff = objectOr(settings?.features)?.hooks === false;
  const managedOnly = settings?.allow_managed_hooks_only === true && file.startsWith('/etc/');
  return [
    ...(isOff ? ['features.hooks'] : []),
    ...(managedOnly ? ['allow_managed_hooks_only'] : []),
  ];
}

/** The hooks of lanehold in the file, each with the key that the client knows it by. */
function ownHooks(scope: Scope, place: Place): readonly TrustedHook[] {
  const file = codexInstall.hooksFile(scope, place);
  return hookKeys(file, textOf(file) ?? '{}').filter(({ command }) => shimInLine(command));
}

/** True if a person has trusted the folder: the client does not even list the hooks of another one. */
function trustsFolder(config: string, folder: string): boolean {
  const projects = objectOr(objectOr(attempt(() => parse(config)))?.projects);
  return objectOr(projects?.[folder])?.trust_level === 'trusted';
}

/** Writes the entries that Codex writes when its user trusts the hooks. */
function trusting(scope: Scope, place: Place): readonly InstallFile[] {
  const file = configFile(place);
  const own = ownHooks(scope, place);
  const others = markedBlock('').withoutOurs('', textOf(file) ?? '') ?? '';
  const settings = objectOr(attempt(() => parse(others)));
  const known = objectOr(objectOr(settings?.hooks)?.state) ?? {};
  const entries = own
    .filter(({ key }) => known[key] === undefined)
    .map(({ key, hash }) => `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${hash}"`);
  if (own.length === 0) return [];
  const folder = mainCheckout(place);
  const isAsked = scope === 'project' && objectOr(settings?.projects)?.[folder] === undefined;
  const table = `[projects.${JSON.stringify(folder)}]\ntrust_level = "trusted"`;
  const tables = isAsked ? [table, ...entries] : entries;
  return [{ file, what: 'trust', editor: trustEditor(tables) }];
}

/** @param tables tables for hooks without an entry of the client's own; those are renewed in the client, by `/hooks`. */
function trustEditor(tables: readonly string[]): FileEditor {
  const block = markedBlock(tables.join('\n'));
  return tables.length > 0
    ? block
    : { ...block, plan: (_, { current }) => ({ state: 'current', text: current ?? '' }) };
}

const textOf = (file: string): string | undefined => attempt(() => readFileSync(file, 'utf8'));

// This package as a plugin. The client runs a copy, and skips its hooks until a person has trusted them; it asks again
// whenever a file of the copy changes. It takes marketplaces of the form that other clients have as well.

function pluginFiles(version: string): Record<string, string> {
  return {
    '.codex-plugin/plugin.json': jsonText({
      name: PLUGIN,
      version,
      description: PLUGIN_ABOUT,
      skills: './skills/',
      hooks: `./${PLUGIN_HOOKS}`,
    }),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the client or the shell puts its folder there.
    [PLUGIN_HOOKS]: pluginHooksText(codexInstall.wanted, '${PLUGIN_ROOT}', 'codex'),
  };
}

function installedPlugins(place: Place): readonly InstalledPlugin[] {
  const file = configFile(place);
  const settings = attempt(() => parse(configIn(place)));
  return Object.entries(objectOr(settings?.plugins) ?? {}).flatMap(([id, state]) => {
    if (!id.startsWith(`${PLUGIN}@`)) return [];
    const root = copyOf(id, join(dirname(file), 'plugins/cache'));
    const env = root === undefined ? {} : { PLUGIN_ROOT: root };
    return [{ id, enabled: objectOr(state)?.enabled !== false, file, root, env }];
  });
}

/** The folder of the newest copy: an earlier version may still be there. */
function copyOf(id: string, cache: string): string | undefined {
  const [name = '', marketplace = ''] = id.split('@');
  const folder = join(cache, marketplace, name);
  const versions = attempt(() => readdirSync(folder)) ?? [];
  const [newest] = versions.sort((one, other) => other.localeCompare(one, 'en', { numeric: true }));
  return newest === undefined ? undefined : join(folder, newest);
}
