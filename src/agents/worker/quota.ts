/**
 * When a usage limit ends, from an agent's message: `resets 6:30pm (Europe/Berlin)`,
 * `try again in 3 hours 5 minutes`, `…limit reached|1795357800`, `Retry-After: 120`.
 *
 * Only what follows such a word counts: logs contain many other times.
 */
import { dateAt } from './time-words.ts';
import { localZone, type Zone } from './zoned-time.ts';

const LOOKED_AT_CHARS = 20_000;
/** Searched for a time after such a word. */
const FOLLOWING_CHARS = 120;
/** No limit lasts longer: a later time was misread. */
const MAX_AHEAD_MS = 62 * 86_400_000;
/** A limit that ended earlier is not the cause of this failure. */
const MAX_BEHIND_MS = 86_400_000;

/** `undefined` if the text names no time. @param zone of times without a zone. */
export function resumeTime(text: string, now: Date, zone: Zone = localZone()): Date | undefined {
  const tail = text.slice(-LOOKED_AT_CHARS);
  for (const found of candidates(tail, now, zone)) {
    const ahead = found.getTime() - now.getTime();
    if (ahead >= -MAX_BEHIND_MS && ahead <= MAX_AHEAD_MS) return found;
  }
  return undefined;
}

const EPOCH =
  /(?:\||\bresets?[ _-]?(?:at|time)\b["']?\s*[:=]?)\s*["']?(\d{10}(?:\d{3})?)(?![\d.])/gi;
const SECONDS =
  /\b(?:retry[-_ ]?after|resets?[-_ ](?:in|after))(?:[-_]?(ms|milliseconds|seconds))?["']?\s*[:=]\s*["']?(\d{1,9}(?:\.\d{1,6})?)["']?(?![\w:./-])/gi;
const CUE =
  /\b(?:resets?|resetting|renews?|refresh(?:es)?|resumes?|try again|retry(?:ing)?(?:[-_ ]?after|[-_ ]?delay)?|available|until|wait|come back)\b["']?/gi;
const IN = /\bin(?=\s+[\da])/gi;
/** Words between such a word and its time. */
const FILLER =
  /^(?:[\s:=,~·"'(]+|(?:again|at|on|by|in|after|for|around|about|approximately|the|your|its|is|will|be|quota|limits?|time)\b)*/i;

/** Exact times first: messages often repeat them in words. */
function* candidates(text: string, now: Date, zone: Zone): Generator<Date> {
  for (const [, digits = ''] of text.matchAll(EPOCH)) {
    yield new Date(Number(digits) * (digits.length === 13 ? 1 : 1000));
  }
  for (const [, unit = 's', amount] of text.matchAll(SECONDS)) {
    yield new Date(now.getTime() + Number(amount) * (unit.startsWith('m') ? 1 : 1000));
  }
  for (const cue of [CUE, IN]) {
    for (const { 0: word, index } of text.matchAll(cue)) {
      const start = index + word.length;
      const rest = text.slice(start, start + FOLLOWING_CHARS).replace(FILLER, '');
      const found = dateAt(rest, now, zone);
      if (found !== undefined) yield found;
    }
  }
}
