/** Reads the little that discovery needs from manifests; an odd one says nothing, and never throws. */

/** Larger manifests are generated, or hostile. */
const MAX_LENGTH = 1_000_000;

export type ReadFile = (path: string) => string | undefined;

export function readManifest(readFile: ReadFile, path: string): string {
  const text = readFile(path);
  return text === undefined || text.length > MAX_LENGTH ? '' : text;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

export const asTexts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

export function jsonObject(text: string): JsonObject {
  try {
    return asObject(JSON.parse(text.replace(/^\uFEFF/, '')));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** The lines of one table of a TOML file, `[[name]]` too; `''` are the lines before the first. */
export function tomlTable(text: string, name: string): string {
  const lines: string[] = [];
  let table = '';
  for (const line of text.split('\n')) {
    const header = /^\s{0,8}\[{1,2}([^\]]{1,200})\]{1,2}\s*(?:#.*)?$/.exec(line);
    if (header) table = header[1]?.trim() ?? '';
    else if (table === name) lines.push(line);
  }
  return lines.join('\n');
}

export function tomlText(table: string, key: string): string {
  return entries(table, key).match(/^\s*["']([^"'\n]*)["']/)?.[1] ?? '';
}

export function tomlTexts(table: string, key: string): readonly string[] {
  const list = entries(table, key).match(/^\s*\[([^\]]*)\]/)?.[1] ?? '';
  const uncommented = list.replace(/#.*/g, '');
  return Array.from(uncommented.matchAll(/["']([^"'\n]+)["']/g), ([, item]) => item ?? '');
}

/** What follows `key =` in a table. */
function entries(table: string, key: string): string {
  const start = table.search(new RegExp(`^[ \\t]*${key}[ \\t]*=`, 'm'));
  return start === -1 ? '' : table.slice(table.indexOf('=', start) + 1);
}

/** The keys of a TOML table, without what a dot separates: `serde.workspace = true` is `serde`. */
export const tomlKeys = (table: string): readonly string[] =>
  Array.from(
    table.matchAll(/^[ \t]*["']?([\w-]+)["']?(?:\.[\w-]+)?[ \t]*=/gm),
    ([, key]) => key ?? '',
  );

/** The items of a list at the top level of a YAML file, written as `- item` lines. */
export function yamlList(text: string, key: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => line.trimEnd() === `${key}:`);
  if (start === -1) return [];
  const items: string[] = [];
  for (const line of lines.slice(start + 1)) {
    const item = /^\s*-\s+(?:"([^"]*)"|'([^']*)'|([^\s#]+))/.exec(line);
    if (item) items.push(item[1] ?? item[2] ?? item[3] ?? '');
    else if (/^\S/.test(line) && !line.startsWith('#')) break;
  }
  return items;
}
