/**
 * Finds the commands that a program in a scripting language would start: the strings and lists that
 * are arguments of a call that executes. Everything else in it is data.
 */
import type { Token } from './program-tokens.ts';
import { isKnown, MANY, ONE } from './unknown.ts';

/** What a call would run: a shell text, or the words of a program. */
export type Started =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'unknown'; readonly call: string };

type Argument =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'other' };

export interface Calls {
  /** Functions whose first string is a command. */
  readonly functions: ReadonlySet<string>;
  /** Functions that are named like others: they count only after one of these objects. */
  readonly methods?: Readonly<Record<string, ReadonlySet<string>>>;
  /** A call may be written without parentheses: `system "x"`. */
  readonly bare: boolean;
}

const DEEPEST = 20;

export function startedCommands(tokens: readonly Token[], calls: Calls): readonly Started[] {
  const started: Started[] = [];
  const constants = new Map<string, Argument>();
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as Token;
    if (token.kind === 'string') {
      if (token.executes) started.push({ kind: 'text', text: token.text });
      continue;
    }
    if (token.kind !== 'name') continue;
    noteConstant(tokens, at, constants);
    if (!isCall(tokens, at, calls)) continue;
    const next = tokens[at + 1];
    if (next?.kind === 'string') {
      // `$\`git push\`` in JavaScript, `system "git push"` in Ruby and Perl.
      const args = bareArguments(tokens, at + 1, constants);
      started.push(...fromArguments(args, token.text));
    } else if (next?.text === '(') {
      started.push(...fromArguments(callArguments(tokens, at + 2, constants, ')'), token.text));
    } else if (calls.bare && next !== undefined) {
      const args = bareArguments(tokens, at + 1, constants);
      if (args[0]?.kind !== 'other') started.push(...fromArguments(args, token.text));
    }
  }
  return started;
}

function isCall(tokens: readonly Token[], at: number, calls: Calls): boolean {
  const name = tokens[at]?.text ?? '';
  if (!calls.functions.has(name)) return false;
  const previous = tokens[at - 1]?.text;
  if (previous === 'def' || previous === 'function' || previous === 'sub') return false;
  const owners =
    calls.methods && Object.hasOwn(calls.methods, name) ? calls.methods[name] : undefined;
  if (!owners || previous !== '.') return true;
  return owners.has(tokens[at - 2]?.text ?? '');
}

/** `name = "text"` or a list: known when a call uses it by name. */
function noteConstant(
  tokens: readonly Token[],
  at: number,
  constants: Map<string, Argument>,
): void {
  if (tokens[at + 1]?.text !== '=' || tokens[at + 2]?.text === '=') return;
  if (tokens[at + 2]?.kind === 'name' && !constants.has(tokens[at + 2]?.text ?? '')) return;
  const { value } = expression(tokens, at + 2, constants, 0);
  constants.set(tokens[at]?.text ?? '', value);
}

function callArguments(
  tokens: readonly Token[],
  from: number,
  constants: ReadonlyMap<string, Argument>,
  close: string,
): readonly Argument[] {
  const found: Argument[] = [];
  let at = from;
  while (at < tokens.length && tokens[at]?.text !== close && found.length < 64) {
    const read = expression(tokens, at, constants, 0);
    found.push(read.value);
    at = skipToComma(tokens, read.next, close);
    if (isMark(tokens[at], ',')) at += 1;
  }
  return found;
}

function bareArguments(
  tokens: readonly Token[],
  from: number,
  constants: ReadonlyMap<string, Argument>,
): readonly Argument[] {
  const found: Argument[] = [];
  let at = from;
  for (;;) {
    const read = expression(tokens, at, constants, 0);
    found.push(read.value);
    if (!isMark(tokens[read.next], ',') || found.length > 64) return found;
    at = read.next + 1;
  }
}

function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text;
}

const OPENING = new Set(['(', '[', '{']);
const CLOSING = new Set([')', ']', '}']);

/** Skips what an argument goes on with, to the comma or bracket that ends it. */
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

/** An operand, and what is added to it by `+`, `.` or standing side by side. */
function expression(
  tokens: readonly Token[],
  from: number,
  constants: ReadonlyMap<string, Argument>,
  depth: number,
): Read {
  let { value, next } = operand(tokens, from, constants, depth);
  for (let count = 0; count < 200; count += 1) {
    const token = tokens[next];
    if (token?.kind === 'string' && value.kind === 'text') {
      value = { kind: 'text', text: value.text + token.text };
      next += 1;
    } else if (isMark(token, '+') || (isMark(token, '.') && tokens[next + 1]?.kind === 'string')) {
      const read = operand(tokens, next + 1, constants, depth + 1);
      value = added(value, read.value);
      next = read.next;
    } else if (isMark(token, '.') && tokens[next + 1]?.text === 'split' && value.kind === 'text') {
      value = { kind: 'list', items: value.text.trim().split(/\s+/) };
      next = skipToComma(tokens, next + 1, ')');
    } else if (isMark(token, '%') || isMark(token, '.')) {
      // Formatting puts unknown text somewhere into it.
      value = value.kind === 'text' ? { kind: 'text', text: formatted(value.text) } : value;
      next = skipToComma(tokens, next + 1, ')');
      break;
    } else break;
  }
  return { value, next };
}

function formatted(text: string): string {
  return text.replace(/%[sdr]|\{\w*\}/g, ONE);
}

function added(a: Argument, b: Argument): Argument {
  if (a.kind === 'text') return { kind: 'text', text: a.text + (b.kind === 'text' ? b.text : ONE) };
  if (a.kind === 'list') {
    return { kind: 'list', items: [...a.items, ...(b.kind === 'list' ? b.items : [MANY])] };
  }
  return b.kind === 'text' ? { kind: 'text', text: ONE + b.text } : a;
}

function operand(
  tokens: readonly Token[],
  at: number,
  constants: ReadonlyMap<string, Argument>,
  depth: number,
): Read {
  const token = tokens[at];
  if (!token || depth > DEEPEST) return { value: { kind: 'other' }, next: at + 1 };
  if (token.kind === 'string') return { value: { kind: 'text', text: token.text }, next: at + 1 };
  if (isMark(token, '[')) return list(tokens, at + 1, constants, ']', depth);
  if (isMark(token, '(')) {
    const inner = list(tokens, at + 1, constants, ')', depth);
    const items = inner.value.kind === 'list' ? inner.value.items : [];
    // One string in parentheses is that string; several are a tuple.
    return items.length === 1 ? { ...inner, value: { kind: 'text', text: items[0] ?? '' } } : inner;
  }
  if (token.kind === 'name') {
    if (WRAPPING.has(token.text) || isMark(tokens[at + 1], '.')) {
      const open = tokens.findIndex((it, index) => index > at && index < at + 5 && isMark(it, '('));
      if (open > 0 && WRAPPING.has(tokens[open - 1]?.text ?? '')) {
        const inner = callArguments(tokens, open + 1, constants, ')');
        const end = skipToComma(tokens, open + 1, '\0');
        const [first] = inner;
        if (first?.kind === 'text') {
          return { value: { kind: 'list', items: first.text.trim().split(/\s+/) }, next: end + 1 };
        }
      }
    }
    return { value: constants.get(token.text) ?? { kind: 'other' }, next: at + 1 };
  }
  return { value: { kind: 'other' }, next: at + 1 };
}

/** Functions that split a text into words: `shlex.split("git push")`. */
const WRAPPING = new Set(['split', 'shellsplit', 'shellwords']);

function list(
  tokens: readonly Token[],
  from: number,
  constants: ReadonlyMap<string, Argument>,
  close: string,
  depth: number,
): Read {
  const items: string[] = [];
  let at = from;
  while (at < tokens.length && !isMark(tokens[at], close) && items.length < 200) {
    const spread = isMark(tokens[at], '.') || isMark(tokens[at], '*');
    const read = expression(tokens, at, constants, depth + 1);
    const { value } = read;
    if (value.kind === 'text') items.push(value.text);
    else if (value.kind === 'list') items.push(...value.items);
    else items.push(spread ? MANY : ONE);
    at = skipToComma(tokens, read.next, close);
    if (isMark(tokens[at], ',')) at += 1;
    else if (!isMark(tokens[at], close)) break;
  }
  return { value: { kind: 'list', items }, next: at + 1 };
}

/** The readings of one call: a text for a shell, a program with its words, or both. */
function fromArguments(args: readonly Argument[], call: string): readonly Started[] {
  const [first, second] = args;
  if (!first || first.kind === 'other') {
    const later = args.flatMap((it) =>
      it.kind === 'text' ? [it.text] : it.kind === 'list' ? it.items : [],
    );
    // `os.spawnlp(os.P_WAIT, "git", "git", "push")`: a mode stands before the program.
    if (later.length > 1) return words(later);
    return first ? [{ kind: 'unknown', call }] : [];
  }
  if (first.kind === 'list') return [{ kind: 'words', words: first.items }];
  if (second?.kind === 'list') return words([first.text, ...second.items]);
  const texts = args.flatMap((it) => (it.kind === 'text' ? [it.text] : []));
  if (texts.length === 1) return [{ kind: 'text', text: first.text }];
  return [{ kind: 'text', text: first.text }, ...words(texts)];
}

/** The program may be named twice: once as the file, once as its own first word. */
function words(list: readonly string[]): readonly Started[] {
  const [file = '', own = ''] = list;
  const started: Started[] = [{ kind: 'words', words: list }];
  const base = file.slice(file.lastIndexOf('/') + 1);
  if (isKnown(own) && (own === file || own === base)) {
    started.push({ kind: 'words', words: list.slice(1) });
  }
  return started;
}
