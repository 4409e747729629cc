/** The meaning of the program's exit code; the numbers are a contract with scripts and CI. */
export const ExitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  held: 3,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

interface Explanation {
  /** The one command or edit that helps; shown on a line of its own after `hint:`. */
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  /** Names the failure for programs: part of the contract of `--json`. */
  readonly code?: string;
  readonly exitCode?: ExitCode;
}

/**
 * A failure that the reader can do something about: a lower-case fact without full stop, and a
 * hint. Everything else that is thrown is a defect and shows its stack.
 */
export class ExplainedError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly exitCode: ExitCode;

  constructor(message: string, explanation: Explanation = {}) {
    const { hint, cause, code = 'EXPLAINED', exitCode = ExitCode.failed } = explanation;
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = hint;
    this.exitCode = exitCode;
  }
}

/** A caught error, if a reader can do something about it. @throws any other. */
export function explained(error: unknown): ExplainedError {
  if (error instanceof ExplainedError) return error;
  throw error;
}

/** The caller asked for something impossible: wrong words, unknown names. Exits with 2. */
export class UsageError extends ExplainedError {
  constructor(message: string, explanation: Omit<Explanation, 'exitCode'> = {}) {
    super(message, { code: 'USAGE', ...explanation, exitCode: ExitCode.usage });
  }
}

/** The `code` of an error of Node or SQLite, such as `ENOENT`; empty if there is none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const TROUBLES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full, as far as you may use it',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'a part of its path is a file',
  ELOOP: 'its links go round in circles',
  ENOENT: 'the file system does not take it',
  ENAMETOOLONG: 'its name is too long',
};

/** Why the file system refused; `undefined` for other errors. */
export const troubleOf = (error: unknown): string | undefined => TROUBLES[codeOf(error)];

/** The result of `work`, or `undefined` if it throws: for work that may fail without harm. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
