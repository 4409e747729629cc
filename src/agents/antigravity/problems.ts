import { isJsonObject, parsedObject } from '../../base/text/json.ts';

/** The mistakes of a file. Antigravity ignores a file with one mistake, and says so only in its log. */
export function problems(text: string): string[] {
  const file = parsedObject(text);
  if (file === undefined) return ['it is no JSON object'];
  return Object.entries(file).flatMap(([name, hooks]) => {
    if (!isJsonObject(hooks)) return [`${name}: is no object`];
    const { enabled, ...events } = hooks;
    const isSwitch = enabled === undefined || typeof enabled === 'boolean';
    return [
      ...(isSwitch ? [] : [`${name}.enabled: is neither true nor false`]),
      ...Object.entries(events).flatMap(([event, list]) =>
        timeoutProblems(`${name}.${event}`, list),
      ),
    ];
  });
}

function timeoutProblems(place: string, value: unknown): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((it, at) => timeoutProblems(`${place}[${at}]`, it));
  }
  if (!isJsonObject(value)) return [];
  const { timeout, hooks = [] } = value;
  const isWhole = timeout === undefined || Number.isInteger(timeout);
  const own = isWhole ? [] : [`${place}.timeout: is no whole number of seconds`];
  return [...own, ...timeoutProblems(`${place}.hooks`, hooks)];
}
