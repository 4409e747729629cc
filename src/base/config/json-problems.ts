/**
 * Finds the first mistake in the JSON of a settings file, with its position. Messages have line, column, a hint and the
 * nearest known key; zod's own formatting has only the path within the value.
 */
import { findNodeAtLocation, type JSONPath, type ParseError, parseTree, visit } from 'jsonc-parser';
import type { z } from 'zod/mini';
import { nearest } from '../text/nearest.ts';
import { keysAt } from './schema-walk.ts';

type Issue = z.core.$ZodIssue;

/** Line and column count from 1; a column is a UTF-16 unit, as editors count. */
export interface JsonProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The most mistakes that are located, because each takes a walk through the file. */
const MOST_ISSUES = 200;

/** A mistake of the value at a path, or of its key. */
interface Finding {
  readonly on: 'key' | 'value';
  readonly path: JSONPath;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** What one pass over a text finds beyond JSON.parse. */
export function scanJson(text: string, maxDepth: number) {
  const open: Map<string, number>[] = [];
  /** A key that an object has twice: JSON.parse silently takes the last, while people read the first. */
  let duplicate: JsonProblem | undefined;
  /** The first error, if the text is not JSON; later ones may only follow from it. */
  let syntax: JsonProblem | undefined;
  const begin = (): void => {
    open.push(new Map());
    // The scanner is recursive, and only an exception stops it from going deeper.
    if (open.length > maxDepth) throw TOO_DEEP;
  };
  const end = (): void => void open.pop();
  try {
    visit(
      text,
      {
        onObjectBegin: begin,
        onObjectEnd: end,
        onArrayBegin: begin,
        onArrayEnd: end,
        onObjectProperty(key, _offset, _length, startLine, startCharacter) {
          const place = { line: startLine + 1, column: startCharacter + 1 };
          const earlier = open.at(-1)?.get(key);
          open.at(-1)?.set(key, place.line);
          if (earlier === undefined) return;
          const message = `key \`${shortened(key)}\` appears twice`;
          duplicate ??= { ...place, message, hint: `it is also on line ${earlier}` };
        },
        onError(error, offset, length, startLine, startCharacter) {
          const place = { line: startLine + 1, column: startCharacter + 1 };
          syntax ??= { ...place, ...syntaxFact({ error, offset, length }, text) };
        },
      },
      { disallowComments: true },
    );
  } catch (error) {
    if (error !== TOO_DEEP) throw error;
    return { isTooDeep: true };
  }
  return { isTooDeep: false, duplicate, syntax };
}

const TOO_DEEP = Symbol('nested too deep');

/** The first value in the file that does not have the right shape. */
export function shapeProblem(
  text: string,
  value: unknown,
  issues: readonly Issue[],
  schema: z.core.$ZodType,
): JsonProblem | undefined {
  const root = parseTree(text);
  const offsetOf = ({ on, path }: Finding): number => {
    const node = root && findNodeAtLocation(root, path);
    const key = on === 'key' && node?.parent?.type === 'property' ? node.parent : node;
    return key?.offset ?? 0;
  };
  const flat = issues.slice(0, MOST_ISSUES).flatMap(unionless);
  const misspelt = misspeltKeys(flat, schema);
  const [first] = flat
    .filter((issue) => !misspelt.has(JSON.stringify(issue.path)))
    .map((issue) => findingOf(issue, valueAt(value, issue.path as JSONPath), schema))
    .map((finding) => ({ ...finding, offset: offsetOf(finding) }))
    .sort((a, b) => a.offset - b.offset);
  if (first === undefined) return undefined;
  const { offset, message, hint } = first;
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1, message, hint };
}

/** Paths of keys that seem to be missing because they are misspelt: one problem instead of two. */
function misspeltKeys(issues: readonly Issue[], schema: z.core.$ZodType): ReadonlySet<string> {
  return new Set(
    issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => {
            const meant = nearest(key, keysAt(schema, issue.path));
            return JSON.stringify([...issue.path, meant]);
          })
        : [],
    ),
  );
}

/** Replaces an issue of a union by those of the variant that the author probably meant. */
function unionless(issue: Issue): readonly Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const meant = issue.errors.filter((errors) => !errors.some(isOtherType));
  const [errors] = meant.toSorted((a, b) => a.length - b.length);
  if (errors === undefined) return [issue];
  return errors.map((error) => ({ ...error, path: [...issue.path, ...error.path] }) as Issue);
}

const isOtherType = (issue: Issue): boolean =>
  issue.code === 'invalid_type' && issue.path.length === 0;

/** @param value the refused value; `undefined` if it is missing. */
function findingOf(issue: Issue, value: unknown, schema: z.core.$ZodType): Finding {
  const path = issue.path as JSONPath;
  switch (issue.code) {
    case 'unrecognized_keys': {
      const [key = ''] = issue.keys;
      const where = path.length === 0 ? '' : ` in ${subject(path)}`;
      const message = `unknown key \`${shortened(key)}\`${where}`;
      return { on: 'key', path: [...path, key], message, hint: keyHint(key, keysAt(schema, path)) };
    }
    case 'invalid_value':
      return choiceFinding(path, value, issue.values.map(String));
    case 'invalid_key': {
      const [fact, hint] = (issue.issues[0]?.message ?? '').split('\n');
      return { on: 'key', path, message: `\`${shortened(String(path.at(-1)))}\` ${fact}`, hint };
    }
    case 'invalid_type':
      return typeFinding(path, value, withArticle(issue.expected));
    case 'invalid_union':
      return typeFinding(path, value, unionTypes(issue.errors));
    default: {
      const [fact, hint] = issue.message.split('\n');
      return { on: 'value', path, message: `${subject(path)} ${fact}`, hint };
    }
  }
}

const unionTypes = (variants: readonly (readonly Issue[])[]): string =>
  variants
    .map(([issue]) => (issue?.code === 'invalid_type' ? withArticle(issue.expected) : ''))
    .join(' or ');

function typeFinding(path: JSONPath, value: unknown, wanted: string): Finding {
  if (value === undefined) return missing(path, wanted);
  return { on: 'value', path, message: `${subject(path)} is ${typeOf(value)}, not ${wanted}` };
}

function missing(path: JSONPath, wanted: string): Finding {
  const owner = path.slice(0, -1);
  const message = `${subject(owner)} has no \`${String(path.at(-1))}\``;
  return { on: 'key', path: owner, message, hint: `add it: ${wanted}` };
}

function choiceFinding(path: JSONPath, value: unknown, choices: readonly string[]): Finding {
  const list = choices.map((choice) => `\`${choice}\``).join(', ');
  if (value === undefined) return missing(path, `one of ${list}`);
  const meant = typeof value === 'string' ? nearest(value, choices) : undefined;
  const message = `${subject(path)} is ${shortened(JSON.stringify(value))}, not one of ${list}`;
  return { on: 'value', path, message, hint: meant && `did you mean \`${meant}\`?` };
}

function keyHint(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  if (meant !== undefined) return `did you mean \`${meant}\`?`;
  if (known.length === 0) return 'nothing can be set here yet';
  return `known keys: ${known.map((name) => `\`${name}\``).join(', ')}`;
}

/** Names what a path points at, as the start of a sentence: ``\`files[0]\` of feature \`cart\` ``. */
function subject(path: JSONPath): string {
  if (path.length === 0) return 'the file';
  if (path[0] !== 'features' || path.length === 1) return `\`${dotted(path)}\``;
  const feature = `feature \`${shortened(String(path[1]))}\``;
  return path.length === 2 ? feature : `\`${dotted(path.slice(2))}\` of ${feature}`;
}

const dotted = (path: JSONPath): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1);

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return withArticle(Array.isArray(value) ? 'array' : typeof value);
}

/** Words for types that zod has and JSON does not. */
const NOUNS: Readonly<Record<string, string>> = { record: 'object', int: 'whole number' };

function withArticle(type: string): string {
  const noun = NOUNS[type] ?? type;
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

export function valueAt(value: unknown, path: JSONPath): unknown {
  let here: unknown = value;
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined;
    here = (here as Record<string | number, unknown>)[step];
  }
  return here;
}

function syntaxFact({ error, offset, length }: ParseError, text: string) {
  const found = text.slice(offset, offset + Math.min(length, 20));
  const fact = SYNTAX[error] ?? { message: `\`${found}\` is not valid JSON here` };
  const trailing = error === 3 && /,\s*$/.test(text.slice(0, offset));
  return trailing ? { ...fact, hint: 'remove the comma before it' } : fact;
}

/** Keys are jsonc-parser's `ParseErrorCode`, a const enum that erasable syntax cannot use. */
const SYNTAX: Readonly<Record<number, { readonly message: string; readonly hint?: string }>> = {
  3: { message: 'a key in double quotes is missing here' },
  4: { message: 'a value is missing here' },
  5: { message: 'a colon is missing here' },
  6: { message: 'a comma is missing here' },
  7: { message: 'a closing `}` is missing here' },
  8: { message: 'a closing `]` is missing here' },
  9: { message: 'something follows the end of the JSON' },
  10: { message: 'a comment is not valid JSON', hint: 'remove it, or use `description`' },
  12: { message: 'this string does not end', hint: 'close it with `"`' },
  14: { message: 'this string has a broken `\\u` escape' },
  15: { message: 'this string has an unknown escape', hint: 'write a backslash as `\\\\`' },
  16: { message: 'this string has a raw control character', hint: 'write it as `\\n` or `\\t`' },
};
