/**
 * The plain form of a text, in which secrets are searched for: without colour codes, HTML entities, odd spaces and
 * the like, which stand around a secret or within it. What is found is masked there, each character by a sign for its
 * kind, so that all others keep their places. In the end the masked parts are replaced in the text itself.
 */

/** One for each kind of secret, then one for what is `[redacted:…]` in the text already. */
const FIRST_MASK = 0xe000;
const KEPT = '\uf8ff';
/** For character classes: all masks. */
export const MASKS = '\ue000-\uf8ff';
export const IS_MASKED = new RegExp(`[${MASKS}]`);

/** A text without any of these is plain. */
const HINT = new RegExp(
  '[\\x1b\\u00a0\\u00ad\\u1680\\u2000-\\u200d\\u202f\\u205f\\u2060\\u3000\\ue000-\\uf8ff\\ufeff\\uff01-\\uff5e]|' +
    '&(?:[a-z]{2,4}|#x?\\d\\d);|\\*\\*|[|>\\\\][+-]?[ \\t]{0,9}\\r?\\n|%(?:2[27]|3[ad])|\\\\u00|\\[redacted:',
  'i',
);
/** What is written in another way, and how it reads. */
const READINGS: readonly (readonly [pattern: string, plain: string | ((it: string) => string)])[] =
  [
    ['\\[redacted:[\\w-]{1,40}\\]', KEPT],
    ['[\\ue000-\\uf8ff]', '\ufffd'],
    // Colours and links of a terminal, signs without a width, bold type.
    [
      '\\x1b\\[(?!redacted:)[\\d;]{0,40}[A-Za-z]|\\x1b\\]8;[^\\x07\\x1b]{0,400}(?:\\x07|\\x1b\\\\)|[\\u00ad\\u200b-\\u200d\\u2060\\ufeff]|(?<!\\*)\\*\\*(?![*/])',
      '',
    ],
    ['[\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000]|&nbsp;|&#160;', ' '],
    ['[\\uff01-\\uff5e]', (it) => String.fromCharCode(it.charCodeAt(0) - 0xfee0)],
    ['&(?:quot|#34|#x22);|%22|\\\\u0022', '"'],
    ['&(?:apos|#39|#x27);|%27|\\\\u0027', "'"],
    ['&amp;|\\\\u0026', '&'],
    ['&lt;', '<'],
    ['&gt;', '>'],
    ['%3a', ':'],
    ['%3d', '='],
    // A block of YAML begins in the next line; a command goes on there.
    [
      '(?<=:[ \\t]{0,9})[|>][+-]?[ \\t]{0,9}\\r?\\n[ \\t]{1,40}|(?<=[ \\t])\\\\\\r?\\n[ \\t]{0,40}',
      '',
    ],
  ];
let readings: RegExp | undefined;

export interface PlainForm {
  readonly plain: string;
  /** Where each character of it begins and ends in the text; none if that is the same. */
  readonly origins?: { readonly starts: readonly number[]; readonly ends: readonly number[] };
}

export function plainForm(text: string): PlainForm {
  if (!HINT.test(text)) return { plain: text };
  readings ??= new RegExp(READINGS.map(([pattern]) => `(${pattern})`).join('|'), 'gi');
  const starts: number[] = [];
  const ends: number[] = [];
  const add = (characters: number, from: number, length: number): void => {
    for (let at = 0; at < characters; at += 1) {
      starts.push(from + at);
      ends.push(from + at + length);
    }
  };
  let next = 0;
  const plain = text.replace(readings, (match, ...groups) => {
    const at = groups[READINGS.length] as number;
    const [, reading = ''] = READINGS[groups.indexOf(match)] ?? [];
    const read = typeof reading === 'string' ? reading : reading(match);
    add(at - next, next, 1);
    add(read.length, at, match.length);
    next = at + match.length;
    return read;
  });
  add(text.length - next, next, 1);
  return { plain, origins: { starts, ends } };
}

/** Signs for a secret, as many as it has characters. */
export const masked = (secret: string, kind = 0): string =>
  String.fromCharCode(FIRST_MASK + kind).repeat(secret.length);

/** The text with the name of its kind for each secret that is masked in its plain form. */
export function unmasked(
  text: string,
  { origins }: PlainForm,
  masks: string,
  kinds: readonly string[],
): string {
  let result = '';
  let next = 0;
  for (const { 0: run, index } of masks.matchAll(/([\ue000-\uf8fe])\1*/g)) {
    const last = index + run.length - 1;
    result += `${text.slice(next, origins?.starts[index] ?? index)}[redacted:${kinds[run.charCodeAt(0) - FIRST_MASK]}]`;
    next = origins?.ends[last] ?? last + 1;
  }
  return result + text.slice(next);
}
