/** Mistakes for which Claude Code silently ignores a whole settings file, or runs no hook of it. */

/** One mistake, with its place in the file: `hooks.Stop[0].hooks[1]: …`. */
export type Problem = string;

const HOOK_TYPES = ['command', 'http', 'mcp_tool', 'prompt', 'agent'];
/** With any other value client 2.1.330 ignores the file. */
const ON_FAILURE = ['block', 'continue'];

type JsonObject = Readonly<Record<string, unknown>>;

/** @param settings what JSON.parse made of the file. */
export function settingsProblems(settings: unknown): Problem[] {
  if (!isObject(settings)) return ['the settings are no object'];
  const hooks = settings.hooks;
  if (hooks === undefined) return [];
  if (!isObject(hooks)) return ['`hooks` is no object'];
  return Object.entries(hooks).flatMap(([event, groups]) =>
    Array.isArray(groups)
      ? groups.flatMap((group, index) => groupProblems(`hooks.${event}[${index}]`, group))
      : [`hooks.${event}: is no list`],
  );
}

function groupProblems(place: string, group: unknown): Problem[] {
  if (!isObject(group)) return [`${place}: is no object`];
  const matcher = group.matcher;
  const problems =
    matcher === undefined || typeof matcher === 'string' ? [] : [`${place}.matcher: is no text`];
  if (!Array.isArray(group.hooks)) return [...problems, `${place}.hooks: is no list`];
  const entries = group.hooks.flatMap((entry, index) =>
    entryProblems(`${place}.hooks[${index}]`, entry),
  );
  return [...problems, ...entries];
}

function entryProblems(place: string, entry: unknown): Problem[] {
  if (!isObject(entry)) return [`${place}: is no object`];
  const { type, timeout, onFailure } = entry;
  const problems: Problem[] = [];
  if (!HOOK_TYPES.includes(String(type))) {
    problems.push(`${place}.type: ${shown(type)} is no type of hook`);
  }
  if (timeout !== undefined && typeof timeout !== 'number') {
    problems.push(`${place}.timeout: ${shown(timeout)} is no number of seconds`);
  }
  if (onFailure !== undefined && !ON_FAILURE.includes(String(onFailure))) {
    problems.push(`${place}.onFailure: ${shown(onFailure)} is neither "block" nor "continue"`);
  }
  return problems;
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 40);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
