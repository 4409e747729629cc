/**
 * The interface of a reader of one test tool's output. All readers get every line of a log in turn,
 * and keep only names, so that a log of any size is read in little memory.
 */

/** Further failures are only counted. */
export const MAX_NAMES = 5_000;
const MAX_NAME_CHARS = 500;

export interface Findings {
  readonly failures: readonly string[];
  /** The tool's own count of failures; larger than the list if some have no name. */
  readonly counted: number;
}

export interface FormatReader {
  /** One line of the log in turn, without line end and colours. */
  line(text: string): void;
  /** `undefined` if the log has no output of this tool. */
  findings(): Findings | undefined;
}

export type Format = () => FormatReader;

/** What a reader has found so far: names in order, with duplicates. */
export function nameList() {
  const names: string[] = [];
  let total = 0;
  return {
    /** Whether the log has the tool's own summary. */
    seen: false,
    /** The number of failures in that summary. */
    counted: 0,
    add(name: string): void {
      total += 1;
      if (names.length < MAX_NAMES) names.push(name.slice(0, MAX_NAME_CHARS));
    },
    /** @param counted the number in the tool's own summary. */
    findings: (counted = 0): Findings => ({ failures: names, counted: Math.max(total, counted) }),
    total: (): number => total,
  };
}

export type NameList = ReturnType<typeof nameList>;

type Start = (list: NameList) => FormatReader['line'];

/** A format that is recognised by the tool's summary, or by any failure in its form. */
export function format(start: Start): Format {
  return () => {
    const list = nameList();
    const found = () => (list.seen || list.total() > 0 ? list.findings(list.counted) : undefined);
    return { line: start(list), findings: found };
  };
}

/** A format that is recognised only by the tool's summary. */
export function summarised(start: Start): Format {
  return () => {
    const list = nameList();
    const found = () => (list.seen ? list.findings(list.counted) : undefined);
    return { line: start(list), findings: found };
  };
}

/** The number in a group of a match; 0 if the group did not match. */
export function count(digits: string | undefined): number {
  return Number(digits ?? 0);
}

/** The levels of a test's name, outermost first, joined in the common form. */
export function joined(...levels: readonly string[]): string {
  return levels.filter((level) => level !== '').join(' > ');
}
