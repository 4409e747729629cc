/** Evaluates expressions of a scripting language that are strings or lists of strings. */
import { UNKNOWN, UNKNOWN_WORDS } from '../shell/unknown.ts';
import type { Token } from './program-tokens.ts';

/** A text, a list of texts, or `undefined` for anything else. */
export type Argument = string | readonly string[] | undefined;

const DEEPEST = 20;

/** A program as far as it is read: its tokens, and the constants that were defined so far. */
export interface Program {
  readonly tokens: readonly Token[];
  readonly constants: Map<string, Argument>;
}

export function callArguments(program: Program, from: number, close: string): readonly Argument[] {
  const { tokens } = program;
  const found: Argument[] = [];
  let at = from;
  while (at < tokens.length && !isMark(tokens[at], close) && found.length < 64) {
    const read = expression(program, at);
    found.push(read.value);
    at = skipToComma(tokens, read.next, close);
    if (isMark(tokens[at], ',')) at += 1;
  }
  return found;
}

export function bareArguments(program: Program, from: number): readonly Argument[] {
  const found: Argument[] = [];
  let at = from;
  for (;;) {
    const read = expression(program, at);
    found.push(read.value);
    if (!isMark(program.tokens[read.next], ',') || found.length > 64) return found;
    at = read.next + 1;
  }
}

export function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text;
}

const OPENING = new Set(['(', '[', '{']);
const CLOSING = new Set([')', ']', '}']);

/** Skips the rest of an argument, to the comma or bracket that ends it. */
function skipToComma(tokens: readonly Token[], from: number, close: string): number {
  let depth = 0;
  let at = from;
  for (; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.kind !== 'mark') continue;
    if (depth === 0 && (token.text === ',' || token.text === close)) return at;
    if (OPENING.has(token.text)) depth += 1;
    else if (CLOSING.has(token.text)) {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return at;
}

interface Read {
  readonly value: Argument;
  readonly next: number;
}

/** An operand, and what is joined to it by `+`, `.` or adjacency. */
export function expression(program: Program, from: number, depth = 0): Read {
  let read = operand(program, from, depth);
  for (let count = 0; count < 200; count += 1) {
    const more = continued(program, read, depth);
    if (!more) break;
    read = more;
  }
  return read;
}

function continued(program: Program, { value, next }: Read, depth: number): Read | undefined {
  const { tokens } = program;
  const token = tokens[next];
  const after = tokens[next + 1];
  if (token?.kind === 'string' && typeof value === 'string') {
    return { value: value + token.text, next: next + 1 };
  }
  const dot = isMark(token, '.');
  if (isMark(token, '+') || (dot && after?.kind === 'string')) {
    const right = operand(program, next + 1, depth + 1);
    return { value: added(value, right.value), next: right.next };
  }
  if (!(dot || isMark(token, '%'))) return undefined;
  const end = skipToComma(tokens, next + 1, ')');
  if (dot && after?.text === 'join') return { value: joinedTexts(program, value, next), next: end };
  if (typeof value !== 'string') return { value, next: end };
  if (dot && after?.text === 'split') return { value: value.trim().split(/\s+/), next: end };
  // Formatting inserts unknown text.
  return { value: value.replace(/%[sdr]|\{\w*\}/g, UNKNOWN), next: end };
}

/** `" ".join(list)` and `list.join(" ")` */
function joinedTexts(program: Program, value: Argument, at: number): Argument {
  const [other] = callArguments(program, at + 3, ')');
  if (typeof value === 'string') return typeof other === 'object' ? other.join(value) : UNKNOWN;
  return value?.join(typeof other === 'string' ? other : ',');
}

function added(a: Argument, b: Argument): Argument {
  if (typeof a === 'string') return a + (typeof b === 'string' ? b : UNKNOWN);
  if (a !== undefined) return [...a, ...(typeof b === 'object' ? b : [UNKNOWN_WORDS])];
  return typeof b === 'string' ? UNKNOWN + b : a;
}

function operand(program: Program, at: number, depth: number): Read {
  const { tokens, constants } = program;
  const token = tokens[at];
  if (!token || depth > DEEPEST) return { value: undefined, next: at + 1 };
  if (token.kind === 'string') return { value: token.text, next: at + 1 };
  // perl writes a sigil before a name.
  if (isMark(token, '@') || isMark(token, '\\')) return operand(program, at + 1, depth + 1);
  // A spread: `*args`, `*%w[git push]`, `...args`.
  if (isMark(token, '*') || isMark(token, '.')) return operand(program, at + 1, depth + 1);
  // `args=[…]`
  if (token.text === 'args' && isMark(tokens[at + 1], '=')) {
    return operand(program, at + 2, depth + 1);
  }
  if (isMark(token, '{')) return argumentsOption(program, at, depth);
  if (isMark(token, '[')) return list(program, at + 1, ']', depth);
  if (isMark(token, '(')) return parentheses(program, at, depth);
  if (token.kind !== 'name') return { value: undefined, next: at + 1 };
  return splitText(program, at) ?? { value: constants.get(token.text), next: at + 1 };
}

/** `shlex.split("git push")`: the words of a text. */
function splitText(program: Program, at: number): Read | undefined {
  const { tokens } = program;
  const open = [at + 1, at + 3].find(
    (it) => isMark(tokens[it], '(') && WRAPPING.has(tokens[it - 1]?.text ?? ''),
  );
  if (open === undefined) return undefined;
  const [first] = callArguments(program, open + 1, ')');
  if (typeof first !== 'string') return undefined;
  return { value: first.trim().split(/\s+/), next: skipToComma(tokens, open + 1, '\0') + 1 };
}

/** One string in parentheses is that string; several are a tuple. */
function parentheses(program: Program, at: number, depth: number): Read {
  const inner = list(program, at + 1, ')', depth);
  const [only, ...others] = inner.value;
  return only === undefined || others.length > 0 ? inner : { ...inner, value: only };
}

/** `{ args: ['push'] }`, as `Deno.Command` takes its words. */
function argumentsOption(program: Program, at: number, depth: number): Read {
  const { tokens } = program;
  const next = skipToComma(tokens, at + 1, '\0') + 1;
  for (let index = at + 1; index < Math.min(next, at + 40); index += 1) {
    if (tokens[index]?.text === 'args' && isMark(tokens[index + 1], ':')) {
      return { value: expression(program, index + 2, depth + 1).value, next };
    }
  }
  return { value: undefined, next: at + 1 };
}

/** Functions that split a text into words: `shlex.split("git push")`. */
const WRAPPING = new Set(['split', 'shellsplit', 'shellwords']);

function list(program: Program, from: number, close: string, depth: number) {
  const { tokens } = program;
  const items: string[] = [];
  let at = from;
  while (at < tokens.length && !isMark(tokens[at], close) && items.length < 200) {
    const spread = isMark(tokens[at], '.') || isMark(tokens[at], '*');
    const { value, next } = expression(program, at, depth + 1);
    if (typeof value === 'object') items.push(...value);
    else items.push(value ?? (spread ? UNKNOWN_WORDS : UNKNOWN));
    at = skipToComma(tokens, next, close);
    if (isMark(tokens[at], ',')) at += 1;
    else if (!isMark(tokens[at], close)) break;
  }
  return { value: items, next: at + 1 };
}
