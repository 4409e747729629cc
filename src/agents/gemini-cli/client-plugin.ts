/**
 * A folder of this package as an extension that the client's own command installs. It cannot be the package
 * itself: the client reads `hooks/hooks.json` of an extension, which there is for other clients. `lanehold install`
 * writes an extension of another name.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { parsedObject } from '../../base/text/json.ts';
import type { ClientPlugin, InstalledPlugin, Place } from '../install.ts';
import { PLUGIN_ABOUT, pluginLine } from '../kit/client-plugin.ts';
import type { LineOf } from '../kit/entries.ts';
import { hooksText, type WantedHook } from '../kit/json-hooks.ts';

export const PLUGIN_EXTENSION = 'lanehold-plugin';
const HOOKS = 'hooks/hooks.json';
// biome-ignore lint/suspicious/noTemplateCurlyInString: the client puts the folder there.
const FOLDER = '${extensionPath}';

interface Settings {
  extensionsFolder(place: Place): string;
  hooksOf(lineOf: LineOf): readonly WantedHook[];
  /** Whether the client's list of extensions, as text, leaves this one out. */
  isSwitchedOff(enablement: string): boolean;
}

export function clientPlugin(settings: Settings): ClientPlugin {
  return {
    id: PLUGIN_EXTENSION,
    folder: 'gemini-extension',
    files: (version) => ({
      'gemini-extension.json': `${JSON.stringify({ name: PLUGIN_EXTENSION, version, description: PLUGIN_ABOUT }, undefined, 2)}\n`,
      [HOOKS]: hooksText(settings.hooksOf((it) => pluginLine(FOLDER, it, 'gemini-cli'))),
    }),
    hooks: HOOKS,
    commands: {
      install: 'gemini extensions install',
      enable: 'gemini extensions enable',
      remove: 'gemini extensions uninstall',
    },
    installed: (place) => installed(place, settings),
  };
}

function installed(
  place: Place,
  { extensionsFolder, isSwitchedOff }: Settings,
): readonly InstalledPlugin[] {
  const folder = join(extensionsFolder(place), PLUGIN_EXTENSION);
  if (!existsSync(folder)) return [];
  const file = join(extensionsFolder(place), 'extension-enablement.json');
  const enablement = attempt(() => readFileSync(file, 'utf8')) ?? '{}';
  const root = linked(folder) ?? folder;
  return [
    {
      id: PLUGIN_EXTENSION,
      enabled: !isSwitchedOff(enablement),
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
