/** Reads and changes the text of the user's `config.json`. */
import { type KeyPath, removeKey, setValue } from '../text/json-text.ts';
import { checkedFile, SettingsFileError } from './checked-file.ts';
import type { PolicySettings } from './policy.ts';
import { toPolicySettings } from './policy-file.ts';
import { userConfigKeys, userConfigSchema } from './schema.ts';
import type { WrittenUserLanes } from './schema-lanes.ts';

class UserConfigError extends SettingsFileError {
  override readonly code = 'USER_CONFIG';
}

const SHAPE = { schema: userConfigSchema, knownKeys: userConfigKeys, Refusal: UserConfigError };

/** @throws {UserConfigError} with all problems of the file. */
export function parseUserConfig(text: string, fileName: string): PolicySettings {
  return toPolicySettings(checkedFile(text, SHAPE, fileName).gate ?? {});
}

/** Its settings for lanes, as written. @throws {UserConfigError} */
export function parseUserLanes(text: string, fileName: string): WrittenUserLanes {
  return checkedFile(text, SHAPE, fileName).lanes ?? {};
}

/**
 * The text with one value set, or removed if it is `undefined`; all other text stays as it is.
 *
 * @param key such as `gate.kinds.push`, in its parts.
 * @throws {UserConfigError} if the text is not valid before or after the change.
 */
export function editUserConfig(
  text: string | undefined,
  key: KeyPath,
  value: unknown,
  fileName: string,
): string {
  const before = text === undefined || text.trim() === '' ? '{}\n' : text;
  parseUserConfig(before, fileName);
  const after = value === undefined ? removeKey(before, key) : setValue(before, key, value);
  parseUserConfig(after, fileName);
  return after;
}
