/** The user's settings of the gate, as they were checked before. */
import type { PolicySettings } from '../base/config/policy.ts';
import { userConfigText } from '../base/config/user-config.ts';
import type { Store } from '../store/open.ts';
import { registryFileStore } from '../store/projects.ts';

/** @throws {UserConfigError} if the file is not valid: no part of it is used then. */
export async function userSettings({ store }: { readonly store: Store }): Promise<PolicySettings> {
  const { config } = store.home;
  const text = userConfigText(config);
  if (text === undefined) return {};
  // As with lanehold.json: the same bytes were valid before and need not be checked again.
  const known = registryFileStore(store).find(config, text);
  if (known !== undefined) return JSON.parse(known);
  const { parseUserConfig } = await import('../base/config/files.ts');
  const settings = parseUserConfig(text, config);
  store.writeApart(() => registryFileStore(store).put(config, text, JSON.stringify(settings)));
  return settings;
}
