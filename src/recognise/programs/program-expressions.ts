/** Evaluates expressions of a scripting language that are strings or lists of strings. */
import { UNKNOWN, UNKNOWN_WORDS } from '../shell/unknown.ts';
import type { Token } from './program-tokens.ts';

export type Argument =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'other' };

const DEEPEST = 20;

/** Marks that perl writes before a value's name. */
const SIGILS = new Set(['@', '\\']);

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
  if (token?.kind === 'string' && value.kind === 'text') {
    return { value: { kind: 'text', text: value.text + token.text }, next: next + 1 };
  }
  const dot = isMark(token, '.');
  if (isMark(token, '+') || (dot && after?.kind === 'string')) {
    const right = operand(program, next + 1, depth + 1);
    return { value: added(value, right.value), next: right.next };
  }
  if (!(dot || isMark(token, '%'))) return undefined;
  const end = skipToComma(tokens, next + 1, ')');
  if (value.kind !== 'text') return { value, next: end };
  if (dot && after?.text === 'split') {
    return { value: { kind: 'list', items: value.text.trim().split(/\s+/) }, next: end };
  }
  // Formatting inserts unknown text.
  return { value: { kind: 'text', text: formatted(value.text) }, next: end };
}

function formatted(text: string): string {
  return text.replace(/%[sdr]|\{\w*\}/g, UNKNOWN);
}

function added(a: Argument, b: Argument): Argument {
  if (a.kind === 'text')
    return { kind: 'text', text: a.text + (b.kind === 'text' ? b.text : UNKNOWN) };
  if (a.kind === 'list') {
    return {
      kind: 'list',
      items: [...a.items, ...(b.kind === 'list' ? b.items : [UNKNOWN_WORDS])],
    };
  }
  return b.kind === 'text' ? { kind: 'text', text: UNKNOWN + b.text } : a;
}

function operand(program: Program, at: number, depth: number): Read {
  const { tokens, constants } = program;
  const token = tokens[at];
  if (!token || depth > DEEPEST) return { value: { kind: 'other' }, next: at + 1 };
  if (token.kind === 'string') return { value: { kind: 'text', text: token.text }, next: at + 1 };
  // perl writes a sigil before a name.
  if (token.kind === 'mark' && SIGILS.has(token.text)) {
    return operand(program, at + 1, depth + 1);
  }
  if (isMark(token, '{')) return argumentsOption(program, at, depth);
  if (isMark(token, '[')) return list(program, at + 1, ']', depth);
  if (isMark(token, '(')) return parentheses(program, at, depth);
  if (token.kind !== 'name') return { value: { kind: 'other' }, next: at + 1 };
  const value = constants.get(token.text) ?? { kind: 'other' };
  return splitText(program, at) ?? { value, next: at + 1 };
}

/** `shlex.split("git push")`: the words of a text. */
function splitText(program: Program, at: number): Read | undefined {
  const { tokens } = program;
  const open = [at + 1, at + 3].find(
    (it) => isMark(tokens[it], '(') && WRAPPING.has(tokens[it - 1]?.text ?? ''),
  );
  if (open === undefined) return undefined;
  const [first] = callArguments(program, open + 1, ')');
  if (first?.kind !== 'text') return undefined;
  const next = skipToComma(tokens, open + 1, '\0') + 1;
  return { value: { kind: 'list', items: first.text.trim().split(/\s+/) }, next };
}

/** One string in parentheses is that string; several are a tuple. */
function parentheses(program: Program, at: number, depth: number): Read {
  const inner = list(program, at + 1, ')', depth);
  const items = inner.value.kind === 'list' ? inner.value.items : [];
  const [only] = items;
  if (only === undefined || items.length > 1) return inner;
  return { ...inner, value: { kind: 'text', text: only } };
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
  return { value: { kind: 'other' }, next: at + 1 };
}

/** Functions that split a text into words: `shlex.split("git push")`. */
const WRAPPING = new Set(['split', 'shellsplit', 'shellwords']);

function list(program: Program, from: number, close: string, depth: number): Read {
  const { tokens } = program;
  const items: string[] = [];
  let at = from;
  while (at < tokens.length && !isMark(tokens[at], close) && items.length < 200) {
    const spread = isMark(tokens[at], '.') || isMark(tokens[at], '*');
    const read = expression(program, at, depth + 1);
    const { value } = read;
    if (value.kind === 'text') items.push(value.text);
    else if (value.kind === 'list') items.push(...value.items);
    else items.push(spread ? UNKNOWN_WORDS : UNKNOWN);
    at = skipToComma(tokens, read.next, close);
    if (isMark(tokens[at], ',')) at += 1;
    else if (!isMark(tokens[at], close)) break;
  }
  return { value: { kind: 'list', items }, next: at + 1 };
}
