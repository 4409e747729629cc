/**
 * Reads the text of a `lanehold.json` and changes one feature in it; all other text stays as its
 * authors wrote it. Nothing here writes a file.
 */
import { isDeepStrictEqual } from 'node:util';
import { removeKey, setValue } from '../text/json-text.ts';
import { formatTimeout, parseTimeout } from '../text/time.ts';
import { checkedFile, SettingsFileError } from './checked-file.ts';
import {
  DEFAULT_SMOKE_TIMEOUT_MS,
  type EvidencePolicy,
  type Feature,
  type RegistryFile,
  type SmokeTest,
} from './feature.ts';
import { toPolicySettings } from './policy-file.ts';
import {
  badNameIssue,
  registryFileSchema,
  registryKeys,
  SCHEMA_URL,
  type WrittenFeature,
  type WrittenSmokeTest,
} from './schema.ts';

export class RegistryFileError extends SettingsFileError {
  override readonly code = 'REGISTRY_FILE';
}

/**
 * Returns the content of a `lanehold.json` with all defaults filled in. Names in `dependsOn` are not
 * checked here, because they may be local features.
 *
 * @param fileName name of the file in messages.
 * @throws {RegistryFileError} with all problems of the file.
 */
export function parseRegistryFile(text: string, fileName = 'lanehold.json'): RegistryFile {
  const {
    features = {},
    gate = {},
    evidence = {},
    lanes = {},
  } = checkedFile(text, SHAPE, fileName);
  return {
    features: Object.entries(features).map(([name, written]) => toFeature(name, written)),
    gate: toPolicySettings(gate),
    evidence: evidence as Partial<EvidencePolicy>,
    lanes,
  };
}

const SHAPE = {
  schema: registryFileSchema,
  knownKeys: registryKeys,
  Refusal: RegistryFileError,
  moreIssues: skippedNames,
};

/** A feature named `__proto__`: zod's record skips it silently. */
function skippedNames(value: unknown) {
  const features = (value as { features?: unknown } | null)?.features;
  if (typeof features !== 'object' || features === null) return [];
  if (!Object.hasOwn(features, '__proto__')) return [];
  return [badNameIssue('__proto__')];
}

function toFeature(name: string, written: WrittenFeature): Feature {
  return {
    name,
    files: written.files,
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

/** `./packages/a/` and `packages/a` are the same folder and must give the same evidence. */
function normalFolder(cwd: string): string {
  return cwd
    .split('/')
    .filter((step) => step !== '' && step !== '.')
    .join('/');
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

/**
 * Removes a feature; the text comes back as it was if there is none of that name.
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
const KEYS = ['description', 'files', 'smoke', 'dependsOn'] as const;

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

/** As short as the format allows: what is a default is left out. */
function writtenForm({ description, files, smoke, dependsOn }: Feature): WrittenFeature {
  return {
    ...(description === '' ? {} : { description }),
    files: [...files],
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
