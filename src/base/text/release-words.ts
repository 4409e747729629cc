/**
 * Nearly every command that makes work leave the machine contains one of these words. They decide
 * only if the command cannot be read or lanehold itself fails; alone they make no boundary.
 * Lower-case letters only, so that a shell pattern can be made of them.
 */
export const RELEASE_WORDS: readonly string[] = [
  'push',
  'publish',
  'deploy',
  'release',
  'upload',
  'apply',
  'merge',
  'promote',
  'rollout',
];

const WHOLE_WORD = new RegExp(`(?<![a-z])(?:${RELEASE_WORDS.join('|')}|ship)(?![a-z])`, 'i');

/** True if one of the release words, or `ship`, stands in the text as a whole word. */
export function hasReleaseWord(text: string): boolean {
  return WHOLE_WORD.test(text);
}
