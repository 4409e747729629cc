/** Reads `lanehold.json`: text in, features and policy out, or everything that is wrong with it. */
import { ExplainedError } from '../errors.ts';
import {
  DEFAULT_SMOKE_TIMEOUT_MS,
  type EvidencePolicy,
  type Feature,
  type GatePolicy,
  type RegistryFile,
  type SmokeTest,
} from './feature.ts';
import {
  duplicateKeys,
  type RegistryProblem,
  shapeProblems,
  syntaxProblems,
} from './registry-file-problems.ts';
import { parseTimeout } from './registry-file-timeout.ts';
import {
  badNameIssue,
  registryFileSchema,
  type WrittenFeature,
  type WrittenSmokeTest,
} from './schema.ts';

/** More than any registry needs, and little enough to read within a hook. */
const MAX_BYTES = 5 * 1024 * 1024;
/** A registry needs five levels; readers that recurse break somewhere beyond a thousand. */
const MAX_DEPTH = 100;

/** A `lanehold.json` that cannot be used; nothing of it is, since half a registry holds half. */
export class RegistryFileError extends ExplainedError {
  override readonly code = 'REGISTRY_FILE';
  /** In the order of the file, never empty; the first one is the message. */
  readonly problems: readonly RegistryProblem[];

  constructor(fileName: string, problems: readonly [RegistryProblem, ...RegistryProblem[]]) {
    const [{ line, column, message, hint }] = problems;
    super(`${fileName}:${line}:${column}: ${message}`, hint === undefined ? {} : { hint });
    this.problems = problems;
  }
}

/**
 * Returns what a `lanehold.json` says, every default filled in. Whether `dependsOn` names features
 * that exist is for the whole registry to say, since it may name local ones.
 *
 * @param fileName how to call the file in messages.
 * @throws {RegistryFileError} with all problems of the file.
 */
export function parseRegistryFile(text: string, fileName = 'lanehold.json'): RegistryFile {
  const refuse = (problems: readonly RegistryProblem[]): never => {
    const [first, ...others] = problems;
    throw new RegistryFileError(fileName, [first ?? atStart('it cannot be used'), ...others]);
  };

  const json = withoutByteOrderMark(text);
  if (Buffer.byteLength(json) > MAX_BYTES) return refuse([atStart('the file is over 5 MB')]);
  if (json.trim() === '') return refuse([atStart('the file is empty', 'write `{}` into it')]);
  const { members, depth } = measure(json);
  if (depth > MAX_DEPTH) return refuse([atStart(`it nests deeper than ${MAX_DEPTH} levels`)]);

  const value = parsed(json);
  if (value === undefined) return refuse(syntaxProblems(json));
  if (countMembers(value) !== members) return refuse(duplicateKeys(json));
  const result = registryFileSchema.safeParse(value);
  const issues = [...(result.error?.issues ?? []), ...skippedNames(value)];
  if (!result.success || issues.length > 0) return refuse(shapeProblems(json, value, issues));
  const { features = {}, gate = {}, evidence = {} } = result.data;
  return {
    features: Object.entries(features).map(([name, written]) => toFeature(name, written)),
    gate: gate as Partial<GatePolicy>,
    evidence: evidence as Partial<EvidencePolicy>,
  };
}

const atStart = (message: string, hint?: string): RegistryProblem => ({
  line: 1,
  column: 1,
  message,
  ...(hint === undefined ? {} : { hint }),
});

/** Windows editors put one there; JSON.parse would refuse it. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Counts colons outside strings (one for each member of an object), and how deep brackets nest. */
function measure(json: string): { members: number; depth: number } {
  let members = 0;
  let depth = 0;
  let open = 0;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index];
    if (character === '"') index = endOfString(json, index);
    else if (character === ':') members += 1;
    else if (character === '{' || character === '[') depth = Math.max(depth, ++open);
    else if (character === '}' || character === ']') open -= 1;
  }
  return { members, depth };
}

function endOfString(json: string, start: number): number {
  let index = start + 1;
  while (index < json.length && json[index] !== '"') index += json[index] === '\\' ? 2 : 1;
  return index;
}

/** How many members the objects in a value have; fewer than the text has means a key stood twice. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.values(value);
  const own = Array.isArray(value) ? 0 : members.length;
  return members.reduce((count: number, member) => count + countMembers(member), own);
}

/** `__proto__` as a feature: a record of zod skips it without a word. */
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

/** `./packages/a/` and `packages/a` are the same folder; evidence must not tell them apart. */
function normalFolder(cwd: string): string {
  return cwd
    .split('/')
    .filter((step) => step !== '' && step !== '.')
    .join('/');
}
