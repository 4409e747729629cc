/**
 * Limits of a reading. Beyond a limit the answer is opaque, never harmless. They are chosen so that
 * the worst input takes some tens of milliseconds.
 */
export const LIMITS = {
  /** Characters of a command or of a script that is read as part of it. */
  textLength: 300_000,
  /** Scripts inside scripts: `sh -c`, substitutions, functions, files, package scripts. */
  depth: 24,
  /** Files read as scripts, one inside the other. */
  fileDepth: 6,
  steps: 12_000,
  /** Values one word or variable may have. */
  alternatives: 12,
  /** Characters a value may have; a longer one is treated as unknown. */
  valueLength: 60_000,
  /** Files that a pattern or a search is expanded to. */
  files: 64,
  words: 4_000,
  /** Characters written while expanding words in one reading. */
  expansion: 4_000_000,
  findings: 64,
} as const;
