/** How long what is recorded is kept: the user's own settings, or these. */
import type { Environment } from '../environment.ts';
import { homeOf } from '../files/home.ts';
import { isJsonObject, parsedJson } from '../text/json.ts';
import { parseAge } from '../text/time.ts';
import { userConfigText } from './user-config.ts';

/** Ages, or `forever`. Notes are always kept. */
const DEFAULTS = { keepEvents: '90d', keepSuggestions: '90d', keepSummaries: '365d' } as const;

export type Retention = Readonly<Record<keyof typeof DEFAULTS, string>>;
export const RETENTION_SETTINGS = Object.keys(DEFAULTS) as (keyof Retention)[];

/** A setting that cannot be read keeps everything. */
export function retentionOf(env: Environment): Retention & { readonly set: readonly string[] } {
  const text = userConfigText(homeOf(env).config);
  if (!text?.includes('"keep')) return { ...DEFAULTS, set: [] };
  const file = parsedJson(text.replace(/^\uFEFF/, ''));
  const recall = isJsonObject(file) && isJsonObject(file.recall) ? file.recall : undefined;
  const entries = RETENTION_SETTINGS.map((name) => {
    const written = recall === undefined ? 'forever' : (recall[name] ?? DEFAULTS[name]);
    const isKnown = typeof written === 'string' && parseAge(written) !== undefined;
    return [name, isKnown ? written : 'forever'] as const;
  });
  const set = RETENTION_SETTINGS.filter((name) => recall?.[name] !== undefined);
  return { ...(Object.fromEntries(entries) as Retention), set };
}
