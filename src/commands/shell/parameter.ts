/** Parameter expansion (`$x`, `${x:-y}`, `${x%.*}`, …) on values that may be unknown, and arithmetic. */

import {
  type ArithmeticExpression,
  type ArithmeticWord,
  type ParameterExpansionPart,
  type ParameterOperation,
  parse,
  type TestExpression,
  type Word,
} from 'unbash';
import { type Frame, inside, type Output } from '../reader.ts';
import { matchesGlob } from './glob.ts';
import { isKnown, plain, UNKNOWN, UNKNOWN_VALUE, UNKNOWN_WORDS, type Value } from './unknown.ts';

/** Longer texts are not searched for a pattern. */
const LONGEST_TRIMMED = 2_000;

export function lookUp(word: string, frame: Frame): Value {
  const name = frame.state.nameOf(word);
  const own = frame.state.variables.get(name);
  if (own) return own;
  if (name === '@' || name === '*') return frame.state.parameters;
  if (name === '#') return plain(frame.state.parameters.map(countOf));
  if (/^[1-9]\d{0,3}$/.test(name)) return parameter(Number(name), frame.state.parameters);
  if (name === 'PWD') return plain(frame.state.directories.map((it) => it ?? UNKNOWN));
  if (name === 'OLDPWD') return plain(frame.state.previous.map((it) => it ?? UNKNOWN));
  if (name === 'IFS') return [[' \t\n']];
  // A package runner names its own program.
  if (name === 'npm_execpath') return [['npm']];
  const { env } = frame.reader.context;
  const given = Object.hasOwn(env, name) ? env[name] : undefined;
  if (given !== undefined) return [[given]];
  return mayBeSet(name, frame) ? UNKNOWN_VALUE : [[]];
}

/** Variables that a shell, a package runner or a machine sets. */
const SET_ELSEWHERE =
  /^(npm_|BASH|COMP_|OPT|FUNCNAME|DIRSTACK|PIPESTATUS|RANDOM|SRANDOM|SECONDS|EPOCH|LINENO|REPLY|MAPFILE|COPROC|UID|EUID|PPID|GROUPS|SHLVL|HOST|OSTYPE|MACHTYPE|SHELL|PATH|COLUMNS|LINES|\W|\d)/;

/** A variable that neither the command nor its environment sets is empty. */
function mayBeSet(name: string, { state }: Frame): boolean {
  const isElsewhere = state.directories.every((it) => it === undefined);
  return isElsewhere || state.hasUnknownVariables || SET_ELSEWHERE.test(name);
}

function countOf(list: readonly string[]): string {
  return list.every(isKnown) ? String(list.length) : UNKNOWN;
}

function parameter(number: number, lists: Value): Value {
  // An unknown number of words may come before this one.
  return plain(
    lists.map((list) =>
      list.slice(0, number).includes(UNKNOWN_WORDS) ? UNKNOWN : (list[number - 1] ?? ''),
    ),
  );
}

/** The lists of elements that the expansion stands for; one element each unless it is `[@]`. */
export function expandParameter(part: ParameterExpansionPart, frame: Frame): Value {
  const { parameter: name, prefix, operation, index } = part;
  if (prefix === '!') return indirect(part, frame);
  const whole = name === '@' || name === '*' || isWholeIndex(index);
  const value =
    index && !whole ? element(name, frame.reader.text(index, frame), frame) : lookUp(name, frame);
  if (prefix === '#') {
    if (whole) return plain(value.map(countOf));
    return plain(value.map(([it = '']) => (isKnown(it) ? String(it.length) : UNKNOWN)));
  }
  const lists = whole ? value : value.map((list) => list.slice(0, 1));
  return operation ? operate(operation, lists, part, frame) : lists;
}

function isWholeIndex(index: Word | undefined): boolean {
  return index?.value === '@' || index?.value === '*';
}

function element(name: string, keys: Output, frame: Frame): Value {
  const found = keys.flatMap((key) => {
    const single = frame.state.variables.get(`${frame.state.nameOf(name)}[${key}]`);
    if (single) return single.map(([it = '']) => it);
    if (!/^\d+$/.test(key)) return [UNKNOWN];
    return lookUp(name, frame).map((list) =>
      list.includes(UNKNOWN_WORDS) ? UNKNOWN : (list[Number(key)] ?? UNKNOWN),
    );
  });
  return plain(found);
}

function indirect(part: ParameterExpansionPart, frame: Frame): Value {
  if (isWholeIndex(part.index)) return keysOf(frame.state.nameOf(part.parameter), frame);
  if (part.operation?.type === 'Names' || part.index) return [[UNKNOWN_WORDS]];
  return lookUp(part.parameter, frame).flatMap(([name = '']) =>
    isKnown(name) && name !== '' ? lookUp(name, frame) : UNKNOWN_VALUE,
  );
}

/** `${!map[@]}` */
function keysOf(name: string, { state }: Frame): Value {
  const start = `${name}[`;
  const keys = [...state.variables.keys()].flatMap((it) =>
    it.startsWith(start) ? [it.slice(start.length, -1)] : [],
  );
  return keys.length > 0 ? [keys] : [[UNKNOWN_WORDS]];
}

function operate(
  operation: ParameterOperation,
  lists: Value,
  part: ParameterExpansionPart,
  frame: Frame,
): Value {
  const { text: textOf } = frame.reader;
  const each = (change: (text: string) => string): Value =>
    lists.map((list) => list.map((text) => (isKnown(text) ? change(text) : UNKNOWN)));
  switch (operation.type) {
    case 'Default':
      return withDefault(operation, lists, part, frame);
    case 'Remove':
      return textOf(operation.operand, frame).flatMap((it) =>
        each((text) => trimmed(text, operation.operator, it)),
      );
    case 'Slice':
      return sliced(operation, lists, part, frame);
    // How a replacement changes the text is not followed.
    case 'Replace':
      for (const it of [operation.pattern, operation.replacement]) textOf(it, frame);
      return UNKNOWN_VALUE;
    case 'CaseModification':
    case 'Transform':
    case 'Names':
    case 'Unknown':
      return UNKNOWN_VALUE;
  }
}

function withDefault(
  operation: Extract<ParameterOperation, { type: 'Default' }>,
  lists: Value,
  part: ParameterExpansionPart,
  frame: Frame,
): Value {
  const { operator } = operation;
  const fallback = plain(frame.reader.text(operation.operand, frame));
  const colon = operator.startsWith(':');
  const results = lists.flatMap((list): Value => {
    const [text] = list;
    const known = list.length !== 1 || isKnown(text ?? '');
    const set = !(text === undefined || (colon && text === ''));
    const [present, absent]: readonly [Value, Value] = operator.endsWith('+')
      ? [fallback, [['']]]
      : [[list], operator.endsWith('?') ? [list] : fallback];
    if (!known) return [...absent, ...present];
    return set ? present : absent;
  });
  if (operator.endsWith('=')) {
    frame.state.variables.set(frame.state.nameOf(part.parameter), results);
  }
  return results;
}

function trimmed(text: string, operator: '#' | '##' | '%' | '%%', pattern: string): string {
  if (!isKnown(pattern) || text.length > LONGEST_TRIMMED) return UNKNOWN;
  const longest = operator.length === 2;
  const fromStart = operator.startsWith('#');
  for (let count = 0; count <= text.length; count += 1) {
    const length = longest ? text.length - count : count;
    const piece = fromStart ? text.slice(0, length) : text.slice(text.length - length);
    if (matchesGlob(pattern, piece)) {
      return fromStart ? text.slice(length) : text.slice(0, text.length - length);
    }
  }
  return text;
}

/** The elements that a slice selects from a list. Which part of a text it selects is not followed. */
function sliced(
  { offset, length }: Extract<ParameterOperation, { type: 'Slice' }>,
  lists: Value,
  { parameter: name, index }: ParameterExpansionPart,
  frame: Frame,
): Value {
  const [from, count] = [offset, length].map((it) => it && numberOf(frame.reader.text(it, frame)));
  const isPositional = name === '@' || name === '*';
  const isUnknown = from === undefined || (length && count === undefined);
  if (isUnknown || !(isPositional || isWholeIndex(index))) return UNKNOWN_VALUE;
  // `${@:n}` counts from `$0`, which is not an element here.
  const start = isPositional ? Math.max(from - 1, 0) : from;
  return lists.map((list) =>
    list.includes(UNKNOWN_WORDS) ? [UNKNOWN_WORDS] : list.slice(start, start + (count ?? Infinity)),
  );
}

function numberOf(texts: readonly string[]): number | undefined {
  const text = texts.length === 1 ? (texts[0] ?? '').trim() : '';
  return /^-?\d+$/.test(text) ? Number(text) : undefined;
}

type Expression = ArithmeticExpression | TestExpression | Word;

/**
 * Reads what an arithmetic expression or a test runs by itself.
 *
 * @param isComputed its words are names or numbers, which the shell computes.
 */
export function readExpression(
  node: Expression | undefined,
  frame: Frame,
  isComputed = false,
): void {
  if (node === undefined) return;
  if (node.type === 'Word' || node.type === 'ArithmeticWord') {
    const texts = textsOf(node, frame);
    if (isComputed || node.type === 'ArithmeticWord') runSubscripts(texts, frame);
  } else if (node.type === 'ArithmeticCommandExpansion') {
    const within = inside(frame, '$(…)', { state: frame.state.copy() });
    if (node.script) frame.reader.parsed(node.script, within);
  } else {
    const computes = 'operator' in node && /^-(?:v|[lgen][tqe])$/.test(node.operator);
    const parts = Object.values(node).flat();
    for (const it of parts.filter((part) => typeof part === 'object'))
      readExpression(it, frame, computes);
  }
}

/** The value of a name in arithmetic is computed as well. */
function textsOf(node: Word | ArithmeticWord, frame: Frame): readonly string[] {
  if (node.type === 'Word') return frame.reader.text(node, frame);
  const { value: text, parts } = node;
  if (!parts) return lookUp(text, frame).flat();
  return frame.reader.text({ ...node, type: 'Word', text, parts }, frame);
}

/** Reads text that the shell computes, or takes for the name of a variable: `a[$(git push)]` runs the command. */
export function runSubscripts(texts: readonly string[], frame: Frame): void {
  for (const text of texts) {
    if (!/\[.*[$`]/s.test(text)) continue;
    const command = parse(`: "${text.replace(/["\\]/g, '\\$&')}"`).commands[0]?.command;
    const word = command?.type === 'Command' ? command.args[0] : undefined;
    if (word?.type === 'Word') frame.reader.text(word, frame);
  }
}
