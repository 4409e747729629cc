/**
 * Turns the words of a command into the fields the program would receive: brace, tilde, parameter,
 * command and arithmetic expansion, then field splitting and quote removal. A word that may have
 * several values gives several alternatives.
 */
import { parse, type Word, type WordPart } from 'unbash';
import { LIMITS } from '../limits.ts';
import { type Frame, inside, type Output } from '../reader.ts';
import { braceWords } from './braces.ts';
import { expandParameter, lookUp, readExpression } from './parameter.ts';
import { filesMatching, isPattern } from './project-files.ts';
import { distinct, quoted, UNKNOWN, UNKNOWN_WORDS, unquoted, type Value } from './unknown.ts';

type Fields = readonly string[];

/** A part of a word: text, unquoted text that is split, the several words of `"$@"`, or a pattern. */
type Piece =
  | string
  | { readonly split: string }
  | { readonly words: Fields }
  | { readonly glob: string };
type Alternatives = readonly (readonly Piece[])[];

/** The lists of fields that a word may stand for; usually one list of one field. */
export function fieldsOf(word: Word, frame: Frame): readonly Fields[] {
  const hasBraces = word.parts?.some((part) => part.type === 'BraceExpansion');
  return hasBraces ? acrossBraces(word, frame) : plainFields(word, frame);
}

/** The texts that a word may stand for where the shell does not split it: in assignments and redirections. */
export function textOf(word: Word, frame: Frame): Output {
  const { parts } = word;
  if (!parts) return [tilde(word.value, word.text, frame)];
  return joined(alternativesOf(parts, frame));
}

/** The texts that parts without a word stand for: the body of a here-document. */
export function textOfParts(parts: readonly WordPart[], frame: Frame): Output {
  return joined(alternativesOf(parts, frame, true));
}

function joined(alternatives: Alternatives): Output {
  return distinct(alternatives.map((pieces) => quoted(pieces.map(plainText).join(''))));
}

function plainText(piece: Piece): string {
  if (typeof piece === 'string') return piece;
  if ('glob' in piece) return piece.glob;
  return 'words' in piece ? piece.words.join(' ') : piece.split;
}

function acrossBraces(word: Word, frame: Frame): readonly Fields[] {
  const texts = braceWords(word.text);
  if (!texts) return [[UNKNOWN_WORDS]];
  const rows = texts.map((text) => {
    const again = wordOfText(text);
    return again ? plainFields(again, frame) : [[text]];
  });
  return rows.reduce(combine, [[]]);
}

function plainFields(word: Word, frame: Frame): readonly Fields[] {
  if (!word.parts) return [[tilde(word.value, word.text, frame)]];
  return alternativesOf(word.parts, frame).map((it) => assemble(it, frame));
}

function wordOfText(text: string): Word | undefined {
  const command = parse(`: ${text}`).commands[0]?.command;
  const first = command?.type === 'Command' ? command.args[0] : undefined;
  return first?.type === 'Word' ? first : undefined;
}

/** Each list of the first followed by each list of the second, up to the limit. */
export function combine(heads: readonly Fields[], tails: readonly Fields[]): readonly Fields[] {
  const results: Fields[] = [];
  for (const head of heads) {
    for (const tail of tails) {
      if (results.length >= LIMITS.alternatives) return [...results, [...head, UNKNOWN_WORDS]];
      results.push(head.length === 0 ? tail : [...head, ...tail]);
    }
  }
  return results;
}

/**
 * The lists of fields that a sequence of words may make. Adjacent words with a single reading,
 * which most have, are joined at once: combining one by one would copy the list each time.
 *
 * @param read gives the lists of one word; not called for words beyond the limit.
 */
export function inSequence<Item>(
  items: readonly Item[],
  read: (item: Item) => readonly Fields[],
): readonly Fields[] {
  const rows: (readonly Fields[])[] = [];
  let single: string[] = [];
  for (const item of items) {
    const row = read(item);
    if (row.length === 1) for (const field of row[0] ?? []) single.push(field);
    else if (row.length > 0) {
      rows.push([single], row);
      single = [];
    }
    if (single.length > LIMITS.words) {
      single = [...single.slice(0, LIMITS.words), UNKNOWN_WORDS];
      break;
    }
  }
  return [...rows, [single]].reduce(combine);
}

function alternativesOf(parts: readonly WordPart[], frame: Frame, inQuotes = false): Alternatives {
  let results: Piece[][] = [[]];
  for (const [at, part] of parts.entries()) {
    const options = piecesOf(part, frame, inQuotes, at === 0);
    const [only] = options;
    if (only && options.length === 1) {
      for (const row of results) row.push(...only);
    } else {
      const rows = results.flatMap((head) => options.map((option) => [...head, ...option]));
      results = rows.slice(0, LIMITS.alternatives);
      if (rows.length > results.length) results.push([UNKNOWN_WORDS]);
    }
  }
  return results;
}

function piecesOf(part: WordPart, frame: Frame, inQuotes: boolean, first: boolean): Alternatives {
  switch (part.type) {
    case 'Literal':
      return [[first && !inQuotes ? tilde(part.value, part.text, frame) : part.value]];
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [[part.value]];
    case 'Glob':
      return [[inQuotes ? part.value : { glob: part.value }]];
    case 'DoubleQuoted':
    case 'LocaleString':
      // Without words, `"$@"` makes none.
      return alternativesOf(part.parts, frame, true).map((it) =>
        it.length === 1 && typeof it[0] === 'object' ? it : ['', ...it],
      );
    case 'SimpleExpansion': {
      const name = part.text.slice(1);
      const value = lookUp(name, frame);
      if (name === '@' || name === '*') return ofLists(value, name, inQuotes);
      const texts = value.map(([it = '']) => (it === UNKNOWN_WORDS ? UNKNOWN : it));
      return ofTexts(texts, inQuotes);
    }
    case 'ParameterExpansion': {
      const value = expandParameter(part, frame);
      const star = part.parameter === '*' || part.index?.value === '*';
      return ofLists(value, star ? '*' : '@', inQuotes);
    }
    case 'CommandExpansion':
      return ofTexts(substituted(part, frame), inQuotes);
    case 'ArithmeticExpansion':
      readExpression(part.expression, frame);
      return [[/^\$\(\(\d+\)\)$/.test(part.text) ? part.text.slice(3, -2) : UNKNOWN]];
    case 'ProcessSubstitution':
      return [[processFile(part, frame)]];
    case 'ExtendedGlob':
    case 'BraceExpansion':
      return [[part.text]];
  }
}

/** The elements of a list in quotes are one word for `*`, and several for `@`. */
function ofLists(lists: Value, name: '*' | '@', inQuotes: boolean): Alternatives {
  return lists.map((words): readonly Piece[] => {
    if (inQuotes && name === '@') return [{ words }];
    const text = words.join(' ');
    return [inQuotes ? quoted(text) : { split: unquoted(text) }];
  });
}

function ofTexts(texts: readonly string[], inQuotes: boolean): Alternatives {
  return texts.map((it) => [inQuotes ? quoted(it) : { split: unquoted(it) }]);
}

/** Joins pieces to fields; one that is a pattern becomes the files that match it. */
function assemble(pieces: readonly Piece[], frame: Frame): Fields {
  const fields: string[] = [];
  let open: Text | undefined;
  const close = (): void => {
    if (open) fields.push(...fieldsOfText(open, frame));
    open = undefined;
  };
  for (const piece of pieces) {
    for (const [at, part] of textsIn(piece, frame).entries()) {
      if (at > 0) close();
      if (part)
        open = {
          text: (open?.text ?? '') + part.text,
          pattern: (open?.pattern ?? '') + part.pattern,
        };
    }
    if (fields.length > LIMITS.words) return [...fields, UNKNOWN_WORDS];
  }
  close();
  return fields;
}

/** A text, and the same with its quoted characters escaped. */
type Text = Readonly<Record<'text' | 'pattern', string>>;

function fieldsOfText({ text, pattern }: Text, frame: Frame): Fields {
  const files = isPattern(pattern) ? filesMatching(pattern, frame) : [];
  return files.length > 0 ? files : [text];
}

/** The texts of a piece, with fields ending between them: the first is joined to what comes before the piece. */
function textsIn(piece: Piece, frame: Frame): readonly (Text | undefined)[] {
  const inQuotes = (text: string): Text => ({
    text,
    pattern: text.replace(/[\\*?[]/g, '\\$&'),
  });
  if (typeof piece === 'string') return [inQuotes(piece)];
  if ('words' in piece) return piece.words.map(inQuotes);
  if ('glob' in piece) return [{ text: piece.glob, pattern: piece.glob }];
  const ifs = lookUp('IFS', frame)[0]?.[0] ?? ' \t\n';
  return splitAt(piece.split, ifs).map((text) =>
    text === '' ? undefined : { text, pattern: text },
  );
}

export function splitAt(text: string, separators: string): readonly string[] {
  const parts = [''];
  for (const char of text) {
    if (separators.includes(char)) parts.push('');
    else parts.push((parts.pop() ?? '') + char);
  }
  return parts;
}

function tilde(value: string, source: string, frame: Frame): string {
  if (!source.startsWith('~')) return value;
  const end = value.indexOf('/') < 0 ? value.length : value.indexOf('/');
  const user = value.slice(1, end);
  const name = { '': 'HOME', '+': 'PWD', '-': 'OLDPWD' }[user];
  const home = name && lookUp(name, frame)[0]?.[0];
  return (home ?? UNKNOWN) + value.slice(end);
}

function substituted(part: Extract<WordPart, { type: 'CommandExpansion' }>, frame: Frame): Output {
  if (!part.script) return [UNKNOWN];
  const state = frame.state.copy();
  const output = frame.reader.parsed(
    part.script,
    inside(frame, part.text.startsWith('`') ? '`…`' : '$(…)', { state, outputIsUsed: true }),
  );
  return distinct(output.map((it) => it.replace(/\n+$/, '')));
}

/** The path that a process substitution stands for; its text can be run from there. */
function processFile(
  { operator, pos, script }: Extract<WordPart, { type: 'ProcessSubstitution' }>,
  frame: Frame,
): string {
  const path = `/dev/fd/${operator}${pos}:${frame.depth}`;
  if (!script) return path;
  const change = { state: frame.state.copy(), outputIsUsed: true };
  const within = inside(frame, `${operator}(…)`, change);
  // What `>(…)` receives later is not followed.
  const stdin = operator === '>' ? () => [UNKNOWN] : within.stdin;
  const output = frame.reader.parsed(script, { ...within, stdin });
  if (operator === '<') frame.reader.write(path, () => output);
  return path;
}
