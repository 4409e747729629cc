/** Brace expansion on a word's text before all other expansion, as in bash: `pu{sh,ll}`, `{1..3}`, nested. */

const MOST_WORDS = 128;
const MOST_CHARACTERS = 20_000;

/** The words a word expands to; `undefined` above the limit. Quoted, substituted and escaped braces are kept. */
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

/** A stretch in which braces are kept: escaped, quoted or substituted; else one character. */
const STRETCH =
  /\\.|'[^']*'?|`[^`]*`?|"(?:\\.|[^"\\])*"?|\$\{(?:[^{}]|\{[^{}]*\})*\}?|\$\((?:[^()]|\([^()]*\))*\)?|./gs;

function expandFirst(text: string): readonly string[] | undefined {
  const parts: readonly string[] = text.match(STRETCH) ?? [];
  const opening = parts.flatMap((it, at) => (it === '{' ? [at] : [])).slice(0, MOST_WORDS);
  for (const open of opening) {
    const group = groupAt(parts, open);
    if (!group) continue;
    const [head, tail] = [parts.slice(0, open).join(''), parts.slice(group.end).join('')];
    return group.choices.map((choice) => head + choice + tail);
  }
  return undefined;
}

function groupAt(
  parts: readonly string[],
  open: number,
): { choices: readonly string[]; end: number } | undefined {
  const choices = [''];
  let depth = 0;
  for (let at = open + 1; at < parts.length; at += 1) {
    const part = parts[at];
    if (part === '}' && depth === 0) return closeGroup(choices, at + 1);
    if (part === ',' && depth === 0) choices.push('');
    else choices.push((choices.pop() ?? '') + part);
    if (part === '{') depth += 1;
    else if (part === '}') depth -= 1;
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
