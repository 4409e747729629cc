/** The inputs of tools: JSON that is read into the requests of use cases. */
import * as z from 'zod/mini';
import { countOf } from '../../app/values.ts';
import { NOTE_KINDS } from '../../store/recall.ts';

export const text = (about: string) => z.string().check(z.describe(about));

/** This is a check of its own, because its JSON Schema would be sent to every model. */
const isShort = (it: string) => it.length <= 1_000;

export const names = (about?: string) => {
  const list = z.array(z.string().check(z.refine(isShort, 'is longer than 1,000 characters')));
  return about === undefined ? list : list.check(z.describe(about));
};

const count = z.optional(
  z.pipe(
    z.number(),
    z.transform((it) => countOf(String(it))),
  ),
);

export const STATUS_INPUT = z.strictObject({
  show: z._default(z.enum(['held', 'features', 'lanes']), 'held'),
  run: z.optional(z.string()),
});

export const VERIFY_INPUT = z.strictObject({
  features: z.optional(names()),
  at: z.optional(text('A revision, instead of the working tree')),
});

export const GATE_INPUT = z.strictObject({
  command: z.optional(z.string()),
  head: z.optional(text('by default HEAD')),
  base: z.optional(text('by default the upstream branch')),
});

export const RECALL_INPUT = z.strictObject({
  query: z.optional(z.string()),
  id: z.optional(z.string()),
  callers: z.optional(text('A name in the code')),
  near: z.optional(text('A file: imports, importers')),
  limit: count,
});

export const NOTE_INPUT = z.strictObject({
  action: z.enum(['add', 'list', 'suggestions', 'confirm', 'reject']),
  path: z.optional(text('project/decisions/auth, global/style; to judge one, its id or path')),
  title: z.optional(text('All of it in one line')),
  kind: z.optional(z.enum(NOTE_KINDS)),
  body: z.optional(z.string()),
  when: z.optional(text('Words of prompts that bring it')),
  files: z.optional(names('Globs: told before their edit')),
  commands: z.optional(names('Told before them')),
  links: z.optional(names('commit:…, feature:…, a note')),
  supersedes: z.optional(z.string()),
  shared: z.optional(z.boolean().check(z.describe('In the repository'))),
});
