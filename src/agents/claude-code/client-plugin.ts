/**
 * This package as a plugin of Claude Code, and what the client has recorded of it.
 *
 * A plugin from the marketplace of a folder is run from that folder, whatever the client keeps as a copy; one
 * from a repository is run from its copy.
 *
 * @see https://code.claude.com/docs/en/plugins-reference
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { type JsonObject, objectOr, parsedObject } from '../../base/text/json.ts';
import type { ClientPlugin, InstalledPlugin, Place } from '../install.ts';
import { PLUGIN, PLUGIN_ABOUT, pluginLine } from '../kit/client-plugin.ts';
import type { LineOf } from '../kit/entries.ts';
import { hooksText, type WantedHook } from '../kit/json-hooks.ts';

const MANIFEST = '.claude-plugin/plugin.json';
const HOOKS = 'hooks/hooks.json';

interface Settings {
  settingsFolder(place: Place): string;
  settingsFilesInForce(place: Place): readonly string[];
  hooksOf(lineOf: LineOf): readonly WantedHook[];
}

export function clientPlugin(settings: Settings): ClientPlugin {
  return {
    id: `${PLUGIN}@${PLUGIN}`,
    files: (version) => ({
      [MANIFEST]: jsonText({
        name: PLUGIN,
        version,
        description: PLUGIN_ABOUT,
        author: { name: PLUGIN },
        license: 'MIT',
      }),
      '.claude-plugin/marketplace.json': jsonText({
        name: PLUGIN,
        description: PLUGIN_ABOUT,
        owner: { name: PLUGIN },
        // Relative: it is taken from wherever the client has this file from.
        plugins: [{ name: PLUGIN, source: './', description: PLUGIN_ABOUT }],
      }),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the client or the shell puts its folder there.
      [HOOKS]: hooksText(settings.hooksOf((it) => pluginLine('${CLAUDE_PLUGIN_ROOT}', it, NAME))),
    }),
    hooks: HOOKS,
    commands: {
      addFolder: 'claude plugin marketplace add',
      install: 'claude plugin install',
      enable: 'claude plugin enable',
      remove: 'claude plugin uninstall',
    },
    installed: (place) => installed(place, settings),
  };
}

const NAME = 'claude-code';

const jsonText = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** The local settings outdo those of the project, and these the user's. */
function installed(place: Place, settings: Settings): readonly InstalledPlugin[] {
  const folder = join(settings.settingsFolder(place), 'plugins');
  const files = settings.settingsFilesInForce(place);
  const said = [...files].sort((one, other) => rankOf(one) - rankOf(other)).flatMap(pluginsIn);
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
