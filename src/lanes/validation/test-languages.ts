/**
 * The syntax of test cases in different languages: enough to count them and find their titles line by
 * line, without a parser.
 */

export interface TestSyntax {
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

export const TEST_SYNTAX: readonly TestSyntax[] = [
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
