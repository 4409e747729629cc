/**
 * Words that make an undecidable command worth a question. They decide nothing where the text can
 * be read.
 */
const RELEASE_WORDS = new Set([
  'push',
  'publish',
  'deploy',
  'release',
  'upload',
  'promote',
  'apply',
  'ship',
]);

export function hasReleaseWord(text: string): boolean {
  const limit = Math.min(text.length, 400_000);
  let start = -1;
  for (let at = 0; at <= limit; at += 1) {
    const code = at < limit ? text.charCodeAt(at) | 0x20 : 0;
    const letter = code >= 97 && code <= 122;
    if (letter && start < 0) start = at;
    else if (!letter && start >= 0) {
      if (at - start <= 8 && RELEASE_WORDS.has(text.slice(start, at).toLowerCase())) return true;
      start = -1;
    }
  }
  return false;
}
