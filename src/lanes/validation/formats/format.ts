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
  const add = (name: string): void => {
    total += 1;
    if (names.length < MAX_NAMES) names.push(name.slice(0, MAX_NAME_CHARS));
  };
  return {
    /** Whether the log has the tool's own summary. */
    seen: false,
    /** The number of failures in that summary. */
    counted: 0,
    add,
    /** Adds the failure that a line names, if it does; the groups are the levels of its name. */
    failure(pattern: RegExp, text: string): boolean {
      const levels = pattern.exec(text)?.slice(1);
      if (levels !== undefined) add(joined(...levels.map((it) => it ?? '')));
      return levels !== undefined;
    },
    /** Adds up the numbers of failures that the groups of the tool's own summary are. */
    summary(pattern: RegExp, text: string): boolean {
      const numbers = pattern.exec(text)?.slice(1);
      if (numbers === undefined) return false;
      this.seen = true;
      for (const digits of numbers) this.counted += count(digits);
      return true;
    },
    /** @param counted the number in the tool's own summary. */
    findings: (counted = 0): Findings => ({ failures: names, counted: Math.max(total, counted) }),
    total: (): number => total,
  };
}

export type NameList = ReturnType<typeof nameList>;

type Start = (list: NameList) => FormatReader['line'];

/** A format that is recognised by the tool's summary, or by any failure in its form. */
export const format = (start: Start): Format => formatOf(start, ({ total }) => total() > 0);

/** A format that is recognised only by the tool's summary. */
export const summarised = (start: Start): Format => formatOf(start, () => false);

function formatOf(start: Start, isKnown: (list: NameList) => boolean): Format {
  return () => {
    const list = nameList();
    const findings = () => (list.seen || isKnown(list) ? list.findings(list.counted) : undefined);
    return { line: start(list), findings };
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
