/**
 * Reads and edits the text of `lanehold.json` and of the user's `config.json`: a JSON object of a
 * known shape, or a list of problems. An edit leaves all other text as its authors wrote it. Nothing
 * here reads or writes a file.
 */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod/mini';
import { ExplainedError } from '../errors.ts';
import type { Home } from '../files/home.ts';
import { textIfThere } from '../files/text-if-there.ts';
import { parsedJson, withoutByteOrderMark } from '../text/json.ts';
import { type KeyPath, removeKey, setValue } from '../text/json-text.ts';
import { formatTimeout, parseTimeout } from '../text/time.ts';
import {
  DEFAULT_SMOKE_TIMEOUT_MS,
  type EvidencePolicy,
  type Feature,
  normalFolder,
  REGISTRY_FILE,
  type RegistryFile,
  type SmokeTest,
} from './feature.ts';
import { type JsonProblem, scanJson, shapeProblem } from './json-problems.ts';
import type { PolicySettings } from './policy.ts';
import { toPolicySettings } from './policy-file.ts';
import {
  moreIssues,
  registryFileSchema,
  SCHEMA_URL,
  userConfigSchema,
  type WrittenFeature,
  type WrittenSmokeTest,
} from './schema.ts';

/** More than any registry needs, and little enough to read within a hook. */
const MAX_BYTES = 5 * 1024 * 1024;
/** A registry needs five levels; recursive readers fail at about a thousand. */
const MAX_DEPTH = 100;

export interface FileShape<T> {
  readonly schema: z.ZodMiniType<T>;
  readonly Refusal: new (fileName: string, problem: JsonProblem) => SettingsFileError;
  /** Problems that the schema cannot express. */
  readonly moreIssues?: (value: unknown) => readonly z.core.$ZodIssue[];
}

/** A file that cannot be used. No part of it is used, because part of a registry would hold too little. */
export abstract class SettingsFileError extends ExplainedError {
  /** The first thing that is wrong in the file. */
  readonly problem: JsonProblem;

  constructor(fileName: string, problem: JsonProblem) {
    const { line, column, message, hint } = problem;
    super(`${fileName}:${line}:${column}: ${message}`, { hint });
    this.problem = problem;
  }
}

/** @throws {SettingsFileError} of the class in the shape. */
export function checkedFile<T>(text: string, shape: FileShape<T>, fileName: string): T {
  const fail = (message: string, hint?: string): never =>
    refuse({ line: 1, column: 1, message, hint });
  const refuse = (problem: JsonProblem): never => {
    throw new shape.Refusal(fileName, problem);
  };

  const json = withoutByteOrderMark(text);
  if (Buffer.byteLength(json) > MAX_BYTES) return fail('the file is over 5 MB');
  if (json.trim() === '') return fail('the file is empty', 'write `{}` into it');
  const { isTooDeep, duplicate, syntax } = scanJson(json, MAX_DEPTH);
  if (isTooDeep) return fail(`it nests deeper than ${MAX_DEPTH} levels`);

  const value = parsedJson(json);
  if (value === undefined) return syntax ? refuse(syntax) : fail('this is not valid JSON');
  if (duplicate !== undefined) return refuse(duplicate);
  const result = shape.schema.safeParse(value);
  const issues = [...(result.error?.issues ?? []), ...(shape.moreIssues?.(value) ?? [])];
  if (result.success && issues.length === 0) return result.data;
  const problem = shapeProblem(json, value, issues, shape.schema);
  return problem ? refuse(problem) : fail('it cannot be used');
}

export class RegistryFileError extends SettingsFileError {
  override readonly code = 'REGISTRY_FILE';
}

/**
 * Returns the content of a `lanehold.json` with all defaults filled in. Names in `dependsOn` are not
 * checked here, because they may be local features.
 *
 * @param fileName name of the file in messages.
 * @throws {RegistryFileError}
 */
export function parseRegistryFile(text: string, fileName = 'lanehold.json'): RegistryFile {
  const {
    features = {},
    gate = {},
    evidence = {},
    verify,
    lanes = {},
  } = checkedFile(text, REGISTRY_FILE_SHAPE, fileName);
  return {
    features: Object.entries(features).map(([name, written]) => toFeature(name, written)),
    gate: toPolicySettings(gate),
    evidence: evidence as Partial<EvidencePolicy>,
    ...(verify === undefined ? {} : { verify: { ...verify, setup: listed(verify.setup) } }),
    lanes,
  };
}

const listed = (one: string | string[] | undefined): string[] | undefined =>
  typeof one === 'string' ? [one] : one;

const REGISTRY_FILE_SHAPE = {
  schema: registryFileSchema,
  Refusal: RegistryFileError,
  moreIssues,
};

function toFeature(name: string, written: WrittenFeature): Feature {
  return {
    name,
    files: written.files ?? [],
    ...(written.rest && { rest: true }),
    smoke: (written.smoke ?? []).map(toSmokeTest),
    dependsOn: written.dependsOn ?? [],
    description: written.description ?? '',
  };
}

function toSmokeTest(written: string | WrittenSmokeTest): SmokeTest {
  const {
    command,
    timeout,
    cwd = '',
  } = typeof written === 'string' ? { command: written } : written;
  const timeoutMs = timeout === undefined ? undefined : parseTimeout(timeout);
  return { command, timeoutMs: timeoutMs ?? DEFAULT_SMOKE_TIMEOUT_MS, cwd: normalFolder(cwd) };
}

/**
 * Adds a feature, or replaces what differs in the one of the same name.
 *
 * @param text the file as it is, `undefined` when there is none yet.
 * @throws {RegistryFileError} if `text` is no registry, or the feature may not stand in one.
 */
export function setFeature(text: string | undefined, feature: Feature): string {
  const before = text === undefined || text.trim() === '' ? newFile() : text;
  const present = parseRegistryFile(before).features.find(({ name }) => name === feature.name);
  const after = withFeature(before, feature, present);
  parseRegistryFile(after);
  return after;
}

/** Adds files that count for every feature; `undefined` if the file already names some, or there are none. */
export function withAlways(text: string, always: readonly string[]): string | undefined {
  const { gate } = parseRegistryFile(text);
  if (always.length === 0 || gate.always !== undefined) return undefined;
  const after = setValue(text, ['gate', 'always'], always);
  parseRegistryFile(after);
  return after;
}

/** Adds the policy for files of no feature; `undefined` if the file already has it. */
export function withUncovered(text: string | undefined, uncovered: 'ask'): string | undefined {
  const before = text ?? newFile();
  const { gate } = parseRegistryFile(before);
  if (gate.uncovered !== undefined) return undefined;
  return setValue(before, ['gate', 'uncovered'], uncovered);
}

/** Removes the policy that asks about files of no feature: once a feature has the rest, there are none. */
export function withoutAsking(text: string): string {
  const { gate } = parseRegistryFile(text);
  if (gate.uncovered !== 'ask') return text;
  return removeKey(text, Object.keys(gate).length === 1 ? ['gate'] : ['gate', 'uncovered']);
}

/**
 * Removes a feature; the text is unchanged if there is none of that name.
 *
 * @throws {RegistryFileError} if `text` is no registry.
 */
export function removeFeature(text: string, name: string): string {
  const present = parseRegistryFile(text).features.some((feature) => feature.name === name);
  return present ? removeKey(text, ['features', name]) : text;
}

const newFile = (): string =>
  `${JSON.stringify({ $schema: SCHEMA_URL, features: {} }, undefined, 2)}\n`;

/** The keys of a feature, in the order in which they are written. */
const KEYS = ['description', 'files', 'rest', 'smoke', 'dependsOn'] as const;

function withFeature(json: string, feature: Feature, present: Feature | undefined): string {
  const written = writtenForm(feature);
  const place = ['features', feature.name] as const;
  if (present === undefined) return setValue(json, place, written);
  return KEYS.filter((key) => !isDeepStrictEqual(present[key], feature[key])).reduce(
    (text, key) =>
      written[key] === undefined
        ? removeKey(text, [...place, key])
        : setValue(text, [...place, key], written[key]),
    json,
  );
}

/** A feature in its shortest form: defaults are left out. */
function writtenForm({ description, files, rest, smoke, dependsOn }: Feature): WrittenFeature {
  return {
    ...(description === '' ? {} : { description }),
    ...(rest ? { rest } : { files: [...files] }),
    ...(smoke.length === 0 ? {} : { smoke: smoke.map(writtenSmokeTest) }),
    ...(dependsOn.length === 0 ? {} : { dependsOn: [...dependsOn] }),
  };
}

function writtenSmokeTest({ command, timeoutMs, cwd }: SmokeTest): string | WrittenSmokeTest {
  const timeout =
    timeoutMs === DEFAULT_SMOKE_TIMEOUT_MS ? {} : { timeout: formatTimeout(timeoutMs) };
  const folder = cwd === '' ? {} : { cwd };
  const written = { command, ...timeout, ...folder };
  return Object.keys(written).length === 1 ? command : written;
}

class UserConfigError extends SettingsFileError {
  override readonly code = 'USER_CONFIG';
}

const USER_CONFIG_SHAPE = {
  schema: userConfigSchema,
  Refusal: UserConfigError,
};

/** The user's settings as they are written. @throws {UserConfigError} */
export const parseUserFile = (text: string, fileName: string) =>
  checkedFile(text, USER_CONFIG_SHAPE, fileName);

/** Those of the gate. @throws {UserConfigError} */
export const parseUserConfig = (text: string, fileName: string): PolicySettings =>
  toPolicySettings(parseUserFile(text, fileName).gate ?? {});

/** Not cached, because hooks need only those of the gate. @throws {UserConfigError} */
export const userFile = ({ config }: Pick<Home, 'config'>) =>
  parseUserFile(textIfThere(config) ?? '{}', config);

/** What the `lanehold.json` of a working tree keeps from a team. @throws {RegistryFileError} */
export function keptFromTeam(root: string) {
  const file = join(root, REGISTRY_FILE);
  const text = textIfThere(file);
  return text === undefined ? {} : (checkedFile(text, REGISTRY_FILE_SHAPE, file).team?.share ?? {});
}

/**
 * The text with one value set, or removed if it is `undefined`; all other text stays as it is.
 *
 * @param key such as `gate.kinds.push`, in its parts.
 * @throws {UserConfigError} if the text is not valid before or after the change.
 */
export function editUserConfig(
  text: string | undefined,
  key: KeyPath,
  value: unknown,
  fileName: string,
): string {
  const before = text === undefined || text.trim() === '' ? '{}\n' : text;
  parseUserConfig(before, fileName);
  const after = value === undefined ? removeKey(before, key) : setValue(before, key, value);
  parseUserConfig(after, fileName);
  return after;
}
