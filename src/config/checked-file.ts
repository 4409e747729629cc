/** Checks the text of a settings file: one JSON object of a known shape, or all that is wrong. */
import type * as z from 'zod/mini';
import {
  duplicateKeys,
  type RegistryProblem,
  shapeProblems,
  syntaxProblems,
} from './registry-file-problems.ts';
import type { KnownKeys } from './schema.ts';

/** More than any registry needs, and little enough to read within a hook. */
const MAX_BYTES = 5 * 1024 * 1024;
/** A registry needs five levels; readers that recurse break somewhere beyond a thousand. */
const MAX_DEPTH = 100;

export interface FileShape<T> {
  readonly schema: z.ZodMiniType<T>;
  readonly knownKeys: KnownKeys;
  /** What the schema cannot see. */
  readonly moreIssues?: (value: unknown) => readonly z.core.$ZodIssue[];
}

export type Problems = readonly [RegistryProblem, ...RegistryProblem[]];

/** @param refuse is given what is wrong, in the order of the file. */
export function checkedFile<T>(
  text: string,
  shape: FileShape<T>,
  refuse: (problems: Problems) => never,
): T {
  const fail = ([first, ...others]: readonly RegistryProblem[]): never =>
    refuse([first ?? atStart('it cannot be used'), ...others]);

  const json = withoutByteOrderMark(text);
  if (Buffer.byteLength(json) > MAX_BYTES) return fail([atStart('the file is over 5 MB')]);
  if (json.trim() === '') return fail([atStart('the file is empty', 'write `{}` into it')]);
  const { members, depth } = measure(json);
  if (depth > MAX_DEPTH) return fail([atStart(`it nests deeper than ${MAX_DEPTH} levels`)]);

  const value = parsed(json);
  if (value === undefined) return fail(syntaxProblems(json));
  if (countMembers(value) !== members) return fail(duplicateKeys(json));
  const result = shape.schema.safeParse(value);
  const issues = [...(result.error?.issues ?? []), ...(shape.moreIssues?.(value) ?? [])];
  if (result.success && issues.length === 0) return result.data;
  return fail(shapeProblems(json, value, issues, shape.knownKeys));
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
