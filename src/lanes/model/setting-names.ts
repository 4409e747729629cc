/** The settings of lanes by their names in files and on the command line. Pure. */
import type { WrittenUserLanes } from '../../config/schema-lanes.ts';
import { isJsonObject } from '../../text/json.ts';

const LIMITS = ['turns', 'time', 'tokens', 'usd'];

export const LANE_SETTING_NAMES: readonly string[] = [
  ...[
    'agent',
    'workers',
    'templates',
    'opposite',
    'parallel',
    'attempts',
    'validate',
    'setup',
    'setupCache',
  ],
  ...['ports', 'timeout', 'stall', 'onStall', 'checkpoint'],
  ...['budget', 'runBudget', 'dayBudget'].flatMap((it) => LIMITS.map((limit) => `${it}.${limit}`)),
  ...['worktrees', 'slots.worker', 'slots.validate', 'slots.setup'],
].map((name) => `lanes.${name}`);

/** Settings whose names the user chooses: workers and templates, their settings, the opposite of an agent. */
const NAMED =
  /^lanes\.(?:opposite\.[a-z0-9][a-z0-9_-]*|workers\.[a-z0-9][a-z0-9_-]*(?:\.(?:adapter|command|program|model|effort|permissions|args|account))?|templates\.[a-z0-9][a-z0-9_-]*(?:\.(?:desc|notes|agent|model|effort|touches|reads|needs|validate|setup))?)$/;

export const isLaneSetting = (name: string): boolean =>
  LANE_SETTING_NAMES.includes(name) || NAMED.test(name);

/** The value of a setting in its written form; `null` if it is not set. */
export function laneSettingNamed(name: string, lanes: WrittenUserLanes): unknown {
  let here: unknown = lanes;
  for (const step of name.split('.').slice(1)) {
    here = isJsonObject(here) && Object.hasOwn(here, step) ? here[step] : null;
  }
  return here ?? null;
}
