/** Set for all processes of a lane, with their purpose. */
export const STAGE_VARIABLE = 'LANEHOLD_STAGE';

/** The variables that are set, in the form that a program gets. */
export function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  const defined: [string, string][] = [];
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined) defined.push([name, value]);
  }
  return Object.fromEntries(defined);
}
