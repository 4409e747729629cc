/**
 * Splits a program in one of the scripting languages into names, strings and punctuation: enough to
 * see which strings are arguments of a call that executes, and which are only text.
 */
import { unescaped } from '../shell/print.ts';
import { UNKNOWN } from '../shell/unknown.ts';

export type Token =
  | { readonly kind: 'string'; readonly text: string; readonly executes: boolean }
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'mark'; readonly text: string };

export interface Lexis {
  readonly lineComments: readonly string[];
  readonly blockComments?: true;
  /** Strings in three quotes, and letters before a quote, as in Python. */
  readonly tripleQuotes?: true;
  /** Back quotes run their text (perl, ruby, php), or are a template (JavaScript). */
  readonly backquotes?: 'execute' | 'template';
  /** How a value stands inside a double-quoted string: `$x` or `#{x}`. */
  readonly interpolation?: 'dollar' | 'hash';
  /** `qx{…}`, `%x(…)` and the quoting forms `q`, `qq`, `qw`. */
  readonly quoteWords?: true;
}

const MOST_TOKENS = 20_000;

export function tokenize(text: string, lexis: Lexis): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length && tokens.length < MOST_TOKENS) {
    const end =
      skipBlank(text, at, lexis) ??
      readString(text, at, lexis, tokens) ??
      readRest(text, at, tokens);
    at = Math.max(end, at + 1);
  }
  return tokens;
}

function skipBlank(text: string, at: number, lexis: Lexis): number | undefined {
  const char = text[at] as string;
  if (char === ' ' || char === '\n' || char === '\t' || char === '\r') return at + 1;
  const comment = lexis.lineComments.find((it) => text.startsWith(it, at));
  if (comment) {
    const end = text.indexOf('\n', at);
    return end < 0 ? text.length : end;
  }
  if (lexis.blockComments && text.startsWith('/*', at)) {
    const end = text.indexOf('*/', at + 2);
    return end < 0 ? text.length : end + 2;
  }
  return undefined;
}

function readRest(text: string, at: number, tokens: Token[]): number {
  const nameOrNumber = /[\p{L}_$][\p{L}\p{N}_$]*|\d[\w.]*/uy;
  nameOrNumber.lastIndex = at;
  const [name] = nameOrNumber.exec(text) ?? [];
  tokens.push(name ? { kind: 'name', text: name } : { kind: 'mark', text: text[at] as string });
  return at + (name?.length ?? 1);
}

function readString(text: string, at: number, lexis: Lexis, tokens: Token[]): number | undefined {
  if (lexis.quoteWords) {
    const end = readQuoteWord(text, at, tokens);
    if (end !== undefined) return end;
  }
  let start = at;
  let prefix = '';
  if (lexis.tripleQuotes) {
    prefix = /^(?:[rRbBuUfF]{1,2})(?=["'])/.exec(text.slice(at, at + 4))?.[0] ?? '';
    start += prefix.length;
  }
  const quote = text[start] as string;
  if (quote !== '"' && quote !== "'" && !(quote === '`' && lexis.backquotes)) return undefined;
  const triple = lexis.tripleQuotes && text.startsWith(quote.repeat(3), start);
  const close = triple ? quote.repeat(3) : quote;
  const end = findClose(text, start + close.length, close);
  const body = text.slice(start + close.length, end);
  const raw = /[rR]/.test(prefix);
  const plain = raw ? body : unescaped(body.replace(/\\\n/g, ''));
  tokens.push({
    kind: 'string',
    text: withoutValues(plain, quote, prefix, lexis),
    executes: quote === '`' && lexis.backquotes === 'execute',
  });
  return end + close.length;
}

function findClose(text: string, from: number, close: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text.startsWith(close, at)) return at;
  }
  return text.length;
}

/** Values inside a string are unknown: `f"{x}"`, `` `${x}` ``, `"#{x}"`, `"$x"`. */
function withoutValues(text: string, quote: string, prefix: string, lexis: Lexis): string {
  if (/[fF]/.test(prefix)) return text.replace(/\{[^{}]*\}/g, UNKNOWN);
  if (quote === '`' && lexis.backquotes === 'template')
    return text.replace(/\$\{[^}]*\}/g, UNKNOWN);
  if (quote === "'") return text;
  if (lexis.interpolation === 'hash') return text.replace(/#\{[^}]*\}/g, UNKNOWN);
  if (lexis.interpolation === 'dollar') return text.replace(/[$@]\{?[A-Za-z_]\w*\}?/g, UNKNOWN);
  return text;
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };

/** `qx{git push}`, `%x(git push)`, `qw(git push)`. */
function readQuoteWord(text: string, at: number, tokens: Token[]): number | undefined {
  const before = text[at - 1] ?? ' ';
  if (/[\w$@%]/.test(before)) return undefined;
  const match = /^(qx|qq|qw|q|%x|%w|%q|%Q|%W)\s*([^\w\s,;=)])/.exec(text.slice(at, at + 8));
  if (!match) return undefined;
  const [whole, word = '', open = ''] = match;
  const close = CLOSING[open] ?? open;
  const end = findClose(text, at + whole.length, close);
  const body = text.slice(at + whole.length, end);
  if (word === 'qw' || word.toLowerCase() === '%w') {
    for (const [index, item] of body.trim().split(/\s+/).entries()) {
      if (index > 0) tokens.push({ kind: 'mark', text: ',' });
      tokens.push({ kind: 'string', text: item, executes: false });
    }
  } else tokens.push({ kind: 'string', text: body, executes: word.endsWith('x') });
  return end + 1;
}
