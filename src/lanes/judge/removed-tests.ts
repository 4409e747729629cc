/** Tests that a lane has removed, emptied or skipped. */
import type { Git } from '../../base/git/git.ts';
import { changedTexts, changesBetween } from '../../base/git/paths.ts';
import { literally } from '../../base/text/pattern.ts';
import type { TestsRun } from './run-validation.ts';
import { isNamedAsTest, mayHoldTests, type TestCase, testCases } from './test-cases.ts';

export interface TestFile {
  readonly name: string;
  readonly before: readonly TestCase[];
  readonly after: readonly TestCase[];
  /** Titles that are still in the text: if such a test does not run, it was not renamed. */
  readonly written: ReadonlySet<string>;
}

/** Test files that differ between two commits, by their text. */
export async function changedTestFiles(git: Git, base: string, head: string): Promise<TestFile[]> {
  const changes = await changesBetween(git, base, head);
  const files = changes.filter(({ path }) => mayHoldTests(path));
  const texts = await changedTexts(git, files);
  return texts.map(({ path, ...text }) => {
    const sides = bothSides(path, text.before, text.after);
    return { name: path, ...sides, written: new Set(sides.after.map(({ title }) => title)) };
  });
}

type Ran = Pick<TestsRun, 'executed' | 'skipped'>;

/**
 * The differing test files by reports. Other files are left out: a command may select tests by what has changed.
 *
 * @param texts the files that differ.
 */
export function reportedTestFiles(base: Ran, head: Ran, texts: readonly TestFile[]): TestFile[] {
  const [before, after] = [byFile(base), byFile(head)];
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => {
    const own = texts.filter((it) => isOf(it.name, name));
    if (own.length === 0) return [];
    const sides = { before: before.get(name) ?? [], after: after.get(name) ?? [] };
    return { name, written: new Set(own.flatMap(({ written }) => [...written])), ...sides };
  });
}

/** Some tools name a class in place of a file, `tests.test_cart.TestCart`, or a package, `example.org/shop/cart`. */
export function isOf(path: string, name: string): boolean {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  if (path.endsWith('_test.go')) return `/${name}/`.endsWith(`/${folder}`);
  const dotted = path.replace(/\.\w+$/, '').replaceAll('/', '.');
  if (`/${path}`.endsWith(`/${name}`) || `.${dotted}`.endsWith(`.${name}`)) return true;
  return name.startsWith(`${dotted}.`);
}

/** Both texts and reports tell of lost tests, by names of their own: without those that the first have told. */
export function withReported(inText: readonly string[], reported: readonly string[]): string[] {
  const isTold = (name: string) =>
    inText.some((it) => {
      const [path = '', ...title] = it.split(TITLE_MARK);
      const isWhole = title.length === 0;
      return isOf(path, fileOf(name) || name) && (isWhole || lastLevel(it) === lastLevel(name));
    });
  return [...inText, ...reported.filter((name) => !isTold(name))];
}

function byFile({ executed, skipped }: Ran): Map<string, TestCase[]> {
  const named = (name: string) => {
    const [file = '', ...title] = name.split(TITLE_MARK);
    return { kind: 'test', file, title: title.join(TITLE_MARK) } as const;
  };
  const cases = [
    ...executed.map((name) => ({ ...named(name), skipped: false })),
    ...skipped.map((name) => ({ ...named(name), skipped: true })),
  ];
  // A file without tests of its own is reported as a test.
  return Map.groupBy(
    cases.filter(({ title }) => title !== ''),
    ({ file }) => file,
  );
}

/** Both versions of a file; one in which no test is recognised counts as one test. */
function bothSides(path: string, before = '', after = ''): Pick<TestFile, 'before' | 'after'> {
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
 * or was renamed in its own, does not count as removed; nor does one that became a table or part of a group.
 */
export function lostTests(files: readonly TestFile[]): string[] {
  const added = files.flatMap(({ before, after }) => minus(running(after), running(before)));
  const moved = { titles: bagOf(added), names: new Set(added.map(ownName)) };
  return files.flatMap((file) => lostFrom(file, moved)).toSorted();
}

function lostFrom({ name, before, after, written }: TestFile, moved: Moved): string[] {
  const [were, are] = [running(before), running(after)];
  const lost = minus(were, are).filter(
    (title) => !take(moved.titles, title) && !moved.names.has(ownName(title)),
  );
  if (are.length === 0 && lost.length > 0 && lost.length === were.length) return [name];
  const isFewer = lost.length > minus(are, were).length;
  const unexplained = lost.filter((title) => isFewer || written.has(lastLevel(title)));
  const titles = new Set([...unexplained, ...newlySkippedGroups(before, after)]);
  return [...titles].map((title) => `${name}${TITLE_MARK}${title || '(a test without a title)'}`);
}

function running(cases: readonly TestCase[]): string[] {
  return cases.flatMap(({ kind, title, skipped }) => (kind === 'test' && !skipped ? title : []));
}

function newlySkippedGroups(before: readonly TestCase[], after: readonly TestCase[]): string[] {
  const titlesOf = (cases: readonly TestCase[], skipped: boolean) =>
    cases.flatMap((it) => (it.kind === 'group' && it.skipped === skipped ? it.title : []));
  return minus(titlesOf(before, false), titlesOf(after, false)).filter((title) =>
    titlesOf(after, true).includes(title),
  );
}

interface Moved {
  readonly titles: Bag;
  readonly names: ReadonlySet<string>;
}

/** The title without its groups, and without the values that pytest adds for a table. */
export const ownName = (title: string): string => lastLevel(title).replace(/\[.*\]$/, '');

/** Two tests may have one title. */
type Bag = Map<string, number>;

export function minus(titles: readonly string[], others: readonly string[]): string[] {
  const left = bagOf(others);
  return titles.filter((title) => !take(left, title));
}

export function bagOf(titles: readonly string[]): Bag {
  const bag: Bag = new Map();
  for (const title of titles) bag.set(title, (bag.get(title) ?? 0) + 1);
  return bag;
}

export function take(bag: Bag, title: string): boolean {
  const times = bag.get(title) ?? 0;
  if (times > 0) bag.set(title, times - 1);
  return times > 0;
}

/** Separates the name of a file, groups, and the title of a test. */
const TITLE_MARK = ' > ';

const lastLevel = (title: string): string => title.split(TITLE_MARK).at(-1) ?? '';

/** The first level of a name: a file, a package or a class. */
export const fileOf = (name: string): string =>
  name.includes(TITLE_MARK) ? (name.split(TITLE_MARK)[0] ?? '') : '';

/**
 * The removed tests that are not accepted unless the removal was declared: whole files always, since nothing is left to
 * fail; single tests if they were failing. (Fewer tests in a file are usual, for instance when three become a table.)
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
    const title = literally(entry.slice(at + TITLE_MARK.length));
    // The title has to be a whole part of the name that the tool prints.
    const whole = new RegExp(`(?:^|[ :/.#(])${title}(?:$|[ [()/:])`);
    return goneFailures.some((failure) => whole.test(failure));
  });
}
