/** The text of a payload and its words, for answers where nothing could be parsed. */
import { isJsonObject, parsedJson } from './json.ts';

export interface RawPayload {
  /** The keys that lead to a command; several where events differ: `[['tool_input', 'command']]`. */
  readonly commands: readonly (readonly [string, ...string[]])[];
  /** What stands right before the first of these keys if the tool only edits files. */
  readonly edits: readonly string[];
  /** The keys under which the answer of a tool stands, where the agent sends it; the first that is there counts. */
  readonly outputs?: readonly string[];
}

/**
 * The part of a payload that a command would be in: all of it if that cannot be told, nothing if
 * the tool edits, because an edit releases nothing, whatever words the file contains. The name of
 * the tool stands right before its input, after all that a session could make up.
 */
export function commandPart(payload: string, { commands, edits }: RawPayload): string {
  const parsed = parsedJson(payload);
  const [command] = commands.flatMap((keys) => commandAt(parsed, keys) ?? []);
  if (command !== undefined) return command;
  const places = commands.map(([key]) => payload.indexOf(JSON.stringify(key)));
  const at = Math.min(...places.filter((it) => it !== -1));
  if (at === Number.POSITIVE_INFINITY) return payload;
  const before = payload.slice(0, at);
  return edits.some((it) => before.endsWith(it)) ? '' : payload.slice(at);
}

/** Without what is said about it: a description may well speak of a release. */
function commandAt(payload: unknown, keys: readonly string[]): string | undefined {
  let value = payload;
  for (const key of keys) {
    // Where an object was expected, a text is the command itself.
    if (typeof value === 'string') return value;
    value = isJsonObject(value) ? value[key] : undefined;
  }
  return typeof value === 'string' ? value : undefined;
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
