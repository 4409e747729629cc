/**
 * Removes secrets from text before it is stored or shown: output of commands, prompts, notes.
 *
 * A secret is recognised by its shape (a token with a known prefix) or its place (the value of
 * `PASSWORD=`). Text that is only random (object ids, digests, UUIDs) stays.
 */
import { maskAnnounced } from './announced.ts';
import { BLOCKS, DETECTORS, type Detector } from './detectors.ts';
import { masked, plainForm, unmasked } from './plain-form.ts';
import { maskSettings } from './settings.ts';
import { isPlaceholder } from './values.ts';

/** The first is that of a secret which is known by its name alone. */
const KINDS = ['secret', ...new Set([...BLOCKS, ...DETECTORS].map(([kind]) => kind))];

/** A replacement can expose a place to another detector; a second round finds it. */
const MAX_ROUNDS = 4;

/** Characters per search: an expression overflows its stack on a match of some millions. */
const PIECE = 2_000_000;

/**
 * Returns the text with every known secret replaced by `[redacted:<kind>]`.
 *
 * Takes linear time and is idempotent. Redact a text before cutting it: half a private key is not
 * recognised.
 */
export function redact(text: string): string {
  const form = plainForm(text);
  const masks = pieces(without(BLOCKS, form.plain)).map(maskPiece).join('');
  return masks === form.plain ? text : unmasked(text, form, masks, KINDS);
}

/** Whether a secret of many lines may begin in it. */
export const mayBeginKey = (text: string): boolean =>
  BLOCKS.some(([, hints]) => hints.some((hint) => text.includes(hint)));

/** A piece of a longer text as it is in the whole, if `before` has the beginning of what ends in it. */
export function redactAfter(before: string, text: string): string {
  if (!mayBeginKey(before)) return redact(text);
  const [first, whole] = [redact(before), redact(before + text)];
  let same = 0;
  while (same < first.length && first[same] === whole[same]) same += 1;
  return whole.slice(same);
}

/** Cuts after a line if possible: only multi-line secrets go on in the next. */
function pieces(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  while (text.length - start > PIECE) {
    const line = text.lastIndexOf('\n', start + PIECE - 1) + 1;
    const end = line > start ? line : start + PIECE;
    found.push(text.slice(start, end));
    start = end;
  }
  return [...found, text.slice(start)];
}

function maskPiece(piece: string): string {
  let before = piece;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const after = maskAnnounced(maskSettings(without(DETECTORS, before)));
    if (after === before) break;
    before = after;
  }
  return before;
}

const compiled = (pattern: Detector[2]): RegExp =>
  typeof pattern === 'function' ? pattern() : pattern;

function without(detectors: readonly Detector[], text: string): string {
  let result = text;
  for (const [kind, hints, pattern] of detectors) {
    // Searching for a few letters is much cheaper than compiling the expression.
    if (!hints.some((hint) => result.includes(hint))) continue;
    result = result.replace(compiled(pattern), (match: string, group?: string | number) => {
      const kept = typeof group === 'string' ? group : '';
      const secret = match.slice(kept.length);
      return isNone(kind, secret) ? match : kept + masked(secret, KINDS.indexOf(kind));
    });
  }
  return result;
}

/** A value that stands in the place of a secret and is none. */
function isNone(kind: string, value: string): boolean {
  if (kind === 'password') return isPlaceholder(value) || /^<[^<>]*>$|^(?:\$|\{)\{/.test(value);
  // However long what is masked is: the next time, its name stands there.
  const rest = value.replaceAll(/[\ue000-\uf8ff]+/g, '');
  return kind === 'cookie' && !rest.split(';').some(isTellingCookie);
}

/** `theme=dark` tells nobody who somebody is. */
const isTellingCookie = (pair: string): boolean =>
  /^[^=]*(?:sess|sid|tok|auth|jwt|user|remember)[^=]*=\s*\S/i.test(pair) ||
  /=\S{16}|=(?=\D{0,40}\d)(?=[^a-z]{0,40}[a-z])\S{8}/i.test(pair);

/** Kinds that are recognised by their place alone: documentation and tests are full of such values. */
const PLACES = new Set(['authorization', 'bearer', 'cookie', 'password']);

const PLACEHOLDER =
  /example|sample|placeholder|dummy|fake|redacted|your[-_]|change[-_]?me|x{4}|0{6}|\*{3}|\.{3}|abcdef|123456|MjM0NTY3/i;

/** A key of which only the first line is there is one that a program looks for. */
const KEY_TEXT = /[A-Za-z0-9+/=]{40}/;

/** Tokens and keys in a text, each with its kind and where it begins, without what is plainly made up. */
export function secretsIn(text: string): { readonly kind: string; readonly at: number }[] {
  const made = (secret: string, kind: string): boolean =>
    kind === 'private-key'
      ? !KEY_TEXT.test(secret)
      : PLACEHOLDER.test(secret) || new Set(secret.slice(-16)).size < 5;
  let start = 0;
  return pieces(text).flatMap((piece) => {
    const found = [...BLOCKS, ...DETECTORS].flatMap(([kind, hints, pattern]) => {
      if (PLACES.has(kind) || !hints.some((hint) => piece.includes(hint))) return [];
      return [...piece.matchAll(compiled(pattern))].flatMap(({ 0: all, 1: kept = '', index }) =>
        made(all.slice(kept.length), kind) ? [] : [{ kind, at: start + index }],
      );
    });
    start += piece.length;
    return found;
  });
}

/** The beginning of a text without half a word at its end: half a secret would not be found. */
export function beginning(text: string, most: number): string {
  let end = most;
  while (end > 0 && end < text.length && !/\s/.test(text.charAt(end))) end -= 1;
  return text.slice(0, end);
}

/** Titles are cut before secrets are searched for, because that takes time. */
const MOST_READ = 4_000;

/** The title of an agent's own task as it is stored: without secrets, not too long. */
export function storableTitle(title: string): string {
  return redact(beginning(title, MOST_READ)).trim();
}
