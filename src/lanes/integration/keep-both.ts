/**
 * Resolves the commonest conflict: two lanes have added something at the same place of a file of tests or of a
 * list. Both additions stay. That this is right is for the validations to say.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Git } from '../../git/git.ts';
import { mergeTrees } from '../../git/plumbing.ts';
import { mayHoldTests, testCases } from '../validation/test-cases.ts';
import { commitMerge, type Merge, mergeCommit, type Sides } from './merge.ts';

const LIST =
  /(?:^|\/)(?:(?:CHANGELOG|CHANGES|HISTORY|NEWS|AUTHORS|CONTRIBUTORS)(?:\.\w+)?|CODEOWNERS|\.\w+ignore|\.gitattributes|requirements[\w-]*\.txt)$/i;

const isList = (path: string): boolean => LIST.test(path);
/** Most of a source file of Rust is no test. */
const isTestFile = (path: string): boolean =>
  mayHoldTests(path) && (!path.endsWith('.rs') || /(?:^|\/)tests\//.test(path));

/**
 * A merge commit by git alone, or with both additions where nothing but additions conflicts.
 *
 * @returns `kept`: the files with both additions; empty if git has merged them.
 */
export async function mergeOrKeepBoth(
  git: Git,
  sides: Omit<Sides, 'before'>,
): Promise<Merge & { readonly kept: readonly string[] }> {
  const merge = await mergeCommit(git, sides);
  if (merge.kind !== 'conflict') return { ...merge, kept: [] };
  const { paths } = merge;
  const tree = await keepBoth(git, sides, paths);
  if (tree === undefined) return { ...merge, kept: [] };
  const message = `${sides.message}\n\nBoth additions are kept in ${paths.join(', ')}`;
  const commit = await commitMerge(git, tree, { ...sides, message });
  return { kind: 'merged', commit, kept: paths };
}

/** @returns the merged tree; `undefined` if there is more than such additions among the conflicts. */
export async function keepBoth(
  git: Git,
  { ours, theirs }: Pick<Sides, 'ours' | 'theirs'>,
  conflicts: readonly string[],
): Promise<string | undefined> {
  if (!conflicts.every((it) => isList(it) || isTestFile(it))) return undefined;
  const base = (await git.text(['merge-base', ours, theirs])).trim();
  const shown = await mergeTrees(git, ours, theirs, ['-c', 'merge.conflictStyle=diff3']);
  for (const path of conflicts) {
    if (!onlyAdds(await textOf(git, shown.tree, path))) return undefined;
    const texts = await Promise.all([base, ours, theirs].map((it) => textOf(git, it, path)));
    if (addsOneName(path, texts)) return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'lanehold-merge-'));
  try {
    const attributes = join(folder, 'attributes');
    writeFileSync(attributes, conflicts.map((it) => `${pattern(it)} merge=union\n`).join(''));
    const config = ['-c', `core.attributesFile=${attributes}`];
    const merged = await mergeTrees(git, ours, theirs, config);
    return merged.conflicts.length === 0 ? merged.tree : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether nothing stood before in any of the conflicting places. */
function onlyAdds(text: string): boolean {
  const places = [...text.matchAll(/^<{7} .*\n[\s\S]*?^\|{7} .*\n([\s\S]*?)^={7}\n/gm)];
  return places.length > 0 && places.every(([, before]) => before === '');
}

/** Empty where there is no such file. */
const textOf = async (git: Git, tree: string, path: string): Promise<string> =>
  (await git.maybe(['cat-file', 'blob', `${tree}:${path}`], [128])) ?? '';

/** Whether both have added a test of the same name: one may take the place of the other, or get its lines. */
function addsOneName(
  path: string,
  [base = '', ours = '', theirs = '']: readonly string[],
): boolean {
  const titles = (text: string): Set<string> =>
    new Set(testCases(path, text).cases.map(({ kind, title }) => `${kind} ${title}`));
  const both = titles(ours).intersection(titles(theirs));
  return both.difference(titles(base)).size > 0;
}

/** For exactly this path. @see https://git-scm.com/docs/gitattributes */
const pattern = (path: string): string =>
  JSON.stringify(`/${path.replaceAll(/[*?[\\]/g, (it) => `\\${it}`)}`);
