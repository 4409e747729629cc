/** The text of the user's settings for all projects, `config.json` in lanehold's home. */
import { readFileSync } from 'node:fs';
import { codeOf } from '../errors.ts';

/** The text; `undefined` if there is no file. */
export function userConfigText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
