/** Separates a text of PowerShell into statements, and these into words, blocks and groups. */

export type Item =
  | { readonly kind: 'text'; readonly pieces: readonly Piece[]; readonly quoted: boolean }
  /** `{ … }` */
  | { readonly kind: 'block'; readonly source: string }
  /** `( … )`, `$( … )`, `@( … )`, also inside quotes; its statements run. */
  | { readonly kind: 'group'; readonly source: string; readonly embedded: boolean }
  /** `@name` */
  | { readonly kind: 'splat'; readonly name: string }
  | { readonly kind: 'comma' };

/** Text, or a variable by its name. */
export type Piece = string | { readonly variable: string };

export interface Statement {
  readonly items: readonly Item[];
  /** Its input is the output of the one before. */
  readonly piped: boolean;
}

/** @param most statements; the last one of more is cut off, and `complete` is false. */
export function powerShellStatements(
  text: string,
  most: number,
): { readonly statements: readonly Statement[]; readonly complete: boolean } {
  const statements: Statement[] = [];
  let items: Item[] = [];
  let piped = false;
  let at = 0;
  const end = (pipe: boolean): void => {
    if (items.length > 0) statements.push({ items, piped });
    items = [];
    piped = pipe;
  };
  while (at < text.length && statements.length < most) {
    const gap = gapAt(text, at);
    if (gap === undefined) {
      const read = itemAt(text, at);
      items.push(...read.items);
      at = Math.max(read.end, at + 1);
    } else {
      if (gap.ends !== undefined) end(gap.ends === 'pipe');
      at = gap.end;
    }
  }
  end(false);
  return { statements, complete: at >= text.length };
}

interface Gap {
  readonly end: number;
  /** What it ends; nothing between words. */
  readonly ends?: 'statement' | 'pipe';
}

/** What separates words or statements. */
function gapAt(text: string, at: number): Gap | undefined {
  const char = text[at] as string;
  const comment = commentEnd(text, at);
  if (comment !== undefined) return { end: comment };
  const [continued] = /^`\r?\n/.exec(text.slice(at, at + 3)) ?? [];
  if (continued !== undefined) return { end: at + continued.length };
  if (/[;\n})]/.test(char)) return { end: at + 1, ends: 'statement' };
  if (/^(?:&&|\|\|)/.test(text.slice(at, at + 2))) return { end: at + 2, ends: 'statement' };
  if (char === '|') return { end: at + 1, ends: 'pipe' };
  return /\s/.test(char) ? { end: at + 1 } : undefined;
}

function commentEnd(text: string, at: number): number | undefined {
  if (text.startsWith('<#', at)) {
    const end = text.indexOf('#>', at);
    return end < 0 ? text.length : end + 2;
  }
  if (text[at] !== '#' || (at > 0 && !/[\s;{(|&]/.test(text[at - 1] ?? ''))) return undefined;
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

interface Read {
  readonly items: readonly Item[];
  readonly end: number;
}

function itemAt(text: string, at: number): Read {
  const char = text[at] as string;
  const next = text[at + 1] ?? '';
  if (char === ',') return { items: [{ kind: 'comma' }], end: at + 1 };
  if (char === '{') {
    const end = closing(text, at);
    return { items: [{ kind: 'block', source: text.slice(at + 1, end - 1) }], end };
  }
  if (char === '(' || ((char === '$' || char === '@') && next === '(')) {
    const open = char === '(' ? at : at + 1;
    const end = closing(text, open);
    const source = text.slice(open + 1, end - 1);
    return { items: [{ kind: 'group', source, embedded: false }], end };
  }
  if (char === '@' && (next === '"' || next === "'")) return hereString(text, at);
  const splat = /^@(\w+)/.exec(text.slice(at, at + 60));
  if (splat) return { items: [{ kind: 'splat', name: splat[1] ?? '' }], end: at + splat[0].length };
  return wordAt(text, at);
}

function hereString(text: string, at: number): Read {
  const quote = text[at + 1] ?? '';
  const start = text.indexOf('\n', at) + 1;
  const end = start === 0 ? -1 : text.indexOf(`\n${quote}@`, start - 1);
  const body = end < 0 ? text.slice(at + 2) : text.slice(start, end);
  const read = quote === '"' ? expandable(body) : { pieces: [body], groups: [] };
  const item: Item = { kind: 'text', pieces: read.pieces, quoted: true };
  return { items: [item, ...read.groups], end: end < 0 ? text.length : end + 3 };
}

/** A word of adjacent quoted and plain parts. */
function wordAt(text: string, from: number): Read {
  // The call operator may stand right before a name.
  if (text[from] === '&') {
    return { items: [{ kind: 'text', pieces: ['&'], quoted: false }], end: from + 1 };
  }
  const pieces: Piece[] = [];
  const groups: Item[] = [];
  let at = from;
  while (at < text.length && !/[\s;|&,(){}]/.test(text[at] as string)) {
    const char = text[at];
    const isQuote = char === '"' || char === "'";
    const end = isQuote ? quoteEnd(text, at) : 0;
    const read = isQuote ? quotedText(text.slice(at, end - 1)) : pieceAt(text, at);
    pieces.push(...read.pieces);
    groups.push(...('groups' in read ? read.groups : []));
    at = 'end' in read ? read.end : end;
  }
  const quoted = /["']/.test(text[from] ?? '');
  return { items: [{ kind: 'text', pieces, quoted }, ...groups], end: at };
}

/** @param source with the quote before it. */
function quotedText(source: string) {
  const body = source.slice(1);
  return source.startsWith('"')
    ? expandable(body)
    : { pieces: [body.replaceAll("''", "'")], groups: [] };
}

/** A character, one that is escaped, or a variable. */
function pieceAt(text: string, at: number): { pieces: readonly Piece[]; end: number } {
  if (text[at] === '`') return { pieces: [text[at + 1] ?? ''], end: at + 2 };
  const variable = text[at] === '$' ? VARIABLE.exec(text.slice(at, at + 120)) : null;
  return variable
    ? { pieces: [{ variable: variable[1] ?? variable[2] ?? '' }], end: at + variable[0].length }
    : { pieces: [text[at] ?? ''], end: at + 1 };
}

/** A variable, with the names of its members. */
const VARIABLE = /^\$(?:\{([^}]*)\}|((?:\w+:)?\w+|[?$^])(?:\.\w+)*)/;

/** The text between double quotes: variables, and `$( … )`, whose statements run. */
function expandable(body: string): { pieces: readonly Piece[]; groups: readonly Item[] } {
  const pieces: Piece[] = [];
  const groups: Item[] = [];
  for (let at = 0; at < body.length; ) {
    if (body.startsWith('$(', at)) {
      const end = closing(body, at + 1);
      groups.push({ kind: 'group', source: body.slice(at + 2, end - 1), embedded: true });
      pieces.push({ variable: '' });
      at = end;
    } else {
      const read = pieceAt(body, at);
      pieces.push(...read.pieces);
      at = read.end;
    }
  }
  return { pieces, groups };
}

function quoteEnd(text: string, open: number): number {
  const quote = text[open];
  for (let at = open + 1; at < text.length; at += 1) {
    if (text[at] === '`' && quote === '"') at += 1;
    else if (text[at] === quote && text[at + 1] === quote) at += 1;
    else if (text[at] === quote) return at + 1;
  }
  return text.length + 1;
}

/** The place after the bracket that closes the one at `open`. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; ) {
    const char = text[at] as string;
    if (/[({]/.test(char)) depth += 1;
    else if (/[)}]/.test(char)) depth -= 1;
    if (depth === 0) return at + 1;
    at = afterPart(text, at);
  }
  return text.length + 1;
}

/** The place after a comment, a quoted text, or a character. */
function afterPart(text: string, at: number): number {
  const char = text[at] as string;
  if (char === '"' || char === "'") return quoteEnd(text, at);
  return commentEnd(text, at) ?? (char === '`' ? at + 2 : at + 1);
}
