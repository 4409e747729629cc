/** Commands that every worker may run, whatever its agent calls permission. */

/** Looking changes nothing. */
export const LOOKING: readonly string[] = [
  'git status',
  'git diff',
  'git log',
  'git show',
  'git ls-files',
  'git blame',
];

/** lanehold answers by its own rules. */
export const REPORTING: readonly string[] = [
  'lanehold orchestrate report',
  'lanehold orchestrate status',
  'lanehold orchestrate logs',
  'lanehold orchestrate ask',
];
