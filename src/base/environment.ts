/** Set for all processes of a lane, with their purpose. */
export const STAGE_VARIABLE = 'LANEHOLD_STAGE';

/** The variables that are set, in the form that a program gets. */
export function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
