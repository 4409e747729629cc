/** Checks the text of a settings file: a JSON object of a known shape, or a list of problems. */
import type * as z from 'zod/mini';
import { ExplainedError } from '../errors.ts';
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
  readonly Refusal: new (fileName: string, problems: Problems) => SettingsFileError;
  /** Problems that the schema cannot express. */
  readonly moreIssues?: (value: unknown) => readonly z.core.$ZodIssue[];
}

type Problems = readonly [JsonProblem, ...JsonProblem[]];

/** The file cannot be used. No part of it is, because part of a registry would hold too little. */
export abstract class SettingsFileError extends ExplainedError {
  /** In the order of the file, never empty; the first one is the message. */
  readonly problems: Problems;

  constructor(fileName: string, problems: Problems) {
    const [{ line, column, message, hint }] = problems;
    super(`${fileName}:${line}:${column}: ${message}`, hint === undefined ? {} : { hint });
    this.problems = problems;
  }
}

/** @throws {SettingsFileError} the one of the shape, with all problems of the file. */
export function checkedFile<T>(text: string, shape: FileShape<T>, fileName: string): T {
  const fail = ([first, ...others]: readonly JsonProblem[]): never => {
    throw new shape.Refusal(fileName, [first ?? atStart('it cannot be used'), ...others]);
  };

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
