/** Flags of a lane that keep it from being integrated until a person has looked at it. */
export const STOPPING_FLAGS = [
  'proof-changed',
  'base-proof-failed',
  'base-tests-failed',
  'tests-not-run',
  'changes-not-noticed',
  'tests_removed',
  'partial-work',
  'unfinished-tasks',
  'conflict-markers',
  'secrets-added',
  'links-outside',
  'message-not-delivered',
] as const;
