/**
 * This package as a plugin of Codex, and what the client has recorded of it. The client runs a copy, and skips
 * the hooks in it until a person has trusted them; it asks anew whenever a file of the copy changes. It takes
 * marketplaces of the form that other clients have as well.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { attempt } from '../../base/errors.ts';
import { objectOr } from '../../base/text/json.ts';
import type { ClientPlugin, InstalledPlugin, Place } from '../install.ts';
import { PLUGIN, PLUGIN_ABOUT, pluginLine } from '../kit/client-plugin.ts';
import type { LineOf } from '../kit/entries.ts';
import { hooksText, type WantedHook } from '../kit/json-hooks.ts';
import { hookKeys, trustOf } from './trust.ts';

/** Named in the manifest: `hooks/hooks.json` is for other clients. */
const HOOKS = 'hooks/codex-hooks.json';

interface Settings {
  configFile(place: Place): string;
  hooksOf(lineOf: LineOf): readonly WantedHook[];
  readonly howToTrust: string;
}

export function clientPlugin({ configFile, hooksOf, howToTrust }: Settings): ClientPlugin {
  return {
    id: `${PLUGIN}@${PLUGIN}`,
    files: (version) => ({
      '.codex-plugin/plugin.json': `${JSON.stringify(manifest(version), undefined, 2)}\n`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the client or the shell puts its folder there.
      [HOOKS]: hooksText(hooksOf((it) => pluginLine('${PLUGIN_ROOT}', it, 'codex'))),
    }),
    hooks: HOOKS,
    commands: {
      addFolder: 'codex plugin marketplace add',
      install: 'codex plugin add',
      remove: 'codex plugin remove',
    },
    installed: (place) => installed(configFile(place)),
    trust(plugin, place) {
      const config = attempt(() => readFileSync(configFile(place), 'utf8')) ?? '';
      const text = attempt(() => readFileSync(join(plugin.root ?? '', HOOKS), 'utf8')) ?? '{}';
      const state = trustOf(config, hookKeys(`${plugin.id}:${HOOKS}`, text));
      return { state, skips: true, how: howToTrust };
    },
  };
}

const manifest = (version: string): object => ({
  name: PLUGIN,
  version,
  description: PLUGIN_ABOUT,
  skills: './skills/',
  hooks: `./${HOOKS}`,
});

function installed(file: string): readonly InstalledPlugin[] {
  if (!existsSync(file)) return [];
  const settings = attempt(() => parse(readFileSync(file, 'utf8')));
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
