/**
 * Files of tasks and settings as data. A parser is loaded when such a file is met, by name, since a
 * reading is synchronous and most commands need none.
 */
import { isJsonObject, type JsonObject } from '../../base/text/json.ts';

export type Format = 'json' | 'toml' | 'yaml' | 'ini';

const load = (name: string) =>
  process.getBuiltinModule('node:module').createRequire(`${import.meta.dirname}/`)(name);

/** `undefined` if the text is not of that format: the program that reads it stops there as well. */
export function parsedAs(format: Format, text: string): JsonObject | undefined {
  try {
    const value: unknown = PARSERS[format](text);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof Error && !('code' in error && error.code === 'MODULE_NOT_FOUND')) {
      return undefined;
    }
    throw error;
  }
}

export function formatOf(file: string): Format {
  if (/\.ya?ml$/.test(file)) return 'yaml';
  if (/\.jsonc?$/.test(file)) return 'json';
  if (/\.(?:ini|cfg)$/.test(file)) return 'ini';
  return 'toml';
}

/** Aliases of YAML that unfold to more than this are refused: they may grow without bound. */
const MOST_ALIASES = 100;

const PARSERS: Readonly<Record<Format, (text: string) => unknown>> = {
  json: (text) => {
    const { parse }: typeof import('jsonc-parser') = load('jsonc-parser');
    return parse(text, [], { allowTrailingComma: true });
  },
  toml: (text) => {
    const { parse }: typeof import('smol-toml') = load('smol-toml');
    return parse(text);
  },
  yaml: (text) => {
    const { parse }: typeof import('yaml') = load('yaml');
    return parse(text, { maxAliasCount: MOST_ALIASES, logLevel: 'silent' });
  },
  ini: sections,
};

/** `[testenv:x]` is `x` in `testenv`; a value goes on while lines are indented. */
function sections(text: string): JsonObject {
  const all: Record<string, Record<string, unknown>> = {};
  let section: Record<string, unknown> = {};
  let lines: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const header = /^\[([^\]:]*):?([^\]]*)\]/.exec(line);
    const entry = /^([\w.-]+)\s*[=:]\s*(.*)$/.exec(line);
    if (header) {
      const [, group = '', name = ''] = header;
      section = {};
      all[group] = { ...all[group], [name]: section };
    } else if (entry) {
      lines = [entry[2] ?? ''];
      section[entry[1] ?? ''] = lines;
    } else if (/^\s+[^#\s]/.test(line)) lines.push(line.trim());
  }
  return all;
}
