/** JSON from outside, read into what a use case is asked with. */
import * as z from 'zod/mini';
import { UsageError } from '../base/errors.ts';
import { nearest } from '../base/text/nearest.ts';
import { printableLine } from '../base/text/printable.ts';

/** @throws {UsageError} that names the first thing that is wrong. */
export function readInput<T extends z.ZodMiniObject>(schema: T, given: unknown): z.output<T> {
  const result = z.safeParse(schema, given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw issue === undefined ? result.error : misuse(issue, given, Object.keys(schema.shape));
}

function misuse(issue: z.core.$ZodIssue, given: unknown, known: readonly string[]): UsageError {
  const takes = `it takes ${known.map((it) => `\`${it}\``).join(', ')}`;
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const meant = nearest(key, known);
    return new UsageError(`there is no \`${printableLine(key, 60)}\` here`, {
      hint: meant === undefined ? takes : `did you mean \`${meant}\`?`,
    });
  }
  const [key, at] = issue.path;
  if (key === undefined) return new UsageError('the input is no object', { hint: takes });
  const name = `\`${String(key)}${at === undefined ? '' : `[${String(at)}]`}\``;
  if (issue.code !== 'invalid_type') return new UsageError(`${name} ${issue.message}`);
  const isMissing = !Object.hasOwn(Object(given), key);
  const wanted = `give ${NOUNS[issue.expected] ?? `a ${issue.expected}`}`;
  return new UsageError(isMissing ? `${name} is missing` : `${name} has another type`, {
    hint: wanted,
  });
}

const NOUNS: Readonly<Record<string, string>> = {
  array: 'a list',
  string: 'a text',
  int: 'a number',
};
