/** Adds details to found files: the newest known commit that changed them, and tests. */
import { codeStore } from '../../store/code-index.ts';
import type { Store } from '../../store/open.ts';
import type { SearchRequest } from '../search.ts';
import { changedWith } from '../together.ts';
import { isTestFile, searchFiles, standsNow } from './search-code.ts';

const MOST_TESTS = 3;

/** The files as they are now: one that is gone since it was indexed is none. */
export function fileHits(store: Store, root: string, request: SearchRequest, most: number) {
  const { projectId, query } = request;
  const code = codeStore(store);
  const found = searchFiles(store, { ...request, limit: 2 * most })
    .flatMap((it) => {
      const now = standsNow(root, it, query);
      return now === undefined ? [] : [{ ...it, line: now.line, symbols: now.names }];
    })
    .slice(0, most);
  const tests = found.length === 0 ? [] : code.paths(projectId).filter(isTestFile);
  return found.map((it) => {
    const change = code.lastChange(projectId, JSON.stringify(it.path));
    const last = change && { at: change.at, author: change.author ?? '' };
    const named = testsNear(it.path, tests);
    const near = named.length > 0 ? named : testsChangedWith(store, projectId, it.path);
    return { ...it, ...(last && { last }), tests: near };
  });
}

/** Tests that were changed in a third of its commits, and in more than one of them. */
function testsChangedWith(store: Store, projectId: number, path: string): string[] {
  if (isTestFile(path)) return [];
  const { commits, others } = changedWith(store, projectId, path);
  return others
    .filter((it) => it.commits >= Math.max(2, commits / 3) && isTestFile(it.path))
    .slice(0, MOST_TESTS)
    .map((it) => it.path);
}

/** Tests that are named after the file, the nearest first. */
function testsNear(path: string, tests: readonly string[]): string[] {
  const stem = stemOf(path);
  if (isTestFile(path) || stem.length < 3) return [];
  const folders = new Set(path.split('/').slice(0, -1));
  const near = (test: string) => test.split('/').filter((it) => folders.has(it)).length;
  return tests
    .filter((test) => stemOf(test) === stem)
    .sort((a, b) => near(b) - near(a))
    .slice(0, MOST_TESTS);
}

/** `token` of `src/token.ts`, `test/token.test.ts`, `test_token.py` and `TokenTest.java`. */
const stemOf = (path: string): string =>
  path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\..*$/, '')
    .replace(/^test_|[._-](?:test|spec)s?$|(?<=[a-z])(?:Tests?|Spec)$/, '')
    .toLowerCase();
