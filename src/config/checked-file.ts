/** Checks the text of a settings file: a JSON object of a known shape, or a list of problems. */
import type * as z from 'zod/mini';
import { parsedJson } from '../text/json.ts';
import { withoutByteOrderMark } from '../text/json-text.ts';
import { type JsonProblem, scanJson, shapeProblems } from './json-problems.ts';
import type { KnownKeys } from './schema.ts';

/** More than any registry needs, and little enough to read within a hook. */
const MAX_BYTES = 5 * 1024 * 1024;
/** A registry needs five levels; recursive readers fail at about a thousand. */
const MAX_DEPTH = 100;

export interface FileShape<T> {
  readonly schema: z.ZodMiniType<T>;
  readonly knownKeys: KnownKeys;
  /** Problems that the schema cannot express. */
  readonly moreIssues?: (value: unknown) => readonly z.core.$ZodIssue[];
}

export type Problems = readonly [JsonProblem, ...JsonProblem[]];

/** @param refuse gets the problems in the order of the file. */
export function checkedFile<T>(
  text: string,
  shape: FileShape<T>,
  refuse: (problems: Problems) => never,
): T {
  const fail = ([first, ...others]: readonly JsonProblem[]): never =>
    refuse([first ?? atStart('it cannot be used'), ...others]);

  const json = withoutByteOrderMark(text);
  if (Buffer.byteLength(json) > MAX_BYTES) return fail([atStart('the file is over 5 MB')]);
  if (json.trim() === '') return fail([atStart('the file is empty', 'write `{}` into it')]);
  const { isTooDeep, duplicates, syntax } = scanJson(json, MAX_DEPTH);
  if (isTooDeep) return fail([atStart(`it nests deeper than ${MAX_DEPTH} levels`)]);

  const value = parsedJson(json);
  if (value === undefined) return fail([syntax ?? atStart('this is not valid JSON')]);
  if (duplicates.length > 0) return fail(duplicates);
  const result = shape.schema.safeParse(value);
  const issues = [...(result.error?.issues ?? []), ...(shape.moreIssues?.(value) ?? [])];
  if (result.success && issues.length === 0) return result.data;
  return fail(shapeProblems(json, value, issues, shape.knownKeys));
}

const atStart = (message: string, hint?: string): JsonProblem => ({
  line: 1,
  column: 1,
  message,
  ...(hint === undefined ? {} : { hint }),
});
