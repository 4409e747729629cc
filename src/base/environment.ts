/** Variables of an environment, handed to whatever needs them: only entry points read `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Set for all processes of a lane: what they are for. */
export const STAGE_VARIABLE = 'LANEHOLD_STAGE';

/** The variables that are set, as programs are given them. */
export function definedOnly(env: Environment): Record<string, string> {
  const defined: [string, string][] = [];
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined) defined.push([name, value]);
  }
  return Object.fromEntries(defined);
}
