import { lstatSync } from 'node:fs';
import { isJsonObject, parsedObject } from '../../base/text/json.ts';

/** The mistakes for which Cursor's command line ignores the whole file. */
export function problems(text: string, file: string): readonly string[] {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  const { version, hooks } = parsedObject(text) ?? {};
  const lists = isJsonObject(hooks) ? Object.entries(hooks) : [];
  const slashes = lists.flatMap(([event, list]) =>
    (Array.isArray(list) ? list : []).flatMap((entry: unknown, at) => {
      const command = isJsonObject(entry) ? entry.command : undefined;
      if (typeof command !== 'string' || !command.includes('//')) return [];
      return [`hooks.${event}[${at}].command: has \`//\`, which cursor-agent takes for a comment`];
    }),
  );
  return [
    ...(isLink ? ['it is a link, which cursor-agent does not read'] : []),
    ...(version === undefined || version === 1 ? [] : ['version: is not 1']),
    ...slashes,
  ];
}
