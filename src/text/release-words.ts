/**
 * Words of which nearly every command that makes work leave the machine carries one. They only
 * decide what is held while nothing better can tell, because lanehold is broken or cannot read the
 * command: never a boundary by themselves. Lower case; letters only, so that a shell pattern can
 * be made of them.
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
