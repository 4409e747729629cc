/**
 * Changes one feature in the text of a `lanehold.json` and leaves the rest as its authors wrote it.
 * Nothing here writes a file, and no text is returned that `parseRegistryFile` would refuse.
 */
import { isDeepStrictEqual } from 'node:util';
import { removeKey, setValue } from '../text/json-text.ts';
import { formatTimeout } from '../text/time.ts';
import { DEFAULT_SMOKE_TIMEOUT_MS, type Feature, type SmokeTest } from './feature.ts';
import { parseRegistryFile } from './registry-file.ts';
import { SCHEMA_URL, type WrittenFeature, type WrittenSmokeTest } from './schema.ts';

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
