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
  /** A string on either side of a pipe is a command, as in awk. */
  readonly pipes?: true;
  /** A call may be written without parentheses: `system "x"`. */
  readonly bare: boolean;
}

const DEEPEST = 20;

export function startedCommands(tokens: readonly Token[], calls: Calls): readonly Started[] {
  const constants = new Map<string, Argument>();
  return tokens.flatMap((token, at) => {
    if (token.kind === 'string') {
      const executes = token.executes || (calls.pipes === true && isPiped(tokens, at));
      return executes ? [{ kind: 'text' as const, text: token.text }] : [];
    }
    if (token.kind !== 'name') return [];
    noteConstant(tokens, at, constants);
    return isCall(tokens, at, calls) ? startedBy(tokens, at, calls, constants) : [];
  });
}

/** awk's `"command" | getline` and `print | "command"`. */
function isPiped(tokens: readonly Token[], at: number): boolean {
  const into = isMark(tokens[at - 1], '|') && !isMark(tokens[at - 2], '|');
  const from = isMark(tokens[at + 1], '|') && !isMark(tokens[at + 2], '|');
  return into || from;
}

function startedBy(
  tokens: readonly Token[],
  at: number,
  calls: Calls,
  constants: ReadonlyMap<string, Argument>,
): readonly Started[] {
  const name = tokens[at]?.text ?? '';
  const next = tokens[at + 1];
  if (isMark(next, '(')) {
    const started = fromArguments(callArguments(tokens, at + 2, constants, ')'), name);
    // A method of something else that shares the name runs nothing, unless it is given a program
    // and its words.
    return isOwn(tokens, at, calls) ? started : started.filter((it) => it.kind === 'words');
  }
  // `$\`git push\`` in JavaScript, `system "git push"` in Ruby and Perl.
  if ((next?.kind !== 'string' && !calls.bare) || !isOwn(tokens, at, calls)) return [];
  const args = bareArguments(tokens, at + 1, constants);
  return args[0]?.kind === 'other' ? [] : fromArguments(args, name);
}

function isCall(tokens: readonly Token[], at: number, calls: Calls): boolean {
  if (!calls.functions.has(tokens[at]?.text ?? '')) return false;
  const previous = tokens[at - 1]?.text;
  return previous !== 'def' && previous !== 'function' && previous !== 'sub';
}

/** Not a method, or a method of one of the objects that start programs. */
function isOwn(tokens: readonly Token[], at: number, { methods }: Calls): boolean {
  const name = tokens[at]?.text ?? '';
  const owners = methods && Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (!owners || tokens[at - 1]?.text !== '.') return true;
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
  let read = operand(tokens, from, constants, depth);
  for (let count = 0; count < 200; count += 1) {
    const more = continued(tokens, read, constants, depth);
    if (!more) break;
    read = more;
  }
  return read;
}

function continued(
  tokens: readonly Token[],
  { value, next }: Read,
  constants: ReadonlyMap<string, Argument>,
  depth: number,
): Read | undefined {
  const token = tokens[next];
  const after = tokens[next + 1];
  if (token?.kind === 'string' && value.kind === 'text') {
    return { value: { kind: 'text', text: value.text + token.text }, next: next + 1 };
  }
  const dot = isMark(token, '.');
  if (isMark(token, '+') || (dot && after?.kind === 'string')) {
    const right = operand(tokens, next + 1, constants, depth + 1);
    return { value: added(value, right.value), next: right.next };
  }
  if (!(dot || isMark(token, '%'))) return undefined;
  const end = skipToComma(tokens, next + 1, ')');
  if (value.kind !== 'text') return { value, next: end };
  if (dot && after?.text === 'split') {
    return { value: { kind: 'list', items: value.text.trim().split(/\s+/) }, next: end };
  }
  // Formatting puts unknown text somewhere into it.
  return { value: { kind: 'text', text: formatted(value.text) }, next: end };
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
  if (isMark(token, '{')) return argumentsOption(tokens, at, constants, depth);
  if (isMark(token, '[')) return list(tokens, at + 1, constants, ']', depth);
  if (isMark(token, '(')) {
    const inner = list(tokens, at + 1, constants, ')', depth);
    const items = inner.value.kind === 'list' ? inner.value.items : [];
    // One string in parentheses is that string; several are a tuple.
    return items.length === 1 ? { ...inner, value: { kind: 'text', text: items[0] ?? '' } } : inner;
  }
  if (token.kind !== 'name') return { value: { kind: 'other' }, next: at + 1 };
  return (
    splitText(tokens, at, constants) ?? {
      value: constants.get(token.text) ?? { kind: 'other' },
      next: at + 1,
    }
  );
}

/** `shlex.split("git push")`: the words of a text. */
function splitText(
  tokens: readonly Token[],
  at: number,
  constants: ReadonlyMap<string, Argument>,
): Read | undefined {
  const open = [at + 1, at + 3].find(
    (it) => isMark(tokens[it], '(') && WRAPPING.has(tokens[it - 1]?.text ?? ''),
  );
  if (open === undefined) return undefined;
  const [first] = callArguments(tokens, open + 1, constants, ')');
  if (first?.kind !== 'text') return undefined;
  const next = skipToComma(tokens, open + 1, '\0') + 1;
  return { value: { kind: 'list', items: first.text.trim().split(/\s+/) }, next };
}

/** `{ args: ['push'] }`, as `Deno.Command` takes its words. */
function argumentsOption(
  tokens: readonly Token[],
  at: number,
  constants: ReadonlyMap<string, Argument>,
  depth: number,
): Read {
  const next = skipToComma(tokens, at + 1, '\0') + 1;
  for (let index = at + 1; index < Math.min(next, at + 40); index += 1) {
    if (tokens[index]?.text === 'args' && isMark(tokens[index + 1], ':')) {
      return { value: expression(tokens, index + 2, constants, depth + 1).value, next };
    }
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
