/** Reads the text of a `lanehold.json`: returns features and policy, or throws all problems. */
import { ExplainedError } from '../errors.ts';
import { parseTimeout } from '../text/time.ts';
import { checkedFile, type Problems } from './checked-file.ts';
import {
  DEFAULT_SMOKE_TIMEOUT_MS,
  type EvidencePolicy,
  type Feature,
  type RegistryFile,
  type SmokeTest,
} from './feature.ts';
import type { JsonProblem } from './json-problems.ts';
import { toPolicySettings } from './policy-file.ts';
import {
  badNameIssue,
  registryFileSchema,
  registryKeys,
  type WrittenFeature,
  type WrittenSmokeTest,
} from './schema.ts';

/** The file cannot be used. No part of it is, because a partial registry would hold too little. */
export class RegistryFileError extends ExplainedError {
  override readonly code = 'REGISTRY_FILE';
  /** In the order of the file, never empty; the first one is the message. */
  readonly problems: readonly JsonProblem[];

  constructor(fileName: string, problems: Problems) {
    const [{ line, column, message, hint }] = problems;
    super(`${fileName}:${line}:${column}: ${message}`, hint === undefined ? {} : { hint });
    this.problems = problems;
  }
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
  } = checkedFile(text, SHAPE, (problems) => {
    throw new RegistryFileError(fileName, problems);
  });
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
