/** Finds test files by the conventions of their tools, and the test cases of a file line by line. */

export interface TestCase {
  readonly kind: 'test' | 'group';
  readonly title: string;
  readonly skipped: boolean;
}

interface TestCases {
  readonly cases: readonly TestCase[];
  /** Something in the file keeps all its tests, or all but one, from running. */
  readonly hidden: boolean;
}

/** A longer line is data. */
const MAX_LINE_CHARS = 2_000;

export function testCases(path: string, text: string): TestCases {
  const syntax = TEST_SYNTAX.find(({ extensions }) => extensions.test(path));
  const cases: TestCase[] = [];
  let hidden = false;
  let announced = false;
  let skipsNext = false;
  if (syntax === undefined) return { cases, hidden };

  const add = (kind: TestCase['kind'], match: RegExpExecArray, line: string): void => {
    const skipped = skipsNext || syntax.skipped?.test(line) === true;
    cases.push({ kind, title: titleOf(match), skipped });
    skipsNext = false;
    announced = false;
  };
  for (const line of text.split('\n')) {
    if (line.length > MAX_LINE_CHARS || syntax.comment.test(line)) continue;
    hidden ||= syntax.hidesAll?.test(line) === true;
    skipsNext ||= syntax.skipsNext?.test(line) === true;
    announced ||= syntax.announces?.test(line) === true;
    const group = syntax.groups?.exec(line);
    const named = announced ? syntax.announced?.exec(line) : undefined;
    const test = firstMatch(syntax.tests, line) ?? named;
    if (group) add('group', group, line);
    if (test) add('test', test, line);
    if (!group && !test && syntax.skipsThis?.test(line)) skipLast(cases);
  }
  return { cases, hidden };
}

function skipLast(cases: TestCase[]): void {
  const last = cases.pop();
  if (last !== undefined) cases.push({ ...last, skipped: true });
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

interface TestSyntax {
  readonly extensions: RegExp;
  /** A line that begins a test; group 1 is its title if it is on the same line. */
  readonly tests: readonly RegExp[];
  /** A line that marks the next function as a test. */
  readonly announces?: RegExp;
  /** The function so marked; group 1 is its name. */
  readonly announced?: RegExp;
  /** A group of tests; group 1 is its title. */
  readonly groups?: RegExp;
  /** On the line that begins a test or a group: it is skipped. */
  readonly skipped?: RegExp;
  /** On a line before a test or a group: it is skipped. */
  readonly skipsNext?: RegExp;
  /** On a line within a test: the test is skipped. */
  readonly skipsThis?: RegExp;
  /** A line that keeps the whole file, or all but one test of it, from running. */
  readonly hidesAll?: RegExp;
  readonly comment: RegExp;
}

const SLASHES = /^\s*(?:\/\/|\/?\*)/;
const HASH = /^\s*#(?!\[)/;
const QUOTED = /\s*(?:"([^"]*)"|'([^']*)'|`([^`]*)`)/.source;

const TEST_SYNTAX: readonly TestSyntax[] = [
  {
    extensions: /\.[cm]?[jt]sx?$/,
    tests: [
      new RegExp(
        String.raw`(?:^|[^\w.$])[xf]?(?:t\.test|test|it|specify)(?:\.(?!describe|step)\w+)*(?:\([^()]*\))?\s*\(` +
          QUOTED,
      ),
      /(?:^|[^\w.$])[xf]?(?:test|it|specify)(?:\.each)?\s*(?:\(\[?|`)$/,
    ],
    groups: new RegExp(
      String.raw`(?:^|[^\w.$])[xf]?(?:test\.describe|describe|suite|context)(?:\.\w+)*(?:\([^()]*\))?\s*\(` +
        QUOTED,
    ),
    skipped:
      /(?:^|[^\w.$])(?:x(?:test|it|specify|describe|context)\b|(?:t\.test|test|it|specify|describe|suite|context)(?:\.\w+)*\.(?:skip|todo|fails|fixme)\b)|[{,]\s*(?:skip|todo)\s*:/,
    skipsThis: /(?:^|[^\w$])(?:t|ctx|context|this|test)\.(?:skip|todo|fixme)\s*\(/,
    hidesAll:
      /(?:^|[^\w.$])(?:(?:test|it|specify|describe|suite|context)(?:\.\w+)*\.only\b|f(?:it|describe|test)\s*\()/,
    comment: SLASHES,
  },
  {
    extensions: /\.py$/,
    tests: [/^\s*(?:async\s+)?def\s+(test\w*)\s*\(/],
    groups: /^class\s+(\w*Test\w*)/,
    skipsNext: /^\s*@(?:\w+\.)*(?:skip|skipif|skipIf|skipUnless|xfail|expectedFailure)\b/,
    skipsThis: /^\s*(?:pytest\.(?:skip|xfail)|self\.skipTest|raise\s+(?:unittest\.)?SkipTest)\b/,
    hidesAll: /^(?:pytestmark\s*=.*\.(?:skip|skipif|xfail)\b|pytest\.(?:skip|importorskip)\()/,
    comment: HASH,
  },
  {
    extensions: /\.go$/,
    tests: [/^func\s+((?:Test|Fuzz|Example)\w*)\s*\(/, /\b[tb]\.Run\(\s*"([^"]*)"/],
    skipsThis: /\b\w+\.Skip(?:f|Now)?\(/,
    hidesAll: /^\/\/go:build\s+ignore\b/,
    comment: /^\s*\/\/(?!go:build)/,
  },
  {
    extensions: /\.rs$/,
    tests: [],
    announces: /^\s*#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck)\b/,
    announced: /\bfn\s+(\w+)/,
    skipsNext: /^\s*#\[(?:ignore|cfg\(any\(\)\)|should_panic)\b/,
    comment: SLASHES,
  },
  {
    extensions: /\.(?:java|kts?|scala|groovy)$/,
    tests: [/^\s*(?:test|it|should)\s*\(\s*"([^"]*)"/, /^\s*def\s+"([^"]*)"\s*\(/],
    announces: /^\s*@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b/,
    announced: /(?:\bvoid|\bfun)\s+(?:<[^>]*>\s*)?(?:`([^`]+)`|(\w+))\s*\(/,
    skipsNext: /^\s*@(?:\w+\.)*(?:Disabled|Ignore|Ignored)\b/,
    skipsThis: /\b(?:assumeTrue|assumeFalse|Assumptions?\.\w+)\s*\(/,
    comment: SLASHES,
  },
  {
    extensions: /\.cs$/,
    tests: [],
    announces: /^\s*\[(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b/,
    announced: /\b(?:void|Task)\s+(\w+)\s*\(/,
    skipsNext: /^\s*\[(?:Ignore|Explicit)\b|\bSkip\s*=/,
    comment: SLASHES,
  },
  {
    extensions: /\.php$/,
    tests: [/\bfunction\s+(test\w*)\s*\(/i, /^\s*(?:it|test)\s*\(\s*(?:"([^"]*)"|'([^']*)')/],
    announces: /^\s*(?:#\[(?:\w+\\)*Test\b|\*\s*@test\b)/,
    announced: /\bfunction\s+(\w+)\s*\(/,
    skipsThis: /\b(?:markTestSkipped|markTestIncomplete)\s*\(|->(?:skip|todo)\(/,
    hidesAll: /->only\(/,
    comment: /^\s*(?:\/\/|#(?!\[)|\/?\*(?!\s*@test))/,
  },
  {
    extensions: /\.rb$/,
    tests: [
      new RegExp(String.raw`^\s*(?:x|f)?(?:it|specify|example|scenario|test)\s*\(?` + QUOTED),
      /^\s*(?:x|f)?(?:it|specify|example)\s*(?:\{|do\b)/,
      /^\s*def\s+(test_\w+)/,
    ],
    groups: new RegExp(
      String.raw`^\s*(?:RSpec\.)?(?:x|f)?(?:describe|context|feature)\s*\(?` + QUOTED,
    ),
    skipped:
      /^\s*(?:RSpec\.)?x(?:it|specify|example|scenario|describe|context|feature)\b|[,:]\s*:?(?:skip|pending)\b/,
    skipsThis: /^\s*(?:skip|pending)\b/,
    hidesAll:
      /^\s*(?:RSpec\.)?f(?:it|specify|example|describe|context)\b|\bfocus: true\b|, :focus\b/,
    comment: HASH,
  },
  {
    extensions: /\.swift$/,
    tests: [/\bfunc\s+(test\w*)\s*\(/],
    announces: /^\s*@Test\b/,
    announced: /\bfunc\s+(\w+)/,
    skipsThis: /\bXCTSkip\w*\(/,
    comment: SLASHES,
  },
  {
    extensions: /\.exs?$/,
    tests: [/^\s*(?:test|property)\s+"([^"]*)"/],
    groups: /^\s*describe\s+"([^"]*)"/,
    skipsNext: /^\s*@(?:module|describe)?tag\s+:?skip\b/,
    comment: HASH,
  },
  {
    extensions: /\.(?:c|cc|cpp|cxx)$/,
    tests: [
      /^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*(\w+\s*,\s*\w+)/,
      /^\s*(?:TEST_CASE|SCENARIO|BOOST_AUTO_TEST_CASE)\(\s*"?([^",)]*)/,
    ],
    skipped: /\(\s*\w+\s*,\s*DISABLED_|\[\.\]|\[!hide\]/,
    skipsThis: /\b(?:GTEST_SKIP|SKIP)\(/,
    comment: SLASHES,
  },
  {
    extensions: /\.dart$/,
    tests: [new RegExp(String.raw`^\s*(?:test|testWidgets)\s*\(` + QUOTED)],
    groups: new RegExp(String.raw`^\s*group\s*\(` + QUOTED),
    skipped: /\bskip\s*:/,
    skipsNext: /^\s*@Skip\b/,
    comment: SLASHES,
  },
  {
    extensions: /\.(?:bats|sh)$/,
    tests: [/^\s*@test\s+"([^"]*)"/, /^\s*(?:function\s+)?(test\w+)\s*\(\)/],
    skipsThis: /^\s*skip\b/,
    comment: HASH,
  },
];
