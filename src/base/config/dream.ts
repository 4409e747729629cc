/** The user's own settings of `lanehold dream`; a repository has no say in them. */
import type { Environment } from '../environment.ts';
import { homeOf } from '../files/home.ts';
import { isJsonObject, parsedJson } from '../text/json.ts';
import { userConfigText } from './user-config.ts';

export interface DreamSettings {
  /** `auto`: notes are changed without being asked. What cannot be read changes nothing. */
  readonly dream: 'suggest' | 'auto';
  /** A command line for a shell; `null`: none is started. */
  readonly dreamer: string | null;
  /** What it may be given and say in 24 hours. */
  readonly dreamTokens: number;
}

const DEFAULTS: DreamSettings = { dream: 'suggest', dreamer: null, dreamTokens: 100_000 };
export const DREAM_SETTINGS = Object.keys(DEFAULTS) as (keyof DreamSettings)[];

export function dreamSettings(
  env: Environment,
): DreamSettings & { readonly set: readonly string[] } {
  const text = userConfigText(homeOf(env).config);
  const file = text === undefined ? undefined : parsedJson(text.replace(/^\uFEFF/, ''));
  const recall = isJsonObject(file) && isJsonObject(file.recall) ? file.recall : {};
  const { dreamer, dreamTokens } = recall;
  return {
    dream: recall.dream === 'auto' ? 'auto' : DEFAULTS.dream,
    dreamer: typeof dreamer === 'string' && dreamer.trim() !== '' ? dreamer : DEFAULTS.dreamer,
    dreamTokens: typeof dreamTokens === 'number' ? dreamTokens : DEFAULTS.dreamTokens,
    set: DREAM_SETTINGS.filter((it) => recall[it] !== undefined),
  };
}
