/** The user's settings for all projects, `config.json` in lanehold's home. */
import { readFileSync } from 'node:fs';
import type { Store } from '../../store/open.ts';
import { registryFileStore } from '../../store/projects.ts';
import { codeOf } from '../errors.ts';
import type { Home } from '../files/home.ts';
import type { PolicySettings } from './policy.ts';
import type { WrittenUserLanes } from './schema-lanes.ts';

/**
 * @throws {UserConfigError} if the file is not valid: no part of it is used then.
 */
export async function userSettings({ store }: { readonly store: Store }): Promise<PolicySettings> {
  const { config } = store.home;
  const text = userConfigText(config);
  if (text === undefined) return {};
  // As with lanehold.json: the same bytes were valid before and need not be checked again.
  const known = registryFileStore(store).find(config, text);
  if (known !== undefined) return JSON.parse(known);
  const { parseUserConfig } = await import('./files.ts');
  const settings = parseUserConfig(text, config);
  store.write(() => registryFileStore(store).put(config, text, JSON.stringify(settings)));
  return settings;
}

/** The user's settings for lanes; not cached, because no hook needs them. @throws {UserConfigError} */
export async function userLanes({ config }: Pick<Home, 'config'>): Promise<WrittenUserLanes> {
  const text = userConfigText(config);
  if (text === undefined) return {};
  const { parseUserLanes } = await import('./files.ts');
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
