/** Whether removed tests were failing before: a failing test has to be repaired, not removed. */

/** The separator of `removedTests` between a file's path and a test's title. */
export const TITLE_MARK = ' > ';

export interface Disappeared {
  /** `path` of a file whose tests are all gone, `path > title` of one test. */
  readonly removed: readonly string[];
  /** Names of tests that failed before and do not fail now. */
  readonly goneFailures: readonly string[];
  /** The names of earlier failures are unknown: each removed test may be one of them. */
  readonly unknownFailures: boolean;
}

/**
 * The removed tests that are not accepted unless the removal was declared: whole files always, since
 * nothing is left that could fail; single tests if they were failing. (Fewer tests in a file are
 * usual, for instance when three become a table.)
 */
export function removedInsteadOfRepaired(it: Disappeared): string[] {
  return it.removed.filter((entry) => {
    const [, title] = splitEntry(entry);
    if (title === undefined || it.unknownFailures) return true;
    return it.goneFailures.some((failure) => names(failure, title));
  });
}

function splitEntry(entry: string): [path: string, title: string | undefined] {
  const at = entry.indexOf(TITLE_MARK);
  return at === -1 ? [entry, undefined] : [entry.slice(0, at), entry.slice(at + TITLE_MARK.length)];
}

const BEFORE = new Set(['', ' ', ':', '/', '.', '#', '(']);
const AFTER = new Set(['', ' ', '[', '(', ')', '/', ':']);

/** The title occurs in the name as a whole part, whatever the tool puts around it. */
function names(failure: string, title: string): boolean {
  for (let at = failure.indexOf(title); at !== -1; at = failure.indexOf(title, at + 1)) {
    const before = failure[at - 1] ?? '';
    const after = failure[at + title.length] ?? '';
    if (BEFORE.has(before) && AFTER.has(after)) return true;
  }
  return false;
}
