/** A note as a Markdown document with a header in YAML. */
import { isMap, parseDocument, stringify } from 'yaml';
import * as z from 'zod/mini';
import { attempt } from '../base/errors.ts';
import { isJsonObject, type JsonObject } from '../base/text/json.ts';
import { NOTE_KINDS } from '../store/recall.ts';

/** ISO 8601: a moment, or the day alone. */
const time = z.string().check(
  z.regex(/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)?$/),
  z.refine((it) => !Number.isNaN(Date.parse(it))),
);
const texts = z.optional(z.readonly(z.array(z.string())));
const header = z.object({
  id: z.string().check(z.regex(/^lh-[0-9a-z]{4,12}$/)),
  kind: z.enum(NOTE_KINDS),
  title: z.string().check(z.trim(), z.minLength(1), z.maxLength(200)),
  /** Words of prompts to which it is relevant. */
  when: z.optional(z.string()),
  /** Paths and globs, relative to the project. */
  files: texts,
  /** Patterns of command lines before which it is shown. */
  commands: texts,
  /** Content of `files` when the note was written or last confirmed: object ids of git. */
  anchors: z.optional(z.record(z.string(), z.string())),
  links: texts,
  status: z.enum(['active', 'suggested', 'superseded', 'archived']),
  created: time,
  checked: z.optional(time),
  /** `person`, or the agent that has confirmed it. */
  confirmedBy: z.optional(z.string()),
  source: z.string(),
});

export interface NoteDocument {
  readonly header: z.infer<typeof header>;
  readonly body: string;
}

export interface BrokenNote {
  /** A sentence about the document, without its name. */
  readonly problem: string;
  /** The line, counted from 1. */
  readonly line: number;
}

const FENCE = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/;

/** A longer document is no note: each command reads all of them. */
const LONGEST_NOTE = 1_000_000;

export function parseNote(text: string): NoteDocument | BrokenNote {
  if (text.length > LONGEST_NOTE)
    return { problem: `is longer than ${LONGEST_NOTE} characters`, line: 1 };
  const conflict = /^(?:<{7}|>{7}) /m.exec(text);
  if (conflict !== null)
    return { problem: 'has marks of a merge conflict', line: lineAt(text, conflict.index) };
  const head = FENCE.exec(text);
  if (head?.[1] === undefined)
    return { problem: 'has no header between two lines of ---', line: 1 };
  const yaml = parseDocument(head[1], { schema: 'failsafe' });
  const [error] = yaml.errors;
  if (error !== undefined) {
    return {
      problem: error.message.split('\n')[0] ?? '',
      line: 1 + (error.linePos?.[0].line ?? 1),
    };
  }
  // An alias multiplies what it stands for, or stands for nothing.
  const value = attempt((): unknown => yaml.toJS({ maxAliasCount: 0 }));
  if (value === undefined) return { problem: 'has an alias (`*name`) in its header', line: 1 };
  const found = header.safeParse(value);
  if (found.success) return { header: found.data, body: text.slice(head[0].length).trim() };
  const [issue] = found.error.issues;
  const key = String(issue?.path[0] ?? '');
  const node = isMap(yaml.contents)
    ? yaml.contents.items.find((it) => String(it.key) === key)
    : undefined;
  const offset = (node?.key as { range?: [number] } | undefined)?.range?.[0] ?? 0;
  return {
    problem:
      issue === undefined ? 'has a wrong header' : wrong(issue, isJsonObject(value) ? value : {}),
    line: 1 + lineAt(head[1], offset),
  };
}

function wrong(issue: z.core.$ZodIssue, value: JsonObject): string {
  const key = String(issue.path[0] ?? 'header');
  const given = value[key];
  if (given === undefined) return `\`${key}\` is missing`;
  if (issue.code === 'invalid_value') return `\`${key}\` is none of ${issue.values.join(', ')}`;
  return `\`${key}\` cannot be ${JSON.stringify(given).slice(0, 100)}`;
}

const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length;

/** Fields without a value are left out. */
export function renderNote({ header, body }: NoteDocument): string {
  const isGiven = (it: unknown) => typeof it !== 'object' || Object.keys(it ?? {}).length > 0;
  const head = Object.fromEntries(Object.entries(header).filter(([, it]) => isGiven(it)));
  return `---\n${stringify(head, { lineWidth: 0 })}---\n${body.trim()}\n`;
}
