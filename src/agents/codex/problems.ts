import { objectOr, parsedJson } from '../../base/text/json.ts';
import { groupedHooks } from '../kit/grouped-hooks.ts';

/** The mistakes of a file. Codex ignores a file with an unknown key at the top, or a time limit that is no integer. */
export function problems(text: string): string[] {
  const settings = objectOr(parsedJson(text));
  if (settings === undefined) return text.trim() === '' ? [] : ['it is no JSON object'];
  const unknown = Object.keys(settings).filter((it) => !['hooks', 'description'].includes(it));
  return [
    ...unknown.map((it) => `\`${it}\` is no key that it knows`),
    ...groupedHooks(text).flatMap(({ event, handler: { type, timeout } }) => [
      ...(TYPES.includes(String(type)) ? [] : [`hooks.${event}: a hook has no known \`type\``]),
      ...(timeout === undefined || Number.isInteger(timeout)
        ? []
        : [`hooks.${event}: a \`timeout\` is no integer`]),
    ]),
  ];
}

const TYPES = ['command', 'mcp_tool', 'prompt', 'agent'];
