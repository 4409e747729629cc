/**
 * What use cases are asked with: every front reads the same definitions, the command line from its
 * options, MCP from JSON. What a schema gives out is what the use case takes.
 */
import * as z from 'zod/mini';
import { UsageError } from '../base/errors.ts';
import { nearest } from '../base/text/nearest.ts';
import { printableLine } from '../base/text/printable.ts';
import { NOTE_KINDS } from '../store/recall.ts';
import { countOf, durationOf } from './values.ts';

const text = (about: string) => z.string().check(z.describe(about));
const names = (about: string) =>
  z
    .array(z.string().check(z.maxLength(1_000, 'is longer than 1,000 characters')))
    .check(z.describe(about));

const count = (about: string) =>
  z.optional(
    z.pipe(
      z.int().check(z.describe(about)),
      z.transform((it) => countOf(String(it))),
    ),
  );

const run = z.optional(text('Name of the run; needed where several are open'));

export const PENDING_INPUT = z.strictObject({
  head: z.optional(text('Look at this revision instead of the working tree')),
});

export const VERIFY_INPUT = z.strictObject({
  features: z.optional(names('Names of features; without it every feature that is held')),
  at: z.optional(text('Verify the content of this revision, in a temporary worktree: HEAD')),
});

export const WAIVE_INPUT = z.strictObject({
  features: names('Names of features').check(z.minLength(1, 'names no feature')),
  reason: text('Why it is safe without a test; recorded'),
  expires: z.optional(
    z.pipe(text('The waiver ends after this time: 90m, 24h'), z.transform(durationOf)),
  ),
  at: z.optional(text('Waive the content of this revision instead of the working tree')),
});

export const GATE_INPUT = z.strictObject({
  command: z.optional(text('A shell command: would the gate let it run?')),
  head: z.optional(text('Without a command, the revision that leaves; by default HEAD')),
  base: z.optional(text('What others have; by default what the upstream branch has')),
});

export const RUN_INPUT = z.strictObject({ run });

export const ANSWER_INPUT = z.strictObject({
  lane: text('Key of the lane whose worker asked'),
  text: text('The answer'),
  question: count('Number of the question; by default the newest open one'),
  run,
});

export const ASK_INPUT = z.strictObject({ question: text('What the coordinator is to decide') });

export const RECALL_INPUT = z.strictObject({
  query: z.optional(text('Words to search for in notes, summaries of sessions and files')),
  id: z.optional(text('Instead: one of the found, whole: lh-7f3a2c')),
  limit: count('How many of each kind; by default 5'),
});

export const TIMELINE_INPUT = z.strictObject({
  session: z.optional(text('Of this session only: se-1a2b3c4d')),
  limit: count('The last so many; by default 40'),
});

export const NOTE_INPUT = z.strictObject({
  path: text('Where it belongs: project/decisions/auth, global/style'),
  title: text('The whole of it in one line'),
  kind: z.optional(z.enum(NOTE_KINDS)),
  body: z.optional(text('More about it')),
  when: z.optional(text('Words of prompts that bring it')),
  files: z.optional(
    names('Paths and globs: told before they are edited; a path is bound to its content'),
  ),
  commands: z.optional(names('Commands before which it is told: npm publish')),
  links: z.optional(names('commit:…, feature:…, another note')),
  supersedes: z.optional(text('A note that it takes the place of')),
  shared: z.optional(z.boolean().check(z.describe('In the repository, for everybody'))),
});

export const NOTES_INPUT = z.strictObject({
  which: z._default(
    z
      .enum(['current', 'all', 'suggestions'])
      .check(z.describe('all: superseded ones, too; suggestions: what waits to be judged')),
    'current',
  ),
});

export const JUDGE_INPUT = z.strictObject({
  note: text('Its id or its path; the id of a proposal'),
  verdict: z
    .enum(['confirm', 'reject'])
    .check(
      z.describe('confirm: it is true, or is applied; reject: it is told, or proposed, no more'),
    ),
});

export const GUARD_INPUT = z.strictObject({
  files: text('A path or a glob, relative to the root of the project'),
  rule: text('What is to be kept, in one line'),
  reason: z.optional(text('Why, for whoever meets the rule')),
  deny: z.optional(
    z.boolean().check(z.describe('Refuse edits instead of telling the rule; a person is asked')),
  ),
});

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
