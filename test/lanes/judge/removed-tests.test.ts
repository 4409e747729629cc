import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitIn } from '../../../src/base/git/git-in.ts';
import {
  changedTestFiles,
  lostTests,
  reportedTestFiles,
  withReported,
} from '../../../src/lanes/judge/removed-tests.ts';
import { testCases } from '../../../src/lanes/judge/test-cases.ts';
import { sandbox } from '../../support/sandbox.ts';

type Files = Readonly<Record<string, string>>;

/** Two commits with these files, and nothing else, in each. */
async function removedBetween(before: Files, after: Files): Promise<string[]> {
  const box = sandbox();
  const repo = box.repo();
  const commit = (files: Files): string => {
    for (const [path, text] of Object.entries(files)) box.write(join(repo, path), text);
    const sha = box.commit(repo);
    for (const path of Object.keys(files)) rmSync(join(repo, path));
    return sha;
  };
  return lostTests(await changedTestFiles(gitIn(repo, box.env), commit(before), commit(after)));
}

const JS = `import { test } from 'node:test';
test('adds', () => {});
test("subtracts", () => {});
`;

test('nothing is removed where tests are added or changed', async () => {
  const after = JS.replace('() => {}', '() => check()');
  expect(
    await removedBetween({ 'a.test.mjs': JS }, { 'a.test.mjs': `${after}test('new', f)\n` }),
  ).toEqual([]);
});

test('a deleted file is one entry', async () => {
  expect(await removedBetween({ 'a.test.mjs': JS, 'b.mjs': 'x' }, { 'b.mjs': 'x' })).toEqual([
    'a.test.mjs',
  ]);
});

test('an emptied file counts as a deleted one', async () => {
  expect(await removedBetween({ 'a.test.mjs': JS }, { 'a.test.mjs': '\n' })).toEqual([
    'a.test.mjs',
  ]);
  const without = "import { test } from 'node:test';\n";
  expect(await removedBetween({ 'a.test.mjs': JS }, { 'a.test.mjs': without })).toEqual([
    'a.test.mjs',
  ]);
});

test('a deleted or commented-out test is named', async () => {
  const removed = JS.replace(/test\('adds.*\n/, '');
  const comment = JS.replace("test('adds", "// test('adds");
  for (const after of [removed, comment]) {
    expect(await removedBetween({ 'a.test.mjs': JS }, { 'a.test.mjs': after })).toEqual([
      'a.test.mjs > adds',
    ]);
  }
});

test('a renamed test is not removed', async () => {
  const after = JS.replace("'adds'", "'adds numbers'");
  expect(await removedBetween({ 'a.test.mjs': JS }, { 'a.test.mjs': after })).toEqual([]);
});

test('a renamed file is not removed, nor are tests that moved to another file', async () => {
  expect(await removedBetween({ 'a.test.mjs': JS }, { 'test/cart.mjs': JS })).toEqual([]);
  const [head, adds, subtracts] = JS.split('\n');
  const split = { 'b.test.mjs': `${head}\n${adds}\n`, 'c.test.mjs': `${head}\n${subtracts}\n` };
  expect(await removedBetween({ 'a.test.mjs': JS }, split)).toEqual([]);
});

test('a file renamed to a name that no tool runs is removed', async () => {
  expect(await removedBetween({ 'a.test.mjs': JS }, { 'a.mjs': JS })).toEqual(['a.test.mjs']);
  expect(await removedBetween({ 'a.test.mjs': JS }, { 'a.test.mjs.off': JS })).toEqual([
    'a.test.mjs',
  ]);
});

test.each([
  ['a.test.js', "it('adds', f)\nit('b', f)", "it.skip('adds', f)\nit('b', f)"],
  ['a.test.js', "it('adds', f)\nit('b', f)", "xit('adds', f)\nit('b', f)"],
  ['a.test.js', "test('adds', f)\ntest('b', f)", "test('adds', { skip: true }, f)\ntest('b', f)"],
  [
    'a.test.js',
    "test('adds', (t) => {\n})\ntest('b', f)",
    "test('adds', (t) => {\n  t.skip();\n})\ntest('b', f)",
  ],
  [
    'test_a.py',
    'def adds(): pass\ndef test_b(): pass\ndef test_adds(): pass',
    'def test_b(): pass\n@pytest.mark.skip(reason="x")\ndef test_adds(): pass',
  ],
  [
    'test_a.py',
    'def test_b(): pass\ndef test_adds():\n    pass',
    'def test_b(): pass\ndef test_adds():\n    pytest.skip("x")',
  ],
  [
    'a_test.go',
    'func TestB(t *testing.T) {}\nfunc TestAdds(t *testing.T) {\n}',
    'func TestB(t *testing.T) {}\nfunc TestAdds(t *testing.T) {\n\tt.Skip("x")\n}',
  ],
  [
    'src/lib.rs',
    '#[test]\nfn b() {}\n#[test]\nfn adds() {}',
    '#[test]\nfn b() {}\n#[test]\n#[ignore]\nfn adds() {}',
  ],
  ['spec/a_spec.rb', "it 'adds' do\nend\nit 'b' do\nend", "xit 'adds' do\nend\nit 'b' do\nend"],
  [
    'ATest.java',
    '@Test\nvoid b() {}\n@Test\nvoid adds() {}',
    '@Test\nvoid b() {}\n@Disabled\n@Test\nvoid adds() {}',
  ],
])('a test that is newly skipped is named: %s', async (path, before, after) => {
  const [entry, ...more] = await removedBetween({ [path]: before }, { [path]: after });
  expect(entry?.toLowerCase()).toMatch(/ > (?:test_?)?adds$/);
  expect(more).toEqual([]);
});

test('a group that is newly skipped is named; a new test that is skipped is not', async () => {
  const before = "describe('cart', () => {\n  it('adds', f)\n})\n";
  const after = "describe.skip('cart', () => {\n  it('adds', f)\n})\nit.skip('later', f)\n";
  expect(await removedBetween({ 'a.spec.ts': before }, { 'a.spec.ts': after })).toEqual([
    'a.spec.ts > cart',
  ]);
});

test('an `only` test hides all others of its file', async () => {
  const after = JS.replace("test('adds'", "test.only('adds'");
  expect(await removedBetween({ 'a.test.mjs': JS }, { 'a.test.mjs': after })).toEqual([
    'a.test.mjs',
  ]);
});

test('other files in test folders may be removed', async () => {
  const before = { 'test/support/shop.mjs': 'export const shop = 1;', 'test/data.json': '{}' };
  expect(await removedBetween(before, { 'a.mjs': '' })).toEqual([]);
});

test('special file names are no problem', async () => {
  const path = 'test/$(touch x)\n"a" 😀.test.mjs';
  expect(await removedBetween({ [path]: JS }, { 'b.mjs': '' })).toEqual([path]);
});

test('a rename that git detects', async () => {
  const box = sandbox();
  const repo = box.repo();
  box.write(join(repo, 'a.test.mjs'), JS);
  const before = box.commit(repo);
  renameSync(join(repo, 'a.test.mjs'), join(repo, 'b.test.mjs'));
  const files = await changedTestFiles(gitIn(repo, box.env), before, box.commit(repo));
  expect(lostTests(files)).toEqual([]);
});

test.each<[path: string, text: string, titles: readonly string[]]>([
  [
    'a.test.ts',
    "test.each([1, 2])('each %i', f)\nawait t.test(`child`, f)\nregex.test('no')",
    ['each %i', 'child'],
  ],
  ['a.spec.ts', "test.describe('cart', () => {\n  test('adds', f)\n})", ['cart', 'adds']],
  [
    'test_a.py',
    'class TestCart:\n    async def test_adds(self):\n        pass',
    ['TestCart', 'test_adds'],
  ],
  [
    'a_test.go',
    'func TestAdds(t *testing.T) {\n\tt.Run("zero", func(t *testing.T) {})',
    ['TestAdds', 'zero'],
  ],
  ['a.rs', '#[tokio::test]\nasync fn adds() {}\nfn no() {}', ['adds']],
  [
    'ATest.kt',
    '@Test\nfun `adds up`() {}\n@ParameterizedTest\nfun rounds() {}',
    ['adds up', 'rounds'],
  ],
  [
    'ATest.php',
    '#[Test]\npublic function adds(): void {}\npublic function testRounds() {}',
    ['adds', 'testRounds'],
  ],
  ['a_test.exs', 'describe "cart" do\n  test "adds" do', ['cart', 'adds']],
  ['a_test.cc', 'TEST(Cart, Adds) {\nTEST_CASE("rounds", "[x]") {', ['Cart, Adds', 'rounds']],
  ['tests/a.bats', '@test "adds" {', ['adds']],
])('test cases of %s', (_, text, titles) => {
  expect(testCases(text).map(({ title }) => title)).toEqual(titles);
});

test.each([
  ['test/cart.test.mjs', 'test/cart.test.mjs'],
  ['packages/shop/test/cart.test.mjs', 'test/cart.test.mjs'],
  ['tests/test_cart.py', 'tests.test_cart.TestCart'],
  ['src/test/java/org/example/CartTest.java', 'org.example.CartTest'],
  ['shop/cart/cart_test.go', 'example.org/shop/cart'],
  ['cart_test.go', 'example.org/shop'],
])('a test of %s that does not run any more is known from reports', (name, reported) => {
  const sides = { before: [], after: [], written: new Set(['rounds']) };
  const lost = (executed: readonly string[], skipped: readonly string[], path = name) => {
    const base = { executed: ['adds', 'cart > rounds'].map((it) => `${reported} > ${it}`) };
    const head = [executed, skipped].map((all) => all.map((it) => `${reported} > ${it}`));
    const [ran = [], left = []] = head;
    return lostTests(
      reportedTestFiles({ ...base, skipped: [] }, { executed: ran, skipped: left }, [
        { name: path, ...sides },
      ]),
    );
  };
  expect(lost(['adds', 'cart > rounds', 'new'], [])).toEqual([]);
  expect(lost(['adds up', 'cart > rounds'], [])).toEqual([]);
  expect(lost(['adds'], ['cart > rounds'])).toEqual([`${reported} > cart > rounds`]);
  expect(lost(['adds', 'new'], [])).toEqual([`${reported} > cart > rounds`]);
  expect(lost([], [])).toEqual([reported]);
  // A command may choose its tests by what has changed.
  expect(lost([], [], 'test/other.test.mjs')).toEqual([]);
});

test.each<[inText: string, reported: string, isTwice: boolean]>([
  ['tests/test_cart.py', 'tests.test_cart', false],
  ['tests/test_cart.py > TestCart > test_adds', 'tests.test_cart.TestCart > test_adds', false],
  ['tests/test_cart.py > test_adds', 'tests.test_cart > test_rounds', true],
  ['tests/test_cart.py', 'tests.test_owner', true],
  ['cart/cart_test.go > TestAdds', 'example.org/shop/cart > TestAdds', false],
  ['cart/cart_test.go > TestAdds', 'example.org/shop/owner > TestAdds', true],
])('a test that text and report tell of is told once: %s, %s', (inText, reported, isTwice) => {
  const told = [inText, ...(isTwice ? [reported] : [])];
  expect(withReported([inText], [reported])).toEqual(told);
});
