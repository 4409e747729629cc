/**
 * Turns the words of a command into the fields the program would receive: brace, tilde, parameter,
 * command and arithmetic expansion, then field splitting and quote removal. A word that may have
 * several values gives several alternatives.
 */
import { parse, type Word, type WordPart } from 'unbash';
import { LIMITS } from '../limits.ts';
import { type Frame, inside, type Output } from '../reader.ts';
import { braceWords } from './braces.ts';
import { arithmeticValue, expandParameter, isWholeIndex, lookUp } from './parameter.ts';
import { distinct, quoted, UNKNOWN, UNKNOWN_WORDS, unquoted, type Value } from './unknown.ts';

type Fields = readonly string[];

/** A part of a word: text, or the several words of `"$@"`. */
type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly split: boolean }
  | { readonly kind: 'words'; readonly words: Fields };

/** The lists of fields that a word may stand for; usually one list of one field. */
export function fieldsOf(word: Word, frame: Frame): readonly Fields[] {
  const hasBraces = word.parts?.some((part) => part.type === 'BraceExpansion');
  return hasBraces ? acrossBraces(word, frame) : plainFields(word, frame);
}

/**
 * The texts that a word may stand for where the shell does not split it: in assignments and
 * redirections.
 */
export function textOf(word: Word, frame: Frame): Output {
  const { parts } = word;
  if (!parts) return [tilde(word.value, word.text, frame)];
  return joined(alternativesOf(parts, frame));
}

/** The same for parts without a word: the body of a here-document. */
export function textOfParts(parts: readonly WordPart[], frame: Frame): Output {
  return joined(alternativesOf(parts, frame, true));
}

function joined(alternatives: readonly (readonly Piece[])[]): Output {
  return distinct(
    alternatives.map((pieces) =>
      quoted(pieces.map((it) => (it.kind === 'text' ? it.text : it.words.join(' '))).join('')),
    ),
  );
}

function acrossBraces(word: Word, frame: Frame): readonly Fields[] {
  const texts = braceWords(word.text);
  if (!texts) return [[UNKNOWN_WORDS]];
  let results: readonly Fields[] = [[]];
  for (const text of texts) {
    const again = wordOfText(text);
    const next = again ? plainFields(again, frame) : [[text]];
    results = combine(results, next);
  }
  return results;
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

function alternativesOf(
  parts: readonly WordPart[],
  frame: Frame,
  inQuotes = false,
): readonly (readonly Piece[])[] {
  let results: Piece[][] = [[]];
  for (const [at, part] of parts.entries()) {
    const options = piecesOf(part, frame, inQuotes, at === 0);
    const [only] = options;
    if (only && options.length === 1) {
      for (const row of results) row.push(...only);
    } else {
      const rows = results.flatMap((head) => options.map((option) => [...head, ...option]));
      results = rows.slice(0, LIMITS.alternatives);
      if (rows.length > results.length)
        results.push([{ kind: 'text', text: UNKNOWN_WORDS, split: false }]);
    }
  }
  return results;
}

function text(value: string, split = false): readonly Piece[] {
  return [{ kind: 'text', text: value, split }];
}

/** The alternatives for one part, each a row of pieces. */
function piecesOf(
  part: WordPart,
  frame: Frame,
  inQuotes: boolean,
  first: boolean,
): readonly (readonly Piece[])[] {
  switch (part.type) {
    case 'Literal':
      return [text(first && !inQuotes ? tilde(part.value, part.text, frame) : part.value)];
    case 'SingleQuoted':
    case 'AnsiCQuoted':
    case 'Glob':
      return [text(part.value)];
    case 'DoubleQuoted':
    case 'LocaleString':
      return alternativesOf(part.parts, frame, true).map((it) => [...text(''), ...it]);
    case 'SimpleExpansion':
      return ofValue(part.text.slice(1), lookUp(part.text.slice(1), frame), inQuotes, false);
    case 'ParameterExpansion': {
      const value = expandParameter(part, frame, (it) => textOf(it, frame));
      const whole = part.parameter === '@' || part.parameter === '*' || isWholeIndex(part.index);
      const star = part.parameter === '*' || part.index?.value === '*';
      return ofValue(star ? '*' : '@', value, inQuotes, whole && part.prefix !== '#');
    }
    case 'CommandExpansion':
      return ofTexts(substituted(part, frame), inQuotes);
    case 'ArithmeticExpansion':
      return [text(arithmeticValue(part.expression, frame, (it) => textOf(it, frame)))];
    case 'ProcessSubstitution':
      return [text(processFile(part, frame))];
    case 'ExtendedGlob':
    case 'BraceExpansion':
      return [text(part.text)];
  }
}

function ofValue(
  name: string,
  value: Value,
  inQuotes: boolean,
  whole: boolean,
): readonly (readonly Piece[])[] {
  if (!(whole || name === '@' || name === '*')) {
    return ofTexts(
      value.map((list) => (list[0] === UNKNOWN_WORDS ? UNKNOWN : (list[0] ?? ''))),
      inQuotes,
    );
  }
  if (inQuotes && name === '*') {
    return value.map((list) => text(quoted(list.join(' '))));
  }
  if (inQuotes) return value.map((words) => [{ kind: 'words', words }]);
  return value.map((list) => text(unquoted(list.join(' ')), true));
}

function ofTexts(texts: readonly string[], inQuotes: boolean): readonly (readonly Piece[])[] {
  return texts.map((it) => (inQuotes ? text(quoted(it)) : text(unquoted(it), true)));
}

/** Joins pieces to fields; known unquoted text is split at the characters of IFS. */
function assemble(pieces: readonly Piece[], frame: Frame): Fields {
  const fields: string[] = [];
  let current: string | undefined;
  for (const piece of pieces) {
    if (piece.kind === 'words') current = joinWords(fields, current, piece.words);
    else if (piece.split) {
      const ifs = lookUp('IFS', frame)[0]?.[0] ?? ' \t\n';
      current = splitInto(fields, current, piece.text, ifs);
    } else current = (current ?? '') + piece.text;
    if (fields.length > LIMITS.words) return [...fields, UNKNOWN_WORDS];
  }
  if (current !== undefined) fields.push(current);
  return fields;
}

/** `"a$@b"`: the first word joins what stands before it, the last what follows. */
function joinWords(fields: string[], open: string | undefined, words: Fields): string | undefined {
  const [head, ...rest] = words;
  if (head === undefined) return open;
  let current = (open ?? '') + head;
  for (const word of rest) {
    fields.push(current);
    current = word;
  }
  return current;
}

function splitInto(
  fields: string[],
  open: string | undefined,
  value: string,
  ifs: string,
): string | undefined {
  let current = open;
  let start = 0;
  for (let at = 0; at <= value.length; at += 1) {
    if (at < value.length && !ifs.includes(value[at] as string)) continue;
    if (at > start) current = (current ?? '') + value.slice(start, at);
    if (at < value.length && current !== undefined) {
      fields.push(current);
      current = undefined;
    }
    start = at + 1;
  }
  return current;
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
  part: Extract<WordPart, { type: 'ProcessSubstitution' }>,
  frame: Frame,
): string {
  const path = `/dev/fd/${part.operator === '<' ? '<' : '>'}${part.pos}:${frame.depth}`;
  if (!part.script) return path;
  const state = frame.state.copy();
  const within = inside(frame, `${part.operator}(…)`, { state, outputIsUsed: true });
  const output = frame.reader.parsed(part.script, within);
  if (part.operator === '<') frame.reader.write(path, () => output);
  return path;
}
