/** Reads manifests in JSON, TOML and YAML. One that cannot be parsed is taken as empty. */
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import type { JsonObject } from '../../text/json.ts';

/** Larger manifests are generated or hostile, and are not read. */
const MAX_LENGTH = 1_000_000;

export type ReadFile = (path: string) => string | undefined;

export function readManifest(readFile: ReadFile, path: string): string {
  const text = readFile(path);
  return text === undefined || text.length > MAX_LENGTH ? '' : text;
}

export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

export const asTexts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

const parsedBy =
  (parse: (text: string) => unknown) =>
  (readFile: ReadFile, path: string): JsonObject => {
    try {
      return asObject(parse(readManifest(readFile, path).replace(/^\uFEFF/, '')));
    } catch {
      // Besides syntax errors, parsers fail of too many aliases and of nesting that is too deep.
      return {};
    }
  };

export const jsonManifest = parsedBy((text) => JSON.parse(text));
export const tomlManifest = parsedBy(parseToml);
export const yamlManifest = parsedBy((text) => parseYaml(text, { logLevel: 'error' }));
