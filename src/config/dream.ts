/** The user's own setting of `lanehold dream`; a repository has no say in it. */
import type { Environment } from '../environment.ts';
import { homeOf } from '../store/home.ts';
import { isJsonObject, parsedJson } from '../text/json.ts';
import { userConfigText } from './user-config.ts';

export interface DreamPolicy {
  /** `auto`: notes are changed without being asked. What cannot be read changes nothing. */
  readonly value: 'suggest' | 'auto';
  readonly isSet: boolean;
}

export function dreamPolicy(env: Environment): DreamPolicy {
  const text = userConfigText(homeOf(env).config);
  const file = text === undefined ? undefined : parsedJson(text.replace(/^\uFEFF/, ''));
  const recall = isJsonObject(file) && isJsonObject(file.recall) ? file.recall : {};
  return { value: recall.dream === 'auto' ? 'auto' : 'suggest', isSet: recall.dream !== undefined };
}
