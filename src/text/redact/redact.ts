/**
 * Takes secrets out of text before it is stored or shown: output of commands, prompts, notes.
 *
 * What a detector knows is a shape (a token with a prefix of its own) or a place (the value of
 * `PASSWORD=`); text that is merely random (object ids, digests, UUIDs) stays.
 */
import { BLOCKS, DETECTORS, type Detector } from './detectors.ts';
import { redactSettings } from './settings.ts';

/** What one detector replaces can let another see its place; the second round finds the last. */
const MAX_ROUNDS = 4;

/** Characters looked at together: an expression that matches some millions overflows its stack. */
const PIECE = 2_000_000;

/**
 * Returns the text with every known secret replaced by `[redacted:<kind>]`.
 *
 * Takes time in proportion to the text; redacting twice changes nothing more. Redact a text whole
 * and cut it afterwards: half a private key is not recognised.
 */
export function redact(text: string): string {
  return pieces(without(BLOCKS, text)).map(redactPiece).join('');
}

/** Cuts after a line where there is one: no secret but a block goes on in the next. */
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

function redactPiece(piece: string): string {
  let before = piece;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const after = redactSettings(without(DETECTORS, before));
    if (after === before) break;
    before = after;
  }
  return before;
}

function without(detectors: readonly Detector[], text: string): string {
  let result = text;
  for (const { kind, hints, pattern } of detectors) {
    // Searching for a few letters costs a fraction of even compiling the expression.
    if (!hints.some((hint) => result.includes(hint))) continue;
    result = result.replace(pattern, (_match, kept?: string | number) =>
      typeof kept === 'string' ? `${kept}[redacted:${kind}]` : `[redacted:${kind}]`,
    );
  }
  return result;
}
