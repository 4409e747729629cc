/** Finds test files by the conventions of their tools, and the test cases of a file line by line. */
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

const CODE =
  /\.(?:[cm]?[jt]sx?|py|go|rs|rb|php|java|kts?|scala|groovy|cs|swift|exs?|c|cc|cpp|cxx|dart|bats|pl|t|sh)$/;
const NAMES: readonly RegExp[] = [
  /[._-](?:test|tests|spec|specs|cy|e2e)\.[^./]+$/i,
  /^test[._-].+\.[^./]+$/i,
  /^[A-Z]\w*(?:Tests?|Specs?|TestCase|IT)\.(?:java|kts?|scala|groovy|cs|swift|php)$/,
  /^Test[A-Z]\w*\.(?:java|kts?|scala|groovy|cs|swift|php)$/,
  /\.(?:t|bats)$/,
];
const FOLDERS = new Set(['test', 'tests', 'spec', 'specs', '__tests__', 'e2e', 'cypress', 't']);

/** By its name a test file, even if no test case is found in it. */
export function isNamedAsTest(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return CODE.test(path) && NAMES.some((pattern) => pattern.test(name));
}

/** Also files in test folders, and files of Rust, which contain their own tests. */
export function mayHoldTests(path: string): boolean {
  if (!CODE.test(path)) return false;
  if (isNamedAsTest(path) || path.endsWith('.rs')) return true;
  return path
    .split('/')
    .slice(0, -1)
    .some((folder) => FOLDERS.has(folder));
}
