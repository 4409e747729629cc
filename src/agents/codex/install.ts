/** Where Codex keeps its settings, and what lanehold puts there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { attempt } from '../../base/errors.ts';
import { objectOr } from '../../base/text/json.ts';
import type {
  AgentInstall,
  FileEditor,
  InstalledPlugin,
  InstallFile,
  Place,
  Sample,
  Scope,
} from '../install.ts';
import { jsonText, PLUGIN, PLUGIN_ABOUT, pluginHooksText } from '../kit/client-plugin.ts';
import { settingsHooks } from '../kit/entries.ts';
import { shimInLine } from '../kit/hook-shim.ts';
import { markedBlock } from '../kit/marked-block.ts';
import { homeFolder, inBothScopes, mainCheckout, projectRoot, userFolder } from '../kit/places.ts';
import { sharedSkillFiles } from '../kit/skills.ts';
import { codexHooks, FOLDER } from './hooks.ts';
import { hookKeys, type TrustedHook, trustOf } from './trust.ts';

const {
  shell: [SHELL_TOOL],
  patch: [PATCH_TOOL = ''] = [],
} = codexHooks.tools;

const HOW_TO_TRUST = 'start `codex`, type `/hooks`, and trust each hook of lanehold';

const HOW_TO_TRUST_FOLDER =
  'start `codex` in this project, trust the folder, type `/hooks`, and trust each hook of lanehold';

const KEPT = 'the settings of Codex';

/** Named in the manifest: `hooks/hooks.json` is for other clients. */
const PLUGIN_HOOKS = 'hooks/codex-hooks.json';

const hooks = settingsHooks({
  agent: 'codex',
  hooks: codexHooks,
  // The client ends a hook of a session's end after 3 s.
  timeouts: { 'before-tool': 60, stop: 30, 'session-end': 3, other: 15 },
  // Other characters than these make a regular expression that may match a part.
  matchers: {
    'before-tool': `^(${SHELL_TOOL}|${PATCH_TOOL}|mcp__.*)$`,
    'after-tool': PATCH_TOOL,
  },
});

export const codexInstall: AgentInstall = {
  signs: (place) => ({ folders: [settingsFolder(place)], programs: ['codex'] }),
  files(scope, place, start) {
    const root = scope === 'user' ? homeFolder(place, KEPT, FOLDER.name) : mainCheckout(place);
    return [hooks.row(hooksFile(scope, place), start), ...sharedSkillFiles(root)];
  },
  settingsFilesInForce: (place) => {
    const roots = [mainCheckout(place), projectRoot(place)];
    const folders = [settingsFolder(place), ...roots.map((it) => join(it, '.codex'))];
    const files = folders.flatMap((it) => [join(it, 'hooks.json'), join(it, 'config.toml')]);
    return [...new Set([...files, '/etc/codex/requirements.toml'])];
  },
  offSwitches,
  afterwards: () => [
    'start `codex` and trust the hooks of lanehold where it asks, or type `/hooks` there: until then it runs none of them',
  ],
  async trust(scope, place) {
    const config = textOf(configFile(place)) ?? '';
    const state = trustOf(config, ownHooks(scope, place));
    const isFolderTrusted = scope === 'user' || trustsFolder(config, mainCheckout(place));
    const option = scope === 'user' ? '' : ' --project';
    const byPerson = isFolderTrusted ? HOW_TO_TRUST : HOW_TO_TRUST_FOLDER;
    const how = `${byPerson}; \`lanehold install --agent codex${option} --trust\` confirms them as well`;
    return {
      state: state === 'trusted' && !isFolderTrusted ? 'untrusted' : state,
      skips: true,
      // An entry of the client's own is only renewed there.
      how: state === 'modified' ? byPerson : how,
    };
  },
  trusting,
  leftBehind(place) {
    const config = textOf(configFile(place)) ?? '';
    const isLeft = inBothScopes(hooksFile, place).some((it) =>
      config.includes(`[hooks.state.${JSON.stringify(it).slice(0, -1)}:`),
    );
    return isLeft ? [`the trust of hooks in ${configFile(place)}, which a person confirmed`] : [];
  },
  samples,
  client: { program: 'codex' },
  plugin: {
    id: `${PLUGIN}@${PLUGIN}`,
    files: pluginFiles,
    hooks: PLUGIN_HOOKS,
    commands: {
      addFolder: 'codex plugin marketplace add',
      install: 'codex plugin add',
      remove: 'codex plugin remove',
    },
    installed: installedPlugins,
    trust({ id, root = '' }, place) {
      const text = textOf(join(root, PLUGIN_HOOKS)) ?? '{}';
      const keys = hookKeys(`${id}:${PLUGIN_HOOKS}`, text);
      const state = trustOf(textOf(configFile(place)) ?? '', keys);
      return { state, skips: true, how: HOW_TO_TRUST };
    },
  },
};

const settingsFolder = (place: Place): string => userFolder(place, FOLDER, KEPT);

/** A linked worktree uses the hooks of the main checkout. */
export function hooksFile(scope: Scope, place: Place): string {
  const folder = scope === 'user' ? settingsFolder(place) : join(mainCheckout(place), '.codex');
  return join(folder, 'hooks.json');
}

function configFile(place: Place): string {
  return join(settingsFolder(place), 'config.toml');
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

/** Our hooks as they stand in the file, each with what the client knows it by. */
function ownHooks(scope: Scope, place: Place): readonly TrustedHook[] {
  const file = hooksFile(scope, place);
  return hookKeys(file, textOf(file) ?? '{}').filter(({ command }) => shimInLine(command));
}

/** The client does not even list the hooks of a folder that a person has not trusted. */
function trustsFolder(config: string, folder: string): boolean {
  const projects = objectOr(objectOr(attempt(() => parse(config)))?.projects);
  return objectOr(projects?.[folder])?.trust_level === 'trusted';
}

/** Writes what Codex writes when its user trusts the hooks. */
function trusting(scope: Scope, place: Place): readonly InstallFile[] {
  const file = configFile(place);
  const own = ownHooks(scope, place);
  const settings = objectOr(attempt(() => parse(withoutBlock(textOf(file) ?? ''))));
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

/** @param tables of what the client has no entry of its own for; its own are renewed there, by `/hooks`. */
function trustEditor(tables: readonly string[]): FileEditor {
  const block = markedBlock(tables.join('\n'));
  return tables.length > 0
    ? block
    : { ...block, plan: (_, { current }) => ({ state: 'current', text: current ?? '' }) };
}

const withoutBlock = (text: string): string => markedBlock('').withoutOurs('', text) ?? '';

const textOf = (file: string): string | undefined =>
  existsSync(file) ? attempt(() => readFileSync(file, 'utf8')) : undefined;

function samples(cwd: string): readonly Sample[] {
  return hooks.samples(
    { session_id: 'doctor', cwd, model: 'none', permission_mode: 'default' },
    {
      'before-tool': { tool_name: SHELL_TOOL, tool_input: { command: 'git status' } },
      'session-start': { source: 'startup' },
    },
  );
}

// This package as a plugin. The client runs a copy, and skips the hooks in it until a person has trusted them; it asks
// anew whenever a file of the copy changes. It takes marketplaces of the form that other clients have as well.

function pluginFiles(version: string): Record<string, string> {
  return {
    '.codex-plugin/plugin.json': jsonText({
      name: PLUGIN,
      version,
      description: PLUGIN_ABOUT,
      ...{ skills: './skills/', hooks: `./${PLUGIN_HOOKS}` },
    }),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the client or the shell puts its folder there.
    [PLUGIN_HOOKS]: pluginHooksText(hooks.wanted, '${PLUGIN_ROOT}', 'codex'),
  };
}

function installedPlugins(place: Place): readonly InstalledPlugin[] {
  const file = configFile(place);
  const settings = attempt(() => parse(textOf(file) ?? ''));
  return Object.entries(objectOr(settings?.plugins) ?? {}).flatMap(([id, state]) => {
    if (!id.startsWith(`${PLUGIN}@`)) return [];
    const root = copyOf(id, join(dirname(file), 'plugins/cache'));
    const env = root === undefined ? {} : { PLUGIN_ROOT: root };
    return [{ id, enabled: objectOr(state)?.enabled !== false, file, root, env }];
  });
}

/** The newest, where an earlier version was left. */
function copyOf(id: string, cache: string): string | undefined {
  const [name = '', marketplace = ''] = id.split('@');
  const folder = join(cache, marketplace, name);
  const versions = attempt(() => readdirSync(folder)) ?? [];
  const [newest] = versions.sort((one, other) => other.localeCompare(one, 'en', { numeric: true }));
  return newest === undefined ? undefined : join(folder, newest);
}
