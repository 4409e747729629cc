/**
 * Adds the lanes of a plan, a file in JSON or a list in Markdown, and reports those that conflict with one another.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import { actorOf } from '../../agents/actor.ts';
import { UsageError } from '../../base/errors.ts';
import { isJsonObject, parsedJson } from '../../base/text/json.ts';
import { nearest } from '../../base/text/nearest.ts';
import { addLanes, assertNeeds } from '../../lanes/spec/edit.ts';
import { is } from '../../lanes/spec/lane-states.ts';
import { assertName } from '../../lanes/spec/names.ts';
import { clash } from '../../lanes/spec/spec.ts';
import { type LaneSpec, laneStore } from '../../store/lanes.ts';
import type { AppContext } from '../context.ts';
import { specFor, startBaselines } from './lanes.ts';
import { openRun } from './open-run.ts';
import type { RunWish } from './runs.ts';
import { LISTS, SWITCHES, specOf, TEXTS, type WrittenSpec } from './written-spec.ts';

/**
 * Adds the lanes and starts none.
 *
 * @param wish `file`: its path; `text`: the input in its place.
 * @throws {UsageError} if one is not valid; then none is added.
 */
export async function planLanes(
  context: AppContext,
  wish: RunWish & { readonly file: string; readonly text?: string; readonly dryRun: boolean },
) {
  const open = await openRun(context, wish.run);
  const { laneContext, run } = open;
  const there = laneStore(laneContext.store).ofRun(run.id);
  const content = wish.text ?? contentOf(resolve(context.cwd, wish.file));
  const lanes = readPlan(
    content,
    there.map(({ key }) => key),
  );
  const specs: { key: string; spec: LaneSpec; priority: number }[] = [];
  for (const { key, line, spec: written } of lanes) {
    try {
      assertName('lane', key);
      const { spec, priority = 0 } = specOf(written);
      specs.push({ key, priority, spec: await specFor(context, open, spec) });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const where = line === undefined ? `lane ${key}` : `line ${line}: lane ${key}`;
      throw new UsageError(`${where}: ${error.message}`, { hint: error.hint ?? '' });
    }
  }
  assertNeeds(specs, there);
  const ahead = there.filter(({ state }) => !is('over', state));
  const all = [...ahead.map(({ key, spec }) => ({ key, spec })), ...specs];
  // These pairs would write the same files at the same time, so one waits for the other.
  const overlaps = all.flatMap((one, at) =>
    all
      .slice(Math.max(at + 1, ahead.length))
      .filter((other) => !inTurn(one.key, other.key, all) && clash(one.spec, other.spec))
      .map((other) => [one.key, other.key] as const),
  );
  if (!wish.dryRun) {
    const by = actorOf(context).name;
    const wishes = specs.map((it) => ({ ...it, by }));
    await startBaselines(open, addLanes(laneContext, run, wishes));
  }
  const read = lanes.map(({ key, spec }) => ({ key, spec }));
  return { lanes: read, specs, overlaps, added: !wish.dryRun };
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`cannot read ${file}`, { hint: 'name the file of the plan', cause });
  }
}

/** Whether one starts from the other's work. */
function inTurn(one: string, other: string, lanes: readonly { key: string; spec: LaneSpec }[]) {
  const needs = (key: string, wanted: string): boolean =>
    lanes
      .find((it) => it.key === key)
      ?.spec.needs.some((it) => it === wanted || needs(it, wanted)) === true;
  return needs(one, other) || needs(other, one);
}

const word = z.string().trim().min(1);
const text = z.union([word, z.number().transform(String)], 'is a text').exactOptional();
const list = z.union([z.array(word), word.transform((it) => it.split(/\s*,\s*/))]).exactOptional();
const onOff = z.union([z.boolean(), z.stringbool()], 'is true or false').exactOptional();

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
      hint: 'a key is used once in a run; change those that are there by `lanehold orchestrate lane edit`',
    });
  }
  return written.map(({ key, line, ...spec }) => ({ key, line, spec }));
}

function fromJson(content: string): WrittenLane[] {
  const value = parsedJson(content);
  const parsed = z.object({ lanes: z.array(LANE) }).safeParse(value);
  if (parsed.success) return parsed.data.lanes;
  const fact = isJsonObject(value) ? faultsOf(parsed.error) : 'no JSON';
  throw new UsageError(`the plan cannot be read: ${fact}`, { hint: HINT });
}

const faultsOf = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `\`${path.join('.')}\`: ${message}`).join('; ');

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
    const fact = faultsOf(parsed.error);
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
