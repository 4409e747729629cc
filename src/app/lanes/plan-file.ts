/** A plan of lanes in a file: JSON, or a list in Markdown. Pure. */
import * as z from 'zod';
import { UsageError } from '../../base/errors.ts';
import { isJsonObject, parsedJson } from '../../base/text/json.ts';
import { nearest } from '../../base/text/nearest.ts';
import { LISTS, SWITCHES, TEXTS, type WrittenSpec } from './written-spec.ts';

const word = z.string().trim().min(1);
const text = z.union([word, z.number().transform(String)]).exactOptional();
const list = z.union([z.array(word), word.transform((it) => it.split(/\s*,\s*/))]).exactOptional();
const onOff = z.union([z.boolean(), z.stringbool()]).exactOptional();

const each = <Name extends string, T>(names: readonly Name[], value: T) =>
  Object.fromEntries(names.map((name) => [name, value])) as Record<Name, T>;
const LANE = z.strictObject({
  ...each(TEXTS, text),
  ...each(LISTS, list),
  ...each(SWITCHES, onOff),
  key: word,
  desc: word,
});

interface WrittenLane extends WrittenSpec {
  readonly key: string;
  /** The number of its first line, in a plan in Markdown. */
  readonly line?: number;
}

const FIELDS: readonly string[] = [...TEXTS, ...LISTS, ...SWITCHES];
/** The name of a field: `validate-cwd` is `validateCwd`. */
const plain = (name: string): string => name.replaceAll(/[\s-]/g, '').toLowerCase();

/**
 * Reads `{"lanes":[{"key":"api","desc":"…","touches":["src/api/**"],"needs":[],"validate":"…"}]}`, or a list:
 *
 *     - api: Move the client to the new API
 *       - touches: src/api/**, src/client.ts
 *       - validate: npm test -- api
 *     - ui: Show the new fields
 *       - needs: api
 *
 * A field can be any option of `lane add`. Other text below an item becomes notes for its worker; headings and text
 * around the list are not read.
 *
 * @param known keys of existing lanes.
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
  return written.map(({ key, line, ...spec }) => ({ key, line, spec }));
}

function fromJson(content: string): WrittenLane[] {
  const value = parsedJson(content);
  const parsed = z.object({ lanes: z.array(LANE) }).safeParse(value);
  if (parsed.success) return parsed.data.lanes;
  const fact = isJsonObject(value)
    ? z.prettifyError(parsed.error).replaceAll('\n', ' ')
    : 'no JSON';
  throw new UsageError(`the plan cannot be read: ${fact}`, { hint: HINT });
}

const HINT = `a lane has \`key\`, \`desc\`, and perhaps ${FIELDS.map((it) => `\`${it}\``).join(', ')}`;

const ITEM = /^[-*+]\s+(?:\[[ xX]\]\s+)?[`*_]*([\w.-]+)[`*_]*\s*:\s+(\S.*)$/;
const FIELD = /^\s+[-*+]\s+[`*_]*([A-Za-z][\w -]{0,30})[`*_]*\s*:\s+(\S.*)$/;

/** True for the name of a field; prose begins with a capital: `Setup: create the table first`. */
const isName = (written: string): boolean =>
  /^[a-z]/.test(written) || /^(?:touches|needs|overlap)$/i.test(written);

type Item = Record<string, string>;

function fromMarkdown(content: string): WrittenLane[] {
  const lanes: { readonly item: Item; readonly line: number }[] = [];
  let isInside = false;
  for (const [at, text] of content.split(/\r?\n/).entries()) {
    const [, key, desc] = ITEM.exec(text) ?? [];
    // A heading or a paragraph ends the item.
    if (/^\S/.test(text)) isInside = key !== undefined;
    if (key !== undefined && desc !== undefined) lanes.push({ item: { key, desc }, line: at + 1 });
    else if (isInside && text.trim() !== '') addTo(lanes.at(-1)?.item ?? {}, text, at + 1);
  }
  return lanes.map(({ item, line }) => {
    const parsed = LANE.safeParse(item);
    if (parsed.success) return { ...parsed.data, line };
    const fact = z.prettifyError(parsed.error).replaceAll('\n', ' ');
    throw new UsageError(`line ${line}: lane ${item.key}: ${fact}`, { hint: HINT });
  });
}

/** @throws {UsageError} */
function addTo(lane: Item, text: string, line: number): void {
  const [, written = '', value = ''] = FIELD.exec(text) ?? [];
  const field = FIELDS.find((it) => isName(written) && plain(it) === plain(written));
  const meant = field ?? nearest(plain(written), FIELDS);
  if (field === undefined && meant !== undefined && /^(?!note$)[a-z-]+$/.test(written)) {
    throw new UsageError(`line ${line}: \`${written}\` of lane ${lane.key} is no field`, {
      hint: `did you mean \`${meant}\`? For a note write it without the colon`,
    });
  }
  if (field === undefined || field === 'notes') {
    const note = field === undefined ? text.trim() : value;
    lane.notes = [lane.notes, note].filter(Boolean).join('\n');
    return;
  }
  if (lane[field] !== undefined) {
    throw new UsageError(`line ${line}: \`${field}\` of lane ${lane.key} is there twice`, {
      hint: 'separate several with commas',
    });
  }
  lane[field] = unquoted(value);
}

/** The value without backticks, with which Markdown marks code. */
const unquoted = (value: string): string =>
  /^`([^`]+)`$/.exec(value.trim())?.[1] ?? value.trim().replaceAll('`', '');
