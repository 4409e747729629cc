/**
 * Brace expansion on the text of a word, before anything else is expanded, as bash does it:
 * `pu{sh,ll}`, `{1..3}`, nested.
 */

const MOST_WORDS = 128;
const MOST_CHARACTERS = 20_000;

/**
 * The words that one word expands to; `undefined` if there are more than the limit. Braces in
 * quotes, substitutions and escapes are kept.
 */
export function braceWords(text: string): readonly string[] | undefined {
  if (!text.includes('{')) return [text];
  const results: string[] = [];
  const pending = [text];
  let room = MOST_CHARACTERS;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    room -= next.length;
    if (room < 0 || results.length + pending.length > MOST_WORDS) return undefined;
    const expanded = expandFirst(next);
    if (expanded) pending.push(...expanded.toReversed());
    else results.push(next);
  }
  return results;
}

function expandFirst(text: string): readonly string[] | undefined {
  let at = 0;
  while (at < text.length) {
    const skipped = skipQuoted(text, at);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    if (text[at] === '{') {
      const group = readGroup(text, at);
      const head = text.slice(0, at);
      if (group) return group.choices.map((choice) => head + choice + text.slice(group.end));
    }
    at += 1;
  }
  return undefined;
}

/** The index after a quoted or substituted stretch that starts here, or `at` if none does. */
function skipQuoted(text: string, at: number): number {
  const char = text[at];
  if (char === '\\') return at + 2;
  if (char === "'" || char === '`') return after(text, char, at + 1);
  if (char === '"') return afterDoubleQuote(text, at + 1);
  if (char === '$' && text[at + 1] === '{') return afterNested(text, at + 1, '{', '}');
  if (char === '$' && text[at + 1] === '(') return afterNested(text, at + 1, '(', ')');
  return at;
}

function after(text: string, char: string, from: number): number {
  const end = text.indexOf(char, from);
  return end < 0 ? text.length : end + 1;
}

function afterDoubleQuote(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** The index after the bracket that closes the one at `from`. */
export function afterNested(text: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === open) depth += 1;
    else if (text[at] === close) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}

function readGroup(
  text: string,
  open: number,
): { choices: readonly string[]; end: number } | undefined {
  const choices: string[] = [];
  let depth = 0;
  let start = open + 1;
  let at = open + 1;
  while (at < text.length) {
    const skipped = skipQuoted(text, at);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const char = text[at];
    if (char === '{') depth += 1;
    else if (char === '}' && depth > 0) depth -= 1;
    else if (char === '}') {
      choices.push(text.slice(start, at));
      return closeGroup(choices, at + 1);
    } else if (char === ',' && depth === 0) {
      choices.push(text.slice(start, at));
      start = at + 1;
    }
    at += 1;
  }
  return undefined;
}

function closeGroup(choices: readonly string[], end: number) {
  if (choices.length > 1) return { choices, end };
  const range = sequence(choices[0] ?? '');
  return range && { choices: range, end };
}

function sequence(text: string): readonly string[] | undefined {
  const match = /^(-?\d{1,9}|[a-zA-Z])\.\.(-?\d{1,9}|[a-zA-Z])(?:\.\.(-?\d{1,9}))?$/.exec(text);
  const [, from = '', to = '', by = '1'] = match ?? [];
  const letters = /^[a-zA-Z]$/.test(from);
  if (!match || letters !== /^[a-zA-Z]$/.test(to)) return undefined;
  const first = letters ? from.charCodeAt(0) : Number(from);
  const last = letters ? to.charCodeAt(0) : Number(to);
  const step = (Math.abs(Number(by)) || 1) * (first <= last ? 1 : -1);
  const count = Math.min(Math.floor((last - first) / step) + 1, MOST_WORDS);
  return Array.from({ length: count }, (_, at) => {
    const value = first + at * step;
    return letters ? String.fromCharCode(value) : String(value);
  });
}
