/** Reads JSON from outside: any value, in which every field has to be checked. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Removes a byte order mark, which editors on Windows write and `JSON.parse` refuses. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** The value, with or without a byte order mark; `undefined` if the text is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(withoutByteOrderMark(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The longest line that is parsed: a longer one is no event but the content of a file. */
const MAX_CHARS = 32 * 1024 * 1024;

/** The JSON object in a line of output; `undefined` if it has none. */
export function jsonLine(line: string): JsonObject | undefined {
  if (line.length > MAX_CHARS) return undefined;
  // A crash can leave NULs in a file that was enlarged and not yet written.
  const start = line.indexOf('{');
  if (start === -1 || NOISE.test(line.slice(0, start))) return undefined;
  return parsedObject(line.slice(start));
}

/** Any character but NULs, byte order marks and white space, which may come before the object. */
const NOISE = /[^\0\uFEFF\s]/;

export const parsedObject = (text: string): JsonObject | undefined => objectOr(parsedJson(text));

export function objectOr(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** Reads a field; `undefined` if it is absent or of another type. */
export const at = {
  object: (object: JsonObject | undefined, key: string): JsonObject | undefined =>
    objectOr(object?.[key]),

  objects(object: JsonObject | undefined, key: string): readonly JsonObject[] {
    const value = object?.[key];
    return Array.isArray(value) ? value.filter(isJsonObject) : [];
  },

  text(object: JsonObject | undefined, key: string): string | undefined {
    const value = object?.[key];
    return typeof value === 'string' ? value : undefined;
  },

  number(object: JsonObject | undefined, key: string): number | undefined {
    const value = object?.[key];
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  },

  /** A number that is not negative; 0 if there is none. */
  count: (object: JsonObject | undefined, key: string): number =>
    Math.max(0, at.number(object, key) ?? 0),
};

/** The JSON of a model's answer: alone, in a fence, after some words, or as the `result` of a client's own JSON. */
export function jsonIn(output: string): unknown {
  const whole = parsedJson(output.trim());
  if (isJsonObject(whole)) return typeof whole.result === 'string' ? jsonIn(whole.result) : whole;
  const [from, to] = [output.indexOf('{'), output.lastIndexOf('}')];
  return from === -1 || to <= from ? undefined : parsedJson(output.slice(from, to + 1));
}
