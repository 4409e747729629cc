/** Tests that a lane has removed, emptied or skipped: findings are shown, and judged elsewhere. */
import type { Git } from '../../git/git.ts';
import { changedTexts, changesBetween } from '../../git/paths.ts';
import type { TestsRun } from './run-validation.ts';
import { isNamedAsTest, mayHoldTests, type TestCase, testCases } from './test-cases.ts';

/** The tests of a file. */
export interface TestFile {
  readonly name: string;
  readonly before: readonly TestCase[];
  readonly after: readonly TestCase[];
}

/** Files that differ between two commits, as their text shows them. */
export async function changedTestFiles(git: Git, base: string, head: string): Promise<TestFile[]> {
  const changes = await changesBetween(git, base, head);
  const files = changes.filter(({ path }) => mayHoldTests(path));
  const texts = await changedTexts(git, files);
  return texts.map(({ path, before, after }) => ({
    name: path,
    ...bothSides(path, before, after),
  }));
}

/** What was reported to have run. */
type Ran = Pick<TestsRun, 'executed' | 'skipped'>;

/** The same by reports. Some tools name a class where others name a file. */
export function reportedTestFiles(base: Ran, head: Ran): TestFile[] {
  const [before, after] = [byFile(base), byFile(head)];
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].map((name) => ({
    name,
    before: before.get(name) ?? [],
    after: after.get(name) ?? [],
  }));
}

function byFile({ executed, skipped }: Ran): Map<string, TestCase[]> {
  const files = new Map<string, TestCase[]>();
  for (const [names, isSkipped] of [
    [executed, false],
    [skipped, true],
  ] as const) {
    for (const full of names) {
      const [file = '', ...title] = full.split(TITLE_MARK);
      const cases = files.get(file) ?? [];
      files.set(file, cases);
      cases.push({ kind: 'test', title: title.join(TITLE_MARK), skipped: isSkipped });
    }
  }
  return files;
}

/** A test file in which no test is recognised counts as one test. */
function bothSides(path: string, before = '', after = ''): Omit<TestFile, 'name'> {
  const sides = { before: testCases(before), after: testCases(after) };
  const isKnown = sides.before.length > 0 || (before === '' && sides.after.length > 0);
  if (isKnown || !isNamedAsTest(path)) return sides;
  const whole = (text: string): TestCase[] =>
    text.trim() === '' ? [] : [{ kind: 'test', title: text, skipped: false }];
  return { before: whole(before), after: whole(after) };
}

/**
 * The name of each file whose tests are all gone or skipped; `name > title` of each test that is newly
 * skipped, or missing from a file that has fewer tests than before. A test that moved to another file,
 * or was renamed in its own, does not count as removed.
 */
export function lostTests(files: readonly TestFile[]): string[] {
  const moved = bagOf(files.flatMap(({ before, after }) => minus(running(after), running(before))));
  return files.flatMap((file) => lostFrom(file, moved)).toSorted();
}

function lostFrom({ name, before, after }: TestFile, moved: Bag): string[] {
  const [were, are] = [running(before), running(after)];
  const lost = minus(were, are).filter((title) => !take(moved, title));
  if (are.length === 0 && lost.length > 0 && lost.length === were.length) return [name];
  const fewer = lost.length > minus(are, were).length ? lost : [];
  const titles = new Set([...fewer, ...newlySkipped(before, after)]);
  return [...titles].map((title) => `${name}${TITLE_MARK}${title || '(a test without a title)'}`);
}

function running(cases: readonly TestCase[]): string[] {
  return cases.flatMap(({ kind, title, skipped }) => (kind === 'test' && !skipped ? title : []));
}

function newlySkipped(before: readonly TestCase[], after: readonly TestCase[]): string[] {
  const keyOf = ({ kind, title }: TestCase) => `${kind} ${title}`;
  const ran = bagOf(before.flatMap((it) => (it.skipped ? [] : keyOf(it))));
  for (const it of after) if (!it.skipped) take(ran, keyOf(it));
  // Left over: ran before, and is now skipped or gone.
  return after.flatMap((it) => (it.skipped && take(ran, keyOf(it)) ? it.title : []));
}

/** Two tests may have one title. */
type Bag = Map<string, number>;

export function minus(titles: readonly string[], others: readonly string[]): string[] {
  const left = bagOf(others);
  return titles.filter((title) => !take(left, title));
}

function bagOf(titles: readonly string[]): Bag {
  const bag: Bag = new Map();
  for (const title of titles) bag.set(title, (bag.get(title) ?? 0) + 1);
  return bag;
}

function take(bag: Bag, title: string): boolean {
  const times = bag.get(title) ?? 0;
  if (times > 0) bag.set(title, times - 1);
  return times > 0;
}

/** Between the name of a file and the title of a test. */
const TITLE_MARK = ' > ';

/**
 * The removed tests that are not accepted unless the removal was declared: whole files always, since
 * nothing is left that could fail; single tests if they were failing. (Fewer tests in a file are
 * usual, for instance when three become a table.)
 *
 * @param goneFailures names of tests that failed before and do not fail now; `undefined` if the names
 *   of earlier failures are unknown: each removed test may be one of them.
 */
export function removedInsteadOfRepaired(
  removed: readonly string[],
  goneFailures: readonly string[] | undefined,
): string[] {
  return removed.filter((entry) => {
    const at = entry.indexOf(TITLE_MARK);
    if (at === -1 || goneFailures === undefined) return true;
    const title = entry.slice(at + TITLE_MARK.length).replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    // As a whole part of the name, whatever the tool puts around it.
    const whole = new RegExp(`(?:^|[ :/.#(])${title}(?:$|[ [()/:])`);
    return goneFailures.some((failure) => whole.test(failure));
  });
}
