/** Reads JSON objects from the output of programs that print other lines as well. */
import { isJsonObject, type JsonObject, parsedJson } from '../../text/json.ts';

export type { JsonObject };

/** A longer line is not parsed: it is no event but the content of a file. */
const MAX_CHARS = 32 * 1024 * 1024;

/** `undefined` for everything that is no JSON object. */
export function jsonLine(line: string): JsonObject | undefined {
  if (line.length > MAX_CHARS) return undefined;
  // A crash can leave NULs in a file that was enlarged and not yet written.
  const start = line.indexOf('{');
  if (start === -1 || NOISE.test(line.slice(0, start))) return undefined;
  return parsedObject(line.slice(start));
}

/** Before the object, only NULs, byte order marks and white space are tolerated. */
const NOISE = /[^\0\uFEFF\s]/;

export const parsedObject = (text: string): JsonObject | undefined => objectOr(parsedJson(text));

export function objectOr(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function objectAt(object: JsonObject | undefined, key: string): JsonObject | undefined {
  return objectOr(object?.[key]);
}

export function objectsAt(object: JsonObject | undefined, key: string): readonly JsonObject[] {
  const value = object?.[key];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function textAt(object: JsonObject | undefined, key: string): string | undefined {
  const value = object?.[key];
  return typeof value === 'string' ? value : undefined;
}

export function numberAt(object: JsonObject | undefined, key: string): number | undefined {
  const value = object?.[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A number that is not negative; 0 if there is none. */
export function countAt(object: JsonObject | undefined, key: string): number {
  return Math.max(0, numberAt(object, key) ?? 0);
}
