/**
 * Is there a path that two globs both match? An answer from the globs alone, and on the safe side:
 * what is not understood matches everything below the folder that it starts in.
 */

/** A part of a path between two slashes, or `**`: any number of them, also none. */
type Segment = readonly Token[] | '**';
/**
 * A character, one that is not known, or any number of them: a letter beyond ASCII, too, for it has
 * more than one spelling.
 */
type Token = { readonly is: string } | 'any' | 'many';

/** More alternatives than this are not looked at one by one. */
const MAX_ALTERNATIVES = 64;

export function globsIntersect(a: string, b: string): boolean {
  const others = compiled(b);
  return compiled(a).some((one) => others.some((other) => pathsMeet(one, other)));
}

/** One list of segments for each alternative of its braces. */
function compiled(glob: string): Segment[][] {
  // On some file systems upper and lower case are one.
  const plain = glob.replaceAll(/[A-Z]/g, (it) => it.toLowerCase()).replace(/^(?:\.?\/+)+/, '');
  const alternatives = NOT_UNDERSTOOD.test(plain) ? undefined : expandBraces(plain);
  if (alternatives === undefined) return [[...literalBase(plain), '**']];
  return alternatives.map((it) => {
    const whole = it === '' || it.endsWith('/') ? `${it}**` : it;
    const parts = whole.split('/');
    // Stars that reach beyond their segment.
    if (parts.some((part) => part !== '**' && part.includes('**'))) {
      return [...literalBase(whole), '**'];
    }
    return parts.map(segment);
  });
}

/**
 * Groups, quantifiers and quotes; classes with a slash, an escape, a brace or a name in them; ranges and
 * the folder above.
 */
const NOT_UNDERSTOOD = /[()|"+$^<>]|\[[^\]]*[/\\{},:[]|\.\.|\\\/|\/\.?\/|\\$/;

/** Segments before the first that is more than a name. */
function literalBase(glob: string): Segment[] {
  const parts = glob.split('/');
  const end = parts.findIndex((part) => !/^[\w ][\w .-]*$/.test(part));
  return (end === -1 ? [] : parts.slice(0, end)).map(literal);
}

const literal = (part: string): Segment => [...part].map((is) => ({ is }));

/** `undefined` for too many of them, and for braces that do not close. */
function expandBraces(glob: string): string[] | undefined {
  const open = firstBrace(glob);
  if (open === -1) return glob.includes('}') ? undefined : [glob];
  const parts = partsOfBrace(glob, open);
  if (parts === undefined || parts.choices.length < 2) return undefined;
  const before = glob.slice(0, open);
  const all: string[] = [];
  for (const choice of parts.choices) {
    const expanded = expandBraces(before + choice + glob.slice(parts.end + 1));
    if (expanded === undefined || all.length + expanded.length > MAX_ALTERNATIVES) return undefined;
    all.push(...expanded);
  }
  return all;
}

function firstBrace(glob: string): number {
  for (let at = 0; at < glob.length; at += 1) {
    if (glob[at] === '\\') at += 1;
    else if (glob[at] === '{') return at;
  }
  return -1;
}

/** What stands between the commas of the brace that opens at `open`. */
function partsOfBrace(
  glob: string,
  open: number,
): { readonly choices: readonly string[]; readonly end: number } | undefined {
  const choices: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < glob.length; at += 1) {
    const character = glob[at];
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    const ends = depth === 0 && character === '}';
    if (ends || (depth === 1 && character === ',')) {
      choices.push(glob.slice(start, at));
      start = at + 1;
    }
    if (ends) return { choices, end: at };
  }
  return undefined;
}

function segment(part: string): Segment {
  if (part === '**') return '**';
  // An escaped character; a class, also one that does not close; any other.
  return (part.match(/\\.|\[.[^\]]*\]|\[.*$|./gsu) ?? []).map(token);
}

function token(text: string): Token {
  if (text === '?') return 'any';
  // Which characters a class has is not asked; what does not close is none.
  if (text.startsWith('[')) return text.endsWith(']') ? 'any' : 'many';
  const character = text.startsWith('\\') ? text.slice(1) : text;
  return text === '*' || character > '\u007f' ? 'many' : { is: character };
}

/** Two lists meet if some list of names fits both; each pair of places is looked at once. */
function pathsMeet(a: readonly Segment[], b: readonly Segment[]): boolean {
  return meet(a, b, {
    isRepeated: (it) => it === '**',
    agree: (one, other) => one !== '**' && other !== '**' && namesMeet(one, other),
  });
}

function namesMeet(a: readonly Token[], b: readonly Token[]): boolean {
  return meet(a, b, {
    isRepeated: (it) => it === 'many',
    agree: (one, other) =>
      typeof one === 'string' || typeof other === 'string' || one.is === other.is,
  });
}

interface Rules<T> {
  /** Stands for any number of elements of the other list. */
  readonly isRepeated: (element: T) => boolean;
  readonly agree: (one: T, other: T) => boolean;
}

function meet<T>(a: readonly T[], b: readonly T[], { isRepeated, agree }: Rules<T>): boolean {
  // Of the row below: whether what is left of `a` from there on meets each rest of `b`.
  let below: boolean[] = [];
  for (let at = a.length; at >= 0; at -= 1) {
    const row: boolean[] = Array(b.length + 1).fill(false);
    for (let bt = b.length; bt >= 0; bt -= 1) {
      const [one, other] = [a[at], b[bt]];
      row[bt] =
        (one === undefined && other === undefined) ||
        (one !== undefined && isRepeated(one) && (below[bt] === true || row[bt + 1] === true)) ||
        (other !== undefined &&
          isRepeated(other) &&
          (row[bt + 1] === true || below[bt] === true)) ||
        (one !== undefined && other !== undefined && agree(one, other) && below[bt + 1] === true);
    }
    below = row;
  }
  return below[0] === true;
}
