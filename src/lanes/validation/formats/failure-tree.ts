/** Tests with subtests, for tools that print a test's own result after those of its subtests. */
import { MAX_NAMES } from './format.ts';

interface Failure {
  readonly depth: number;
  readonly file: string;
  /** Levels of its name, outermost first. */
  readonly path: readonly string[];
}

export interface Result {
  /** Larger for subtests; in any unit. */
  readonly depth: number;
  readonly name: string;
  readonly failed: boolean;
  /** Marked `# TODO` or `# SKIP`: the test and its subtests do not count as failed. */
  readonly excused: boolean;
}

/** Collects failures. The result of a parent adds its name to those of its subtests, or drops them. */
export function failureTree() {
  /** Ordered by depth, so that the subtests of a parent are at the end. */
  const failures: Failure[] = [];
  let fresh = false;
  let dropped = 0;

  const takeBelow = (depth: number): Failure[] => {
    let from = failures.length;
    while ((failures[from - 1]?.depth ?? 0) > depth) from -= 1;
    return failures.splice(from);
  };

  return {
    all: (): readonly Failure[] => failures,
    /** Number of failures that were not kept since there were too many. */
    dropped: (): number => dropped,
    settle({ depth, name, failed, excused }: Result): void {
      const below = takeBelow(depth);
      fresh = failed && !excused && below.length === 0 && failures.length < MAX_NAMES;
      if (excused) return;
      for (const it of below) failures.push({ ...it, depth, path: [name, ...it.path] });
      if (fresh) failures.push({ depth, file: '', path: [name] });
      else if (failed && below.length === 0) dropped += 1;
    },
    /** Sets the file of the failure that was settled last, if it was one. */
    locate(file: string): void {
      const last = fresh ? failures.pop() : undefined;
      if (last !== undefined) failures.push({ ...last, file });
      fresh = false;
    },
  };
}
