/**
 * This package as a plugin that an agent's own command installs. The hooks of a plugin start a script of sh beside
 * them, because a clone contains nothing that was built, and a client may run a copy.
 */
import type { InstalledHook } from '../install.ts';
import type { LineOf } from './agent-install.ts';
import { groupedHooks } from './grouped-hooks.ts';
import { hooksText, type WantedHook } from './json-hooks.ts';

export const PLUGIN = 'lanehold';

/** The path of the script below the root of the package. */
export const PLUGIN_SCRIPT = 'hooks/lanehold-plugin.sh';

export const PLUGIN_ABOUT =
  'Holds back what an agent pushes and publishes until every affected feature is verified';

/** A JSON file of a plugin, or of its marketplace. */
export const jsonText = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

/**
 * The file of a plugin with its hooks.
 *
 * @param root a word of sh for the folder of the plugin, which can be in double quotes: `${ROOT}`.
 */
export function pluginHooksText(
  wanted: (lineOf: LineOf) => readonly WantedHook[],
  root: string,
  agent: string,
): string {
  const script = `"${root}/${PLUGIN_SCRIPT}"`;
  const start = `[ -f ${script} ] || exit 0; exec /bin/sh ${script}`;
  return hooksText(wanted((event) => `${start} ${event} --agent ${agent}`));
}

export function pluginHooks(text: string): readonly InstalledHook[] {
  return groupedHooks(text).flatMap(({ event, handler: { command, timeout } }) =>
    typeof command === 'string'
      ? [{ event, line: command, timeout: typeof timeout === 'number' ? timeout : undefined }]
      : [],
  );
}
