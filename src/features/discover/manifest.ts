/** The data of discovery: parts of a repository, and its manifests in JSON, TOML and YAML. */
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import {
  DEFAULT_SMOKE_TIMEOUT_MS,
  type Feature,
  type SmokeTest,
} from '../../base/config/feature.ts';
import type { JsonObject } from '../../base/text/json.ts';

/** Larger manifests are generated or hostile, and are not read. */
export const MAX_LENGTH = 5_000_000;

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
      // Besides syntax errors, parsers fail on too many aliases and on nesting that is too deep.
      return {};
    }
  };

export const jsonManifest = parsedBy((text) => JSON.parse(text));
/** The format allows comments and trailing commas. */
export const jsoncManifest = parsedBy((text) => parseJsonc(text, [], { allowTrailingComma: true }));
export const tomlManifest = parsedBy(parseToml);
export const yamlManifest = parsedBy((text) => parseYaml(text, { logLevel: 'error' }));

export const smokeTest = (command: string, cwd = ''): SmokeTest => ({
  command,
  timeoutMs: DEFAULT_SMOKE_TIMEOUT_MS,
  cwd,
});

/** The tests, each command once. */
export const distinct = (smoke: readonly SmokeTest[]): readonly SmokeTest[] => [
  ...new Map(smoke.map((it) => [`${it.cwd} ${it.command}`, it])).values(),
];

/** The files of the repository that a file imports, includes or names, by file. */
export type Imports = ReadonlyMap<string, readonly string[]>;

export interface Sources {
  /** Tracked paths. */
  readonly paths: readonly string[];
  readonly readFile: ReadFile;
}

/** A package, which is a whole folder. */
export interface Package {
  readonly folder: string;
  /** Possible names, best first. */
  readonly names: readonly string[];
  readonly smoke: readonly SmokeTest[];
  readonly script?: string;
  /** Names by which other packages depend on it: ecosystem and package. */
  readonly ids?: readonly string[];
  /** Ids of the packages that it needs. */
  readonly needs?: readonly string[];
  /** The workspace of the root that it is a member of. */
  readonly workspace?: 'javascript' | 'cargo' | undefined;
  readonly because: string;
}

/** A draft for a person or an agent to edit. */
export interface ProposedFeature extends Feature {
  /** The reason for the proposal, as a clause. */
  readonly because: string;
}
