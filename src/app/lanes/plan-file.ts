/** A plan of lanes in a file: JSON, or a list in Markdown. Pure. */
import * as z from 'zod';
import { UsageError } from '../../base/errors.ts';
import { isJsonObject, parsedJson } from '../../base/text/json.ts';

const text = z.string().trim().min(1);
const list = z.union([z.array(text), text.transform((it) => it.split(/\s*,\s*/))]);

const LANE = z.strictObject({
  key: text,
  desc: text,
  notes: text.exactOptional(),
  agent: text.exactOptional(),
  model: text.exactOptional(),
  touches: list.exactOptional(),
  reads: list.exactOptional(),
  needs: list.exactOptional(),
  validate: text.exactOptional(),
  setup: text.exactOptional(),
});

type WrittenLane = z.infer<typeof LANE>;

const FIELDS = Object.keys(LANE.shape).filter((it) => it !== 'key' && it !== 'desc');

/**
 * Reads `{"lanes":[{"key":"api","desc":"…","touches":["src/api/**"],"needs":[],"validate":"…"}]}`, or a list:
 *
 *     - api: Move the client to the new API
 *       - touches: src/api/**, src/client.ts
 *       - validate: npm test -- api
 *     - ui: Show the new fields
 *       - needs: api
 *
 * Other text below an item becomes notes for its worker; headings and text around the list are not read.
 *
 * @param known keys of lanes that are there already.
 * @returns the fields of the plan; others take the default of a lane.
 * @throws {UsageError} that names the line or lane.
 */
export function readPlan(content: string, known: readonly string[]) {
  const isJson = content.trimStart().startsWith('{');
  const written = isJson ? fromJson(content) : fromMarkdown(content);
  if (written.length === 0) {
    throw new UsageError('the plan has no lanes', {
      hint: 'write `- key: what is to be done` for each, or `{"lanes": […]}`',
    });
  }
  const keys = written.map(({ key }) => key);
  const twice = keys.find((key, at) => keys.indexOf(key) !== at || known.includes(key));
  if (twice !== undefined) {
    throw new UsageError(`there is more than one lane \`${twice}\``, {
      hint: 'a key is used once in a run; change those that are there by `lane edit`',
    });
  }
  return written.map(({ key, ...spec }) => ({ key, spec }));
}

function fromJson(content: string): WrittenLane[] {
  const value = parsedJson(content);
  const parsed = z.object({ lanes: z.array(LANE) }).safeParse(value);
  if (parsed.success) return parsed.data.lanes;
  const fact = isJsonObject(value)
    ? z.prettifyError(parsed.error).replaceAll('\n', ' ')
    : 'no JSON';
  throw new UsageError(`the plan cannot be read: ${fact}`, {
    hint: `a lane has \`key\`, \`desc\`, and perhaps ${FIELDS.map((it) => `\`${it}\``).join(', ')}`,
  });
}

const ITEM = /^[-*+]\s+(?:\[[ xX]\]\s+)?[`*_]*([\w.-]+)[`*_]*\s*:\s+(\S.*)$/;
const FIELD = /^\s+[-*+]\s+[`*_]*([a-z]+)[`*_]*\s*:\s+(\S.*)$/;

function fromMarkdown(content: string): WrittenLane[] {
  const lanes: Record<string, string>[] = [];
  let isInside = false;
  for (const [at, line] of content.split(/\r?\n/).entries()) {
    const [, key, desc] = ITEM.exec(line) ?? [];
    // A heading or a paragraph ends the item.
    if (/^\S/.test(line)) isInside = key !== undefined;
    if (key !== undefined && desc !== undefined) lanes.push({ key, desc });
    else if (isInside && line.trim() !== '') addTo(lanes.at(-1) ?? {}, line, at + 1);
  }
  return lanes.map((it) => LANE.parse(it));
}

/** @throws {UsageError} */
function addTo(lane: Record<string, string>, line: string, number: number): void {
  const [, field = '', value = ''] = FIELD.exec(line) ?? [];
  if (field === 'notes' || !FIELDS.includes(field)) {
    const note = field === 'notes' ? value : line.trim();
    lane.notes = [lane.notes, note].filter(Boolean).join('\n');
    return;
  }
  if (lane[field] !== undefined) {
    throw new UsageError(`line ${number}: \`${field}\` of lane ${lane.key} is there twice`, {
      hint: 'separate several with commas',
    });
  }
  lane[field] = unquoted(value);
}

/** `` `npm test` `` is written so in Markdown. */
const unquoted = (value: string): string =>
  /^`([^`]+)`$/.exec(value.trim())?.[1] ?? value.trim().replaceAll('`', '');
