/** Mistakes for which Claude Code silently ignores a whole settings file, or runs no hook of it. */
import { z } from 'zod';

const entry = z.looseObject(
  {
    type: z.enum(['command', 'http', 'mcp_tool', 'prompt', 'agent'], isNot('no type of hook')),
    timeout: z.number(isNot('no number of seconds')).optional(),
    // With any other value client 2.1.330 ignores the file.
    onFailure: z.enum(['block', 'continue'], isNot('neither "block" nor "continue"')).optional(),
  },
  'is no object',
);
const group = z.looseObject(
  {
    matcher: z.string('is no text').optional(),
    hooks: z.array(entry, 'is no list'),
  },
  'is no object',
);
const events = z.record(z.string(), z.array(group, 'is no list'), '`hooks` is no object');
const settings = z.looseObject({ hooks: events.optional() }, 'the settings are no object');

function isNot(what: string) {
  const shown = (it: unknown) => (it === undefined ? 'nothing' : JSON.stringify(it).slice(0, 40));
  return { error: ({ input }: { readonly input?: unknown }) => `${shown(input)} is ${what}` };
}

/**
 * Each with its place in the file: `hooks.Stop[0].hooks[1]: …`.
 *
 * @param value what JSON.parse made of the file.
 */
export function settingsProblems(value: unknown): string[] {
  const { error } = settings.safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) =>
    path.length < 2 ? message : `${placeOf(path)}: ${message}`,
  );
}

function placeOf([first, ...rest]: readonly PropertyKey[]): string {
  const steps = rest.map((it) => (typeof it === 'number' ? `[${it}]` : `.${String(it)}`));
  return [String(first), ...steps].join('');
}
