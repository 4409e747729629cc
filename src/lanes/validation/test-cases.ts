/**
 * Finds test files by the conventions of their tools, and test cases line by line: one pattern for each way
 * in which languages write them. What has run is known from reports alone; this notices what reports do not.
 */

export interface TestCase {
  readonly kind: 'test' | 'group';
  readonly title: string;
  readonly skipped: boolean;
}

const CODE =
  /\.(?:[cm]?[jt]sx?|py|go|rs|rb|php|java|kts?|scala|groovy|cs|swift|exs?|c|cc|cpp|cxx|dart|bats|pl|t|sh)$/;
const NAME =
  /[._-](?:test|tests|spec|specs|cy|e2e)\.[^./]+$|^test[._-].+\.[^./]+$|^(?:Test[A-Z]\w*|[A-Z]\w*(?:Tests?|Specs?|TestCase|IT))\.(?:java|kts?|scala|groovy|cs|swift|php)$|\.(?:t|bats)$/;
const FOLDER = /(?:^|\/)(?:tests?|specs?|__tests__|e2e|cypress|t)\//;

/** By its name a test file, even if no test case is found in it. */
export function isNamedAsTest(path: string): boolean {
  return CODE.test(path) && NAME.test(path.slice(path.lastIndexOf('/') + 1));
}

/** Also files in test folders, and files of Rust, which contain their own tests. */
export function mayHoldTests(path: string): boolean {
  return isNamedAsTest(path) || path.endsWith('.rs') || (CODE.test(path) && FOLDER.test(path));
}

/** A longer line is data. */
const MAX_LINE_CHARS = 2_000;
const COMMENT = /^\s*(?:\/\/(?!go:build)|\/?\*(?!\s*@test\b)|#(?!\[))/;

const QUOTED = /\s*(?:"([^"]*)"|'([^']*)'|`([^`]*)`)/.source;
const GROUPS = '(?:RSpec\\.)?[xf]?(?:(?:test\\.)?describe|suite|context|feature|group)';
const TESTS = '[xf]?(?:test|it|specify|example|scenario|property|testWidgets|should)';
/** What may stand between a name and its title: `.each([1, 2])` */
const CHAIN = String.raw`(?:\.(?!describe|step)\w+)*(?:\([^()]*\))?\s*\(`;
/** `describe('cart', …)`, `context 'cart' do`, `class TestCart` */
const GROUP = new RegExp(
  `(?:^|[^\\w.$])${GROUPS}${CHAIN}${QUOTED}|^\\s*${GROUPS}${QUOTED}|^class\\s+(\\w*Test\\w*)`,
);
/** `it('adds', …)`, `t.Run("adds", …)`, `it 'adds' do`, `@test "adds" {`; the title may be on another line. */
const CALL = new RegExp(
  `(?:^|[^\\w.$])(?:t\\.test|[tb]\\.Run|${TESTS})${CHAIN}(?:${QUOTED}|\\[?$)|^\\s*@?(?:${TESTS}|def)(?:${QUOTED}|\\s+(?:\\{|do\\b))`,
);
/** `def test_adds(`, `func TestAdds(`, `function testAdds(`, `test_adds() {` */
const NAMED =
  /^\s*(?:\w+\s+)*(?:def|func|function|fun|void)\s+((?:test|Test|Fuzz|Example)\w*)\s*\(|^\s*(test\w+)\s*\(\)\s*\{/;
/** `TEST(Cart, Adds)` and the like of C++ */
const MACRO =
  /^\s*(?:TEST(?:_F|_P|_CASE)?|TYPED_TEST|SCENARIO|BOOST_AUTO_TEST_CASE)\(\s*"?([^")]*)/;
/** `#[test]`, `@Test`, `[Fact]`: the next function is a test. */
const MARK =
  /^\s*(?:#\[|@|\[|\*\s*@)(?:\w+(?:::|\.|\\))*(?:[tT]est|rstest|quickcheck|test_case|ParameterizedTest|RepeatedTest|TestFactory|Property|Fact|Theory|TestCase|TestMethod|DataTestMethod)\b(?!\s*")/;
const MARKED = /\b(?:fn|fun|func|function|void|Task)\s+(?:<[^>]*>\s*)?(?:`([^`]+)`|(\w+))/;

/** On the line that begins a test or a group, or that stands before it. */
const SKIPPED =
  /(?:^|[^\w.$])x(?:test|it|specify|example|scenario|describe|context|feature)\b|\.(?:skip|todo|fails|fixme)\b|[{,]\s*(?:skip|todo|pending)\s*:|,\s*:(?:skip|pending)\b|\bDISABLED_|\[\.\]|\[!hide\]/;
const SKIPS_NEXT =
  /^\s*(?:@(?:\w+\.)*(?:skip(?:if|If|Unless)?|Skip|xfail|expectedFailure|Disabled|Ignored?)\b|@(?:module|describe)?tag\s+:?skip\b|#\[(?:ignore|should_panic|cfg\(any\(\)\))|\[(?:Ignore|Explicit)\b|\[.*\bSkip\s*=)/;
/** On a line within a test. */
const SKIPS_THIS =
  /(?:^|[^\w$])(?:t|b|ctx|context|this|test|pytest)\.(?:skip|todo|fixme|xfail|Skip(?:f|Now)?)\s*\(|\bself\.skipTest\b|\braise\s+(?:unittest\.)?SkipTest\b|\b(?:assume(?:True|False)|Assumptions?\.\w+|markTest(?:Skipped|Incomplete)|XCTSkip\w*|GTEST_SKIP|SKIP)\s*\(|->(?:skip|todo)\(|^\s*(?:skip|pending)\b(?!\s*[:=.])/;
/** Keeps the whole file, or all but one test of it, from running. */
const HIDES_ALL =
  /(?:^|[^\w.$])(?:(?:test|it|specify|describe|suite|context)(?:\.\w+)*\.only\b|f(?:it|describe|test|specify|context)\b\s*[('"])|->only\(|\bfocus: true\b|, :focus\b|^(?:pytestmark\s*=.*\.(?:skip|skipif|xfail)\b|pytest\.(?:skip|importorskip)\(|\/\/go:build\s+ignore\b)/;

export function testCases(text: string): TestCase[] {
  const lines = text
    .split('\n')
    .filter((line) => line.length <= MAX_LINE_CHARS && !COMMENT.test(line));
  const isHidden = lines.some((line) => HIDES_ALL.test(line));
  const cases: TestCase[] = [];
  let isMarked = false;
  let skipsNext = false;
  for (const line of lines) {
    skipsNext ||= SKIPS_NEXT.test(line);
    isMarked ||= MARK.test(line);
    const found = caseIn(line, isMarked);
    if (found !== undefined) {
      cases.push({ ...found, skipped: isHidden || skipsNext || SKIPPED.test(line) });
      isMarked = false;
      skipsNext = false;
    } else if (SKIPS_THIS.test(line)) {
      const last = cases.pop();
      if (last !== undefined) cases.push({ ...last, skipped: true });
    }
  }
  return cases;
}

function caseIn(line: string, isMarked: boolean): Omit<TestCase, 'skipped'> | undefined {
  const patterns = isMarked ? [GROUP, MARKED, CALL, NAMED, MACRO] : [GROUP, CALL, NAMED, MACRO];
  const pattern = patterns.find((it) => it.test(line));
  // Each kind of quotes has a group of its own; there may be no title on the line.
  const [title = ''] =
    pattern
      ?.exec(line)
      ?.slice(1)
      .filter((it) => it !== undefined) ?? [];
  return pattern && { kind: pattern === GROUP ? 'group' : 'test', title };
}
