/**
 * Tests removed between two commits, read from git's objects, whatever the files are called. A
 * heuristic based on lines; its findings are shown, and judged elsewhere.
 */

import type { Git } from '../../git/git.ts';
import { blobsAt, splitNul } from '../../git/paths.ts';
import { isNamedAsTest, mayHoldTests, type TestCase, testCases } from './test-cases.ts';

/**
 * `path` of each test file that is deleted, emptied or skipped as a whole, and `path > title` of each
 * test that is newly skipped, or missing from a file that has fewer tests than before. Paths are those
 * at `base`. A test that moved to another file, or was renamed in its own, does not count as removed.
 */
export async function removedTests(git: Git, base: string, head: string): Promise<string[]> {
  const pairs = await readPairs(git, base, head);
  const moved = titleBag(
    pairs.flatMap(({ before, after }) => minus(running(after), running(before))),
  );
  return pairs.flatMap((pair) => removedFrom(pair, moved)).toSorted();
}

/** The tests of a file; none if there is no file. */
interface Side {
  readonly path: string;
  readonly isBlank: boolean;
  readonly hidden: boolean;
  readonly cases: readonly TestCase[];
}

interface Pair {
  readonly before: Side;
  readonly after: Side;
}

type Titles = Map<string, number>;

function removedFrom({ before, after }: Pair, moved: Titles): string[] {
  const { path } = before;
  const were = running(before);
  const are = running(after);
  const lost = minus(were, are).filter((title) => !take(moved, title));
  if (after.hidden && !before.hidden && were.length > 0) return [path];
  if (
    isGone(before, after) ||
    (are.length === 0 && were.length > 0 && lost.length === were.length)
  ) {
    return [path];
  }
  const fewer = lost.length > minus(are, were).length ? lost : [];
  const titles = new Set([...fewer, ...newlySkipped(before, after)]);
  return [...titles].map((title) => `${path}${TITLE_MARK}${title || '(a test without a title)'}`);
}

/** For unknown syntax: only that the file was a test file and is not any more. */
function isGone(before: Side, after: Side): boolean {
  if (before.cases.length > 0 || before.isBlank || !isNamedAsTest(before.path)) return false;
  return after.isBlank || !isNamedAsTest(after.path);
}

function running({ cases, hidden }: Side): string[] {
  if (hidden) return [];
  return cases.flatMap(({ kind, title, skipped }) => (kind === 'test' && !skipped ? title : []));
}

function newlySkipped(before: Side, after: Side): string[] {
  const ran = titleBag(before.cases.flatMap((it) => (it.skipped ? [] : [keyOf(it)])));
  for (const it of after.cases) if (!it.skipped) take(ran, keyOf(it));
  // Left over: ran before, and is now skipped or gone.
  return after.cases.flatMap((it) => (it.skipped && take(ran, keyOf(it)) ? it.title : []));
}

function keyOf({ kind, title }: TestCase): string {
  return `${kind} ${title}`;
}

/** Multiset difference. */
function minus(titles: readonly string[], others: readonly string[]): string[] {
  const left = titleBag(others);
  return titles.filter((title) => !take(left, title));
}

function titleBag(titles: readonly string[]): Titles {
  const bag: Titles = new Map();
  for (const title of titles) bag.set(title, (bag.get(title) ?? 0) + 1);
  return bag;
}

function take(bag: Titles, title: string): boolean {
  const times = bag.get(title) ?? 0;
  if (times === 0) return false;
  bag.set(title, times - 1);
  return true;
}

interface Change {
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
}

interface Entry {
  readonly path: string;
  readonly mode: string;
  readonly oid: string;
}

async function readPairs(git: Git, base: string, head: string): Promise<Pair[]> {
  const options = ['-r', '-z', '-M', '--raw', '--no-abbrev'];
  const output = await git.text(['diff-tree', ...options, base, head]);
  const changes = parseRaw(splitNul(output)).filter(
    ({ before, after }) => isTestFile(before) || isTestFile(after),
  );
  const sides = changes.flatMap(({ before, after }) => [before, after]);
  const oids = sides.flatMap((it) => (isTestFile(it) ? it.oid : []));
  const texts = new Map<string, string>();
  for (const [at, text] of (await blobsAt(git, oids)).entries())
    texts.set(oids[at] ?? '', text ?? '');
  const sideOf = (it: Entry | undefined): Side => {
    const text = isTestFile(it) ? (texts.get(it.oid) ?? '') : '';
    const path = it?.path ?? '';
    return { path, isBlank: text.trim() === '', ...testCases(path, text) };
  };
  return changes.map(({ before, after }) => ({ before: sideOf(before), after: sideOf(after) }));
}

/** A regular file: links and submodules hold no tests of their own. */
function isTestFile(it: Entry | undefined): it is Entry {
  return it?.mode.startsWith('100') === true && mayHoldTests(it.path);
}

/**
 * `:<mode> <mode> <oid> <oid> <status>`, then one path, or two of a rename.
 *
 * @see https://git-scm.com/docs/diff-format#_raw_output_format
 */
function parseRaw(fields: readonly string[]): Change[] {
  const changes: Change[] = [];
  for (let at = 0; at < fields.length; ) {
    const [oldMode = '', mode = '', oldOid = '', oid = '', status = ''] =
      fields[at]?.slice(1).split(' ') ?? [];
    const path = fields[at + 1] ?? '';
    const isRename = status.startsWith('R') || status.startsWith('C');
    const newPath = isRename ? (fields[at + 2] ?? '') : path;
    changes.push({
      before: status === 'A' ? undefined : { path, mode: oldMode, oid: oldOid },
      after: status === 'D' ? undefined : { path: newPath, mode, oid },
    });
    at += isRename ? 3 : 2;
  }
  return changes;
}

/** The separator of `removedTests` between a file's path and a test's title. */
const TITLE_MARK = ' > ';

/**
 * The removed tests that are not accepted unless the removal was declared: whole files always, since
 * nothing is left that could fail; single tests if they were failing. (Fewer tests in a file are
 * usual, for instance when three become a table.)
 *
 * @param removed `path` of a file whose tests are all gone, `path > title` of one test.
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
    const title = entry.slice(at + TITLE_MARK.length);
    return goneFailures.some((failure) => names(failure, title));
  });
}

const BEFORE = new Set(['', ' ', ':', '/', '.', '#', '(']);
const AFTER = new Set(['', ' ', '[', '(', ')', '/', ':']);

/** The title occurs in the name as a whole part, whatever the tool puts around it. */
function names(failure: string, title: string): boolean {
  for (let at = failure.indexOf(title); at !== -1; at = failure.indexOf(title, at + 1)) {
    const before = failure[at - 1] ?? '';
    const after = failure[at + title.length] ?? '';
    if (BEFORE.has(before) && AFTER.has(after)) return true;
  }
  return false;
}
