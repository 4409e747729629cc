/** The client silently ignores a settings file of another shape, or runs no hook of it. */
import { isJsonObject, type JsonObject, parsedJson } from '../../base/text/json.ts';

/** The problems, each with its place in the file: `hooks.Stop[0].hooks[1].type: …`. */
export function problems(text: string): string[] {
  const settings = parsedJson(text);
  if (!isJsonObject(settings)) return ['the settings are no object'];
  const { hooks = {} } = settings;
  if (!isJsonObject(hooks)) return ['`hooks` is no object'];
  return Object.entries(hooks).flatMap(([event, groups]) =>
    inList(`hooks.${event}`, groups, ({ matcher = '', hooks: entries }, place) => [
      ...(typeof matcher === 'string' ? [] : [`${place}.matcher: is no text`]),
      ...inList(`${place}.hooks`, entries, inEntry),
    ]),
  );
}

function inList(
  place: string,
  value: unknown,
  each: (it: JsonObject, place: string) => readonly string[],
): readonly string[] {
  if (!Array.isArray(value)) return [`${place}: is no list`];
  return value.flatMap((it: unknown, at) =>
    isJsonObject(it) ? each(it, `${place}[${at}]`) : [`${place}[${at}]: is no object`],
  );
}

const TYPES: readonly unknown[] = ['command', 'http', 'mcp_tool', 'prompt', 'agent'];
// Claude Code 2.1.330 ignores a settings file in which `onFailure` has any other value.
const ON_FAILURE: readonly unknown[] = ['block', 'continue'];

function inEntry({ type, timeout = 0, onFailure = 'block' }: JsonObject, place: string) {
  const shown = (it: unknown) => (it === undefined ? 'nothing' : JSON.stringify(it).slice(0, 40));
  return [
    ...(TYPES.includes(type) ? [] : [`${place}.type: ${shown(type)} is no type of hook`]),
    ...(typeof timeout === 'number'
      ? []
      : [`${place}.timeout: ${shown(timeout)} is no number of seconds`]),
    ...(ON_FAILURE.includes(onFailure)
      ? []
      : [`${place}.onFailure: ${shown(onFailure)} is neither "block" nor "continue"`]),
  ];
}
