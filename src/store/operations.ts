/** Changes that `lanehold dream` proposes, in the form in which a program writes them. */
import * as z from 'zod';
import { NOTE_KINDS } from './recall.ts';

const noteId = z.string().regex(/^lh-[0-9a-f]{6,}$/, 'is no id of a note');
const line = (most: number) => z.string().trim().min(1).max(most);
const files = z.array(line(300)).max(20).readonly();
const title = line(200);
const body = z.string().max(4_000);

export const WRITTEN = z.discriminatedUnion('op', [
  z.strictObject({
    op: z.literal('create'),
    kind: z.enum(NOTE_KINDS),
    title,
    body: body.default(''),
    files: files.default([]),
  }),
  z.strictObject({
    op: z.literal('update'),
    note: noteId,
    title: title.optional(),
    body: body.optional(),
  }),
  /** The `notes` have the same content as `into`. */
  z.strictObject({
    op: z.literal('merge'),
    into: noteId,
    notes: z.array(noteId).min(1).max(10).readonly(),
  }),
  z.strictObject({ op: z.literal('supersede'), note: noteId, by: noteId }),
  z.strictObject({ op: z.literal('archive'), note: noteId }),
  z.strictObject({ op: z.literal('guard'), files: line(300), rule: line(300) }),
  z.strictObject({
    op: z.literal('feature'),
    name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,60}$/, 'is no name of a feature'),
    files: z.array(line(300)).min(1).max(20).readonly(),
    smoke: z.array(line(300)).max(5).readonly(),
  }),
]);

export type Written = z.infer<typeof WRITTEN>;
type Of<Op extends Written['op']> = Extract<Written, { op: Op }>;

export type Operation =
  | Of<'update' | 'merge' | 'supersede' | 'archive' | 'feature'>
  /** Equal suggestions are put aside. */
  | (Of<'create'> & { readonly from: readonly string[] })
  /** Only a person may refuse edits. */
  | (Of<'guard'> & { readonly deny: false })
  /** A rule that no session meets. */
  | { readonly op: 'unguard'; readonly guard: string };
