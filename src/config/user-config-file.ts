/** Reads and changes the text of the user's `config.json`. */
import { ExplainedError } from '../errors.ts';
import { removeKey, setValue } from '../text/json-text.ts';
import { checkedFile, type Problems } from './checked-file.ts';
import type { PolicySettings } from './policy.ts';
import { toPolicySettings } from './policy-file.ts';
import { userConfigKeys, userConfigSchema } from './schema.ts';
import type { WrittenUserLanes } from './schema-lanes.ts';

class UserConfigError extends ExplainedError {
  override readonly code = 'USER_CONFIG';
  readonly problems: Problems;

  constructor(fileName: string, problems: Problems) {
    const [{ line, column, message, hint }] = problems;
    super(`${fileName}:${line}:${column}: ${message}`, hint === undefined ? {} : { hint });
    this.problems = problems;
  }
}

const SHAPE = { schema: userConfigSchema, knownKeys: userConfigKeys };

/** @throws {UserConfigError} with all problems of the file. */
export function parseUserConfig(text: string, fileName: string): PolicySettings {
  return toPolicySettings(checkedConfig(text, fileName).gate ?? {});
}

/** Its settings for lanes, as written. @throws {UserConfigError} */
export function parseUserLanes(text: string, fileName: string): WrittenUserLanes {
  return checkedConfig(text, fileName).lanes ?? {};
}

function checkedConfig(text: string, fileName: string) {
  return checkedFile(text, SHAPE, (problems) => {
    throw new UserConfigError(fileName, problems);
  });
}

/** The parts of a key such as `gate.kinds.push`. */
type Key = readonly [string, ...string[]];

/**
 * The text with one value set, or removed if it is `undefined`; all other text stays as it is.
 *
 * @throws {UserConfigError} if the text is not valid before or after the change.
 */
export function editUserConfig(
  text: string | undefined,
  key: Key,
  value: unknown,
  fileName: string,
): string {
  const before = text === undefined || text.trim() === '' ? '{}\n' : text;
  parseUserConfig(before, fileName);
  const after = value === undefined ? removeKey(before, key) : setValue(before, key, value);
  parseUserConfig(after, fileName);
  return after;
}
