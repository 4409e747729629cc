/** Commands that every worker may run, whatever its agent calls permission. */

/** Looking, for agents that have no idea of their own of what only looks. */
export const LOOKING: readonly string[] = [
  'git status',
  'git diff',
  'git log',
  'git show',
  'git ls-files',
  'git blame',
];

/** Options with which even looking writes a file, or starts a program that somebody names. */
export const NO_LOOKING: readonly string[] = ['--output', '--ext-diff', '--textconv'];

/** lanehold answers by its own rules. */
export const REPORTING: readonly string[] = [
  'lanehold orchestrate report',
  'lanehold orchestrate status',
  'lanehold orchestrate logs',
  'lanehold orchestrate ask',
];
