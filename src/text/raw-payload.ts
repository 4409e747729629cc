/** The text of a payload and its words, for answers where nothing could be parsed. */
import { isJsonObject, parsedJson } from './json.ts';

export interface RawPayload {
  /** The key before the tool's input: `"tool_input"`. */
  readonly input: string;
  /** What stands right before that key if the tool only edits files. */
  readonly edits: readonly string[];
}

/**
 * The part of a payload that a command would be in: all of it if that cannot be told, nothing if
 * the tool edits, because an edit releases nothing, whatever words the file contains. The name of
 * the tool stands right before its input, after all that a session could make up.
 */
export function commandPart(payload: string, { input, edits }: RawPayload): string {
  const command = commandOf(parsedJson(payload), JSON.parse(input));
  if (command !== undefined) return command;
  const at = payload.indexOf(input);
  if (at === -1) return payload;
  const before = payload.slice(0, at);
  return edits.some((it) => before.endsWith(it)) ? '' : payload.slice(at);
}

/** Without what is said about it: a description may well speak of a release. */
function commandOf(payload: unknown, key: string): string | undefined {
  const given = isJsonObject(payload) ? payload[key] : undefined;
  const command = isJsonObject(given) ? given.command : given;
  return typeof command === 'string' ? command : undefined;
}

/**
 * Nearly every command that makes work leave the machine contains one of these words. They decide only
 * where the command cannot be read or lanehold itself fails; alone they make no boundary. Lower-case
 * letters only, so that a shell pattern can be made of them.
 */
export const RELEASE_WORDS: readonly string[] = [
  'push',
  'publish',
  'deploy',
  'release',
  'upload',
  'apply',
  'merge',
  'promote',
  'rollout',
];

const WHOLE_WORD = new RegExp(`(?<![a-z])(?:${RELEASE_WORDS.join('|')}|ship)(?![a-z])`, 'i');

/** True if one of the release words, or `ship`, stands in the text as a whole word. */
export function hasReleaseWord(text: string): boolean {
  return WHOLE_WORD.test(text);
}
