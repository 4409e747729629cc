/** The user's own settings, `config.json` in lanehold's home: what holds in every project. */
import { readFileSync } from 'node:fs';
import { codeOf } from '../errors.ts';
import type { Home } from '../store/home.ts';
import type { Store } from '../store/open.ts';
import { registryFileStore } from '../store/registry-files.ts';
import type { PolicySettings } from './policy.ts';
import type { WrittenUserLanes } from './schema-lanes.ts';

/**
 * @throws {UserConfigError} if the file cannot be understood: half of a policy would be a guess.
 */
export async function userSettings({ store }: { readonly store: Store }): Promise<PolicySettings> {
  const { config } = store.home;
  const text = userConfigText(config);
  if (text === undefined) return {};
  // As with lanehold.json: what was valid before, to the byte, is valid.
  const known = registryFileStore(store).find(config, text);
  if (known !== undefined) return JSON.parse(known);
  const { parseUserConfig } = await import('./user-config-file.ts');
  const settings = parseUserConfig(text, config);
  store.write(() => registryFileStore(store).put(config, text, JSON.stringify(settings)));
  return settings;
}

/** What the user has set for lanes. No hook asks for it. @throws {UserConfigError} */
export async function userLanes({ config }: Pick<Home, 'config'>): Promise<WrittenUserLanes> {
  const text = userConfigText(config);
  if (text === undefined) return {};
  const { parseUserLanes } = await import('./user-config-file.ts');
  return parseUserLanes(text, config);
}

/** `undefined` if there is none. */
export function userConfigText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
