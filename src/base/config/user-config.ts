/** The user's settings for all projects, `config.json` in lanehold's home. */
import { readFileSync } from 'node:fs';
import { codeOf } from '../errors.ts';
import type { Home } from '../files/home.ts';
import type { WrittenUserLanes } from './schema-lanes.ts';

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
