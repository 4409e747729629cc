/** What the plugins of several clients have in common: their name, and the line of a hook. */
import type { EventName } from '../types.ts';

export const PLUGIN = 'lanehold';

/** Below the root of the package. */
export const PLUGIN_SCRIPT = 'hooks/lanehold-plugin.sh';

export const PLUGIN_ABOUT =
  'Holds back what an agent pushes and publishes until every affected feature is verified';

/** @param root a word of sh for the folder of the plugin, that may stand in double quotes: `${ROOT}`. */
export function pluginLine(root: string, event: EventName, agent: string): string {
  const script = `"${root}/${PLUGIN_SCRIPT}"`;
  return `[ -f ${script} ] || exit 0; exec /bin/sh ${script} ${event} --agent ${agent}`;
}
