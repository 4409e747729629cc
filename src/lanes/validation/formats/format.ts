/**
 * What a reader of one test tool's output is. All readers see every line of a log, one after the
 * other, and keep nothing but names: a log of any size is read in little memory.
 */

/** Of a log that fails more tests than this, the rest is counted only. */
export const MAX_NAMES = 5_000;
const MAX_NAME_CHARS = 500;

export interface Findings {
  readonly failures: readonly string[];
  /** How many failures the tool itself counted; more than are named where some have no name. */
  readonly counted: number;
}

export interface FormatReader {
  /** A line without its end, without colours, in the order of the log. */
  line(text: string): void;
  /** `undefined` if nothing of this tool was seen. */
  findings(): Findings | undefined;
}

export type Format = () => FormatReader;

/** Names in the order found, twice where they were found twice. */
export function nameList() {
  const names: string[] = [];
  let total = 0;
  return {
    names,
    add(name: string): void {
      total += 1;
      if (names.length < MAX_NAMES) names.push(name.slice(0, MAX_NAME_CHARS));
    },
    /** @param counted what the tool's own summary says. */
    findings: (counted = 0): Findings => ({ failures: names, counted: Math.max(total, counted) }),
    total: (): number => total,
  };
}

export type NameList = ReturnType<typeof nameList>;

/** The number that a group of a match holds; 0 where it took no part. */
export function count(digits: string | undefined): number {
  return Number(digits ?? 0);
}

/** Levels of a test's name, outermost first, as every reader joins them. */
export function joined(...levels: readonly string[]): string {
  return levels.filter((level) => level !== '').join(' > ');
}
