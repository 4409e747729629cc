/** Reads the text of a `lanehold.json`: returns features and policy, or throws all problems. */
import { parseTimeout } from '../text/time.ts';
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
