/**
 * Finds test files by the conventions of their tools, and test cases line by line: one pattern for each way in which
 * languages write them. Only reports show which tests ran; this finds what reports do not show.
 */

export interface TestCase {
  readonly kind: 'test' | 'group';
  readonly title: string;
  readonly skipped: boolean;
}

const CODE =
  /\.(?:[cm]?[jt]sx?|py|go|rs|rb|php|java|kts?|scala|groovy|cs|swift|exs?|c|cc|cpp|cxx|dart|bats|pl|t|sh)$/;
const NAMES: readonly RegExp[] = [
  /[._-](?:test|tests|spec|specs|cy|e2e)\.[^./]+$/i,
  /^test[._-].+\.[^./]+$/i,
  /^tests?\.(?:py|rs)$/,
  /^(?:Test[A-Z]\w*|[A-Z]\w*(?:Tests?|Specs?|TestCase|IT))\.(?:java|kts?|scala|groovy|cs|swift|php)$/,
  /\.(?:t|bats)$/,
];
const FOLDER = /(?:^|\/)(?:tests?|specs?|__tests__|e2e|cypress|t)\//;

/** Whether the name is that of a test file, even if no test case is found in it. */
export function isNamedAsTest(path: string): boolean {
  return CODE.test(path) && matches(NAMES, path.slice(path.lastIndexOf('/') + 1));
}

/** Whether it may contain tests: files in test folders, and those of Rust, count. */
export function mayHoldTests(path: string): boolean {
  return isNamedAsTest(path) || path.endsWith('.rs') || (CODE.test(path) && FOLDER.test(path));
}

/** A longer line is data. */
const MAX_LINE_CHARS = 2_000;
const COMMENT = /^\s*(?:\/\/(?!go:build)|\/?\*(?!\s*@test\b)|#(?!\[))/;

const QUOTED = /\s*(?:"([^"]*)"|'([^']*)'|`([^`]*)`)/.source;
const GROUPS = '(?:RSpec\\.)?[xf]?(?:(?:test\\.)?describe|suite|context|feature|group)';
const TESTS = '[xf]?(?:test|it|specify|example|scenario|property|testWidgets|should)';
/** The part between a name and its title: `.each([1, 2])`. */
const CHAIN = String.raw`(?:\.(?!describe|step)\w+)*(?:\([^()]*\))?\s*\(`;
/** `describe('cart', …)`, `context 'cart' do`, `class TestCart` */
const GROUP = new RegExp(
  `(?:^|[^\\w.$])${GROUPS}${CHAIN}${QUOTED}|^\\s*${GROUPS}${QUOTED}|^class\\s+(\\w*Test\\w*)`,
);
/** `it('adds', …)`, `t.Run("adds", …)`; the title may be on another line. */
const CALL = new RegExp(
  `(?:^|[^\\w.$])(?:t\\.test|[tb]\\.Run|${TESTS})${CHAIN}(?:${QUOTED}|\\[?$)`,
);
/** `it 'adds' do`, `@test "adds" {`, `def "adds"()` */
const WORD = new RegExp(`^\\s*@?(?:${TESTS}|def)(?:${QUOTED}|\\s+(?:\\{|do\\b))`);
/** `def test_adds(`, `func TestAdds(`, `function testAdds(` */
const NAMED =
  /^\s*(?:\w+\s+)*(?:def|func|function|fun|void)\s+((?:test|Test|Fuzz|Example)\w*)\s*\(/;
const SHELL = /^\s*(test\w+)\s*\(\)\s*\{/;
/** `TEST(Cart, Adds)` and the like of C++ */
const MACRO =
  /^\s*(?:TEST(?:_F|_P|_CASE)?|TYPED_TEST|SCENARIO|BOOST_AUTO_TEST_CASE)\(\s*"?([^")]*)/;
/** Marks after which the next function is a test. */
const MARKS: readonly RegExp[] = [
  /^\s*#\[(?:\w+(?:::|\\))*(?:[tT]est|rstest|test_case|quickcheck)\b/, // Rust, PHP
  /^\s*@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b/, // Java, Swift
  /^\s*\[(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b/, // C#
  /^\s*\*\s*@test\b/, // PHP
];
const MARKED = /\b(?:fn|fun|func|function|void|Task)\s+(?:<[^>]*>\s*)?(?:`([^`]+)`|(\w+))/;

/** A test or a group that begins with such a line is skipped. */
const SKIPPED: readonly RegExp[] = [
  /(?:^|[^\w.$])x(?:test|it|specify|example|scenario|describe|context|feature)\b/,
  /\.(?:skip|todo|fails|fixme)\b/,
  /[{,]\s*(?:skip|todo|pending)\s*:|,\s*:(?:skip|pending)\b/,
  /\bDISABLED_|\[\.\]|\[!hide\]/, // C++
];
/** A test or a group after such a line is skipped. */
const SKIPS_NEXT: readonly RegExp[] = [
  /^\s*@(?:\w+\.)*(?:skip(?:if|If|Unless)?|xfail|expectedFailure)\b/, // Python
  /^\s*@(?:\w+\.)*(?:Disabled|Ignored?|Skip)\b/, // Java, Kotlin, Dart
  /^\s*@(?:module|describe)?tag\s+:?skip\b/, // Elixir
  /^\s*#\[(?:ignore|should_panic|cfg\(any\(\)\))/, // Rust
  /^\s*\[(?:Ignore|Explicit)\b|^\s*\[.*\bSkip\s*=/, // C#
];
/** A test with such a line in it is skipped. */
const SKIPS_THIS: readonly RegExp[] = [
  /(?:^|[^\w$])(?:t|ctx|context|this|test)\.(?:skip|todo|fixme)\s*\(/,
  /(?:^|[^\w$])(?:pytest\.(?:skip|xfail)|self\.skipTest)\s*\(|\braise\s+(?:unittest\.)?SkipTest\b/,
  /(?:^|[^\w$])[tb]\.Skip(?:f|Now)?\(/, // Go
  /\b(?:assume(?:True|False)|Assumptions?\.\w+|XCTSkip\w*|GTEST_SKIP|SKIP)\s*\(/,
  /\bmarkTest(?:Skipped|Incomplete)\s*\(|->(?:skip|todo)\(/, // PHP
  /^\s*(?:skip|pending)\b(?!\s*[:=.])/, // Ruby, Bats
];
/** Keeps the whole file, or all tests of it but one, from running. */
const HIDES_ALL: readonly RegExp[] = [
  /(?:^|[^\w.$])(?:test|it|specify|describe|suite|context)(?:\.\w+)*\.only\b|->only\(/,
  /(?:^|[^\w.$])f(?:it|describe|test|specify|context)\b\s*[('"]|\bfocus: true\b|, :focus\b/,
  /^(?:pytestmark\s*=.*\.(?:skip|skipif|xfail)\b|pytest\.(?:skip|importorskip)\()/,
  /^\/\/go:build\s+ignore\b/,
];

const matches = (patterns: readonly RegExp[], text: string): boolean =>
  patterns.some((it) => it.test(text));

export function testCases(text: string): TestCase[] {
  const lines = text
    .split('\n')
    .filter((line) => line.length <= MAX_LINE_CHARS && !COMMENT.test(line));
  const isHidden = lines.some((line) => matches(HIDES_ALL, line));
  const cases: TestCase[] = [];
  let isMarked = false;
  let skipsNext = false;
  for (const line of lines) {
    skipsNext ||= matches(SKIPS_NEXT, line);
    isMarked ||= matches(MARKS, line);
    const found = caseIn(line, isMarked);
    if (found !== undefined) {
      cases.push({ ...found, skipped: isHidden || skipsNext || matches(SKIPPED, line) });
      isMarked = false;
      skipsNext = false;
    } else if (matches(SKIPS_THIS, line)) {
      const last = cases.pop();
      if (last !== undefined) cases.push({ ...last, skipped: true });
    }
  }
  return cases;
}

function caseIn(line: string, isMarked: boolean): Omit<TestCase, 'skipped'> | undefined {
  const patterns = [GROUP, ...(isMarked ? [MARKED] : []), CALL, WORD, NAMED, SHELL, MACRO];
  const pattern = patterns.find((it) => it.test(line));
  // Each kind of quotes has a group of its own; the line may have no title.
  const [title = ''] =
    pattern
      ?.exec(line)
      ?.slice(1)
      .filter((it) => it !== undefined) ?? [];
  return pattern && { kind: pattern === GROUP ? 'group' : 'test', title };
}
