/** Finds the test cases of a file, line by line. */
import { TEST_SYNTAX, type TestSyntax } from './test-languages.ts';

export interface TestCase {
  readonly kind: 'test' | 'group';
  readonly title: string;
  readonly skipped: boolean;
}

export interface TestCases {
  readonly cases: readonly TestCase[];
  /** Something in the file keeps all its tests, or all but one, from running. */
  readonly hidden: boolean;
}

/** A longer line is data. */
const MAX_LINE_CHARS = 2_000;

export function testCases(path: string, text: string): TestCases {
  const syntax = TEST_SYNTAX.find(({ extensions }) => extensions.test(path));
  if (syntax === undefined) return { cases: [], hidden: false };
  const scan = startScan(syntax);
  for (const line of text.split('\n')) {
    if (line.length <= MAX_LINE_CHARS && !syntax.comment.test(line)) scan.line(line);
  }
  return scan.result();
}

function startScan(syntax: TestSyntax) {
  const cases: TestCase[] = [];
  let hidden = false;
  let announced = false;
  let skipsNext = false;

  const add = (kind: TestCase['kind'], title: string, line: string): void => {
    cases.push({ kind, title, skipped: skipsNext || syntax.skipped?.test(line) === true });
    skipsNext = false;
    announced = false;
  };

  const begins = (line: string): boolean => {
    const group = syntax.groups?.exec(line);
    const test = firstMatch(syntax.tests, line);
    const named = announced ? syntax.announced?.exec(line) : undefined;
    if (group) add('group', titleOf(group), line);
    if (test) add('test', titleOf(test), line);
    else if (named) add('test', titleOf(named), line);
    return Boolean(group || test || named);
  };

  return {
    line(line: string): void {
      hidden ||= syntax.hidesAll?.test(line) === true;
      skipsNext ||= syntax.skipsNext?.test(line) === true;
      announced ||= syntax.announces?.test(line) === true;
      if (begins(line) || syntax.skipsThis?.test(line) !== true) return;
      const last = cases.pop();
      if (last !== undefined) cases.push({ ...last, skipped: true });
    },
    result: (): TestCases => ({ cases, hidden }),
  };
}

function firstMatch(patterns: readonly RegExp[], line: string): RegExpExecArray | undefined {
  for (const pattern of patterns) {
    const match = pattern.exec(line);
    if (match !== null) return match;
  }
  return undefined;
}

/** The group that has matched, since each kind of quotes has one; empty if there is no title. */
function titleOf(match: RegExpExecArray): string {
  return match.slice(1).find((it) => it !== undefined) ?? '';
}
